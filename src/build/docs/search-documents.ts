import type { Rendered } from './markdown.ts';
import { type DocPage, pathOf } from './page.ts';

/** A page as the search knows it. Short names, because the file holds one for each page. */
export interface SearchDocument {
  readonly id: string;
  readonly title: string;
  readonly section: string;
  readonly headings: string;
  readonly text: string;
}

/** The most text of a page that is searched. Pages of calls repeat the fields of objects. */
const longestText = 1500;

export function searchDocuments(rendered: readonly (readonly [DocPage, Rendered])[]): SearchDocument[] {
  return rendered.map(([{ slug, title, section, description }, { headings, text }]) => ({
    ...{ id: pathOf(slug), title, section },
    headings: headings.map(heading => heading.text).join(' · '),
    text: `${description} ${text}`.replace(/\s+/g, ' ').slice(0, longestText),
  }));
}
