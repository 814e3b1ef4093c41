import { escapeMarkup } from '../layout/pdf-file.ts';

/** What an element holds: texts and elements; null is left out. */
export type XmlContent = string | XmlElement | null;

/** An element whose texts are escaped when it is written. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly content: readonly XmlContent[];
}

/** An element of the name, with its prefix, around the content. */
export function element(name: string, ...content: XmlContent[]): XmlElement {
  return { name, attributes: {}, content };
}

/** The element with attributes. */
export function withAttributes(target: XmlElement, attributes: Readonly<Record<string, string>>): XmlElement {
  return { ...target, attributes };
}

/** The whole document in UTF-8. Names are the program's own; every text is escaped. */
export function writeXml(root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${write(root)}\n`;
}

function write(content: XmlContent): string {
  if (content === null) return '';
  if (typeof content === 'string') return escapeMarkup(content);
  const { name, attributes } = content;
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeMarkup(value)}"`);
  return `<${name}${given.join('')}>${content.content.map(write).join('')}</${name}>`;
}
