/** The content of an element: text or child elements. A list repeats the element. Null omits it. */
export type XmlContent = string | null | XmlElements | XmlContent[];

/** Elements by name, in order. `@name` is an attribute of the enclosing element, and `#` is its text. */
export interface XmlElements {
  readonly [name: string]: XmlContent;
}

/** Writes the document in UTF-8. Escapes text, but not names, because names are constants. */
export function writeXml(name: string, root: XmlElements): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${write(name, root)}\n`;
}

function write(name: string, content: XmlContent): string {
  if (content === null || name.startsWith('@')) return '';
  if (typeof content === 'string') return name === '#' ? escapeMarkup(content) : write(name, { '#': content });
  if (Array.isArray(content)) return content.map(each => write(name, each)).join('');
  const entries = Object.entries(content);
  const attributes = entries
    .filter(([key]) => key.startsWith('@'))
    .map(([key, value]) => ` ${key.slice(1)}="${escapeMarkup(String(value))}"`);
  const inner = entries.map(entry => write(...entry)).join('');
  // XRechnung refuses empty elements (PEPPOL R008). Only an element without any entry is meant to be empty.
  if (inner.trim() === '' && entries.length > 0) return '';
  return `<${name}${attributes.join('')}>${inner}</${name}>`;
}

/** Escapes the characters of markup, and removes characters that XML does not allow. */
export function escapeMarkup(text: string): string {
  return text
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}
