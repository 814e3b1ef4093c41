/** A page of the documentation before it is rendered. */
export interface DocPage {
  /** Path below `/docs/`; empty for the start page. */
  readonly slug: string;
  readonly title: string;
  /** One sentence: for search engines, lists of pages and `/llms.txt`. */
  readonly description: string;
  /** The page as Markdown, its title as `#` heading included. Links to other pages are absolute paths. */
  readonly markdown: string;
  /** The part of the contents in which the page stands. */
  readonly section: string;
  /** Slug of the page below which this one stands; the contents show it only there. */
  readonly parent?: string;
  /** Whether the contents leave the page out. */
  readonly unlisted?: boolean;
}

/** Address of a page, from its slug. */
export const pathOf = (slug: string): string => (slug === '' ? '/docs' : `/docs/${slug}`);

/** Makes a page from Markdown whose first line is the title. Throws Error without one. */
export function pageFrom(slug: string, section: string, markdown: string): DocPage {
  const title = /^# (.+)$/m.exec(markdown)?.[1];
  if (title === undefined) throw new Error(`the page ${slug} has no title`);
  return { slug, section, title: title.replaceAll('`', ''), description: introduction(markdown), markdown };
}

/** The first sentence of the first paragraph, without marks. */
function introduction(markdown: string): string {
  const paragraph = markdown.split(/\n{2,}/).find(block => /^(?!```)[^#<|!-]/.test(block.trim())) ?? '';
  const plain = paragraph
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/\s+/g, ' ');
  return (/^.*?[.:](?= |$)/.exec(plain)?.[0] ?? plain).replace(/:$/, '.');
}
