import { SaxesParser } from 'saxes';

/**
 * Reads and writes XML. The strict parser `saxes` knows only the five entities of XML and loads no other files. Names
 * of read elements have no namespace prefix, because each bank chooses its own prefixes.
 */

/** An element that was read. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** The element's own text, without outer blanks. */
  readonly text: string;
}

/** Maximum levels of elements. Files of banks have about twelve. */
const deepest = 60;
/** Maximum elements of a document. A file of 10,000 payments has about 500,000. */
const mostElements = 2_000_000;
/** Maximum attributes of an element, and characters of an attribute. */
const mostAttributes = 50;
const longestAttribute = 10_000;

/** Reads a document. Throws Error if it is not well-formed, has a document type, or is too deep or too large. */
export function readXml(text: string): XmlElement {
  const root = newElement('');
  const open = [root];
  const parser = new SaxesParser({ xmlns: false });
  const addText = (more: string) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += more;
  };
  parser.on('doctype', () => refuse('a document type is not allowed'));
  let count = 0;
  parser.on('attribute', ({ value }) => {
    if (value.length > longestAttribute) refuse('an attribute is too long');
  });
  parser.on('opentag', ({ name, attributes }) => {
    if (++count > mostElements) refuse('the document has too many elements');
    if (Object.keys(attributes).length > mostAttributes) refuse('an element has too many attributes');
    const element = newElement(localName(name), attributes);
    open.at(-1)?.children.push(element);
    if (open.push(element) > deepest) refuse('elements are nested too deeply');
  });
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    const element = open.pop();
    if (element !== undefined) element.text = element.text.trim();
  });
  parser.write(text).close();
  const [first] = root.children;
  if (first === undefined) throw new Error('the document has no root element');
  return first;
}

/** The first element at a path of child names such as `GrpHdr/MsgId`, or null. */
export function find(element: XmlElement, path: string): XmlElement | null {
  return findAll(element, path)[0] ?? null;
}

/** All elements at a path of child names, in the order of the document. */
export function findAll(element: XmlElement, path: string): readonly XmlElement[] {
  return path
    .split('/')
    .reduce<readonly XmlElement[]>(
      (found, name) => found.flatMap(({ children }) => children.filter(child => child.name === name)),
      [element],
    );
}

/** The text at the path. Null if the element is missing or blank. */
export function textAt(element: XmlElement, path: string): string | null {
  return find(element, path)?.text || null;
}

/** XML to write: an element, several elements, or null. */
export type XmlPiece = string | null | readonly XmlPiece[];

/** An element with XML content. Null if the content is null or empty, so that the element is omitted. */
export function element(name: string, content: XmlPiece, attributes: Readonly<Record<string, string>> = {}): XmlPiece {
  const inner = xmlText(content);
  if (inner === '') return null;
  const list = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
  return `<${name}${list.join('')}>${inner}</${name}>`;
}

/** An element with a text, which is escaped. Null if the text is null or empty. */
export function leaf(name: string, text: string | null, attributes: Readonly<Record<string, string>> = {}): XmlPiece {
  return element(name, text === null ? null : escaped(text), attributes);
}

/** The document in UTF-8 with its root element. */
export function xmlDocument(name: string, namespace: string, content: XmlPiece): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${xmlText(element(name, content, { xmlns: namespace }))}\n`;
}

/** The XML text of a part of a document. */
export function xmlText(piece: XmlPiece): string {
  if (piece === null) return '';
  return typeof piece === 'string' ? piece : piece.map(xmlText).join('');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Escapes a text. Also replaces characters that XML 1.0 forbids, because they would make the document invalid. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"']/g, character => entities[character] ?? '');
}

interface Growing {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: Growing[];
  text: string;
}

function newElement(name: string, attributes: Readonly<Record<string, string>> = {}): Growing {
  return { name, attributes, children: [], text: '' };
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function refuse(message: string): never {
  throw new Error(message);
}
