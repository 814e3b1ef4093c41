import type { Rendered } from './markdown.ts';
import { type DocPage, pathOf } from './page.ts';

/** The data of a page that the search uses. */
export interface SearchDocument {
  readonly id: string;
  readonly title: string;
  readonly section: string;
  readonly headings: string;
  readonly text: string;
}

/** Maximum number of characters of a page that the search covers. Later text of API pages mostly repeats fields. */
const longestText = 1500;

export function searchDocuments(rendered: readonly (readonly [DocPage, Rendered])[]): SearchDocument[] {
  return rendered.map(([{ slug, title, section, description }, { headings, text }]) => ({
    id: pathOf(slug),
    title,
    section,
    headings: headings.map(heading => heading.text).join(' · '),
    text: `${description} ${text}`.replace(/\s+/g, ' ').slice(0, longestText),
  }));
}
