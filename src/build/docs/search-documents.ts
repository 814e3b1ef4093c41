import type { Rendered } from './markdown.ts';
import { type DocPage, pathOf } from './page.ts';

/** The data of a page that the search uses. Names are short, because the file has such a record for each page. */
export interface SearchDocument {
  readonly id: string;
  readonly title: string;
  readonly section: string;
  readonly headings: string;
  readonly text: string;
}

/** The maximum text of a page that is searched. Beyond it, pages of calls only repeat the fields of objects. */
const longestText = 1500;

export function searchDocuments(rendered: readonly (readonly [DocPage, Rendered])[]): SearchDocument[] {
  return rendered.map(([{ slug, title, section, description }, { headings, text }]) => ({
    ...{ id: pathOf(slug), title, section },
    headings: headings.map(heading => heading.text).join(' · '),
    text: `${description} ${text}`.replace(/\s+/g, ' ').slice(0, longestText),
  }));
}
