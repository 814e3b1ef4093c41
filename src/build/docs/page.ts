/** A page of the documentation before it is rendered. */
export interface DocPage {
  /** Path below `/docs/`. Empty for the start page. */
  readonly slug: string;
  readonly title: string;
  /** One sentence for search engines, lists of pages and `/llms.txt`. */
  readonly description: string;
  /** The page as Markdown, including its title as a `#` heading. Links to other pages are absolute paths. */
  readonly markdown: string;
  /** The section of the contents that lists the page. */
  readonly section: string;
  /** Slug of the parent page. The contents list the page only below its parent. */
  readonly parent?: string;
  /** Whether the contents omit the page. */
  readonly unlisted?: boolean;
}

/** Address of a page, from its slug. */
export const pathOf = (slug: string): string => (slug === '' ? '/docs' : `/docs/${slug}`);

/** Makes a page from Markdown. The title is the first `#` heading. Throws an Error without such a heading. */
export function pageFrom(slug: string, section: string, markdown: string): DocPage {
  const title = /^# (.+)$/m.exec(markdown)?.[1];
  if (title === undefined) throw new Error(`the page ${slug} has no title`);
  return { slug, section, title: title.replaceAll('`', ''), description: introduction(markdown), markdown };
}

/** The first sentence of the first paragraph, without Markdown marks. */
function introduction(markdown: string): string {
  const paragraph = markdown.split(/\n{2,}/).find(block => /^(?!```)[^#<|!-]/.test(block.trim())) ?? '';
  const plain = paragraph
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/\s+/g, ' ');
  return (/^.*?[.:](?= |$)/.exec(plain)?.[0] ?? plain).replace(/:$/, '.');
}
