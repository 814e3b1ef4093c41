import { readFileSync } from 'node:fs';
import PDFDocument from 'pdfkit';
import { type Glyph, type OpenFont, type Position, type SetWord, withMemory } from './font-cache.ts';
import { type Face, type Family, fontFile, type Weight } from './font-files.ts';

const opened = new Map<Face, OpenFont>();

/**
 * The font, read from its file once and kept open: parsing its tables costs more than drawing an invoice. pdfkit does
 * not expose fonts, so a document without pages opens it.
 */
function openFont(family: Family, weight: Weight): OpenFont {
  const face: Face = `${family}-${weight}`;
  const known = opened.get(face);
  if (known) return known;
  const opener = new PDFDocument({ autoFirstPage: false, font: null as unknown as string });
  const { font } = (opener.font(readFileSync(fontFile(face))) as unknown as { _font: { font: OpenFont } })._font;
  const set = withMemory(family === 'arabic' ? withOwnLetters(font) : font);
  opened.set(face, set);
  return set;
}

/** Stands for what no font here has. */
export const replacementCharacter = '\ufffd';

const latinScripts = /^[\u0020-\u058f\u0900-\u097f\u1e00-\u206f\u20a0-\u20cf\u2100-\u218f\u2212\ufffd]$/u;
const arabicScripts = /^[\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufefc]$/u;
const korean = /^[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]$/u;
const kana = /^[\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f]$/u;

/** The fonts one document draws with, in the order its reader's language asks for. */
export class FontShelf {
  readonly #document: PDFKit.PDFDocument;
  readonly #eastAsian: readonly Family[];
  readonly #onShelf = new Set<Face>();

  constructor(document: PDFKit.PDFDocument, locale: string) {
    this.#document = document;
    this.#eastAsian = eastAsianFamilies(locale);
  }

  /** Makes the document write in the face. */
  use(face: Face, size: number): PDFKit.PDFDocument {
    if (!this.#onShelf.has(face)) this.#put(face);
    return this.#document.font(face, size);
  }

  /** The family that has the character, or null when none has. */
  familyOf(character: string): Family | null {
    if (latinScripts.test(character) && has('latin', character)) return 'latin';
    if (arabicScripts.test(character)) return has('arabic', character) ? 'arabic' : null;
    const families: readonly Family[] = [...this.#eastAsianFor(character), 'latin'];
    return families.find(family => has(family, character)) ?? null;
  }

  #eastAsianFor(character: string): readonly Family[] {
    if (korean.test(character)) return ['korean'];
    return kana.test(character) ? ['japanese'] : this.#eastAsian;
  }

  /** Lets the document call a font by a name of its own. */
  register(name: string, family: Family, weight: Weight): void {
    this.#document.registerFont(name, openFont(family, weight) as unknown as Buffer);
  }

  #put(face: Face): void {
    const [family, weight] = face.split('-') as [Family, Weight];
    this.register(face, family, weight);
    this.#onShelf.add(face);
  }
}

function has(family: Family, character: string): boolean {
  return openFont(family, 'regular').hasGlyphForCodePoint(character.codePointAt(0) ?? 0);
}

function eastAsianFamilies(locale: string): readonly Family[] {
  const language = locale.toLowerCase().split('-')[0];
  if (language === 'zh') return ['chinese', 'japanese', 'korean'];
  if (language === 'ko') return ['korean', 'japanese', 'chinese'];
  return ['japanese', 'chinese', 'korean'];
}

/** Ids from here on stand for characters that share a glyph; a font has at most 65,536. */
const firstOwnId = 0x10000;
/** An invisible character that ends no word: the text copied for dots that belong to the character before. */
const wordJoiner = 0x2060;

/**
 * Makes text copy correctly from a font that draws several letters as one stem with dots. A stem gets an id for every
 * letter it stands for. Dots are drawn after all stems, so that copied words stay whole. Readers that use the text
 * alternatives of the PDF do not need this; some readers ignore them.
 */
function withOwnLetters(font: OpenFont): OpenFont {
  const ids = new Map<string, number>();
  const drawings: number[] = [];
  const own = (glyph: Glyph): Glyph => {
    const codePoints = glyph.codePoints.length > 0 ? glyph.codePoints : [wordJoiner];
    const key = `${glyph.id} ${codePoints.join()}`;
    const id = ids.get(key) ?? firstOwnId + drawings.push(glyph.id) - 1;
    ids.set(key, id);
    return { id, codePoints, advanceWidth: glyph.advanceWidth };
  };
  const layout = font.layout.bind(font);
  font.layout = (text, features) => stemsFirst(layout(text, features), own);
  const createSubset = font.createSubset.bind(font);
  font.createSubset = () => {
    const subset = createSubset();
    const include = subset.includeGlyph.bind(subset);
    const included = new Map<number, number>();
    subset.includeGlyph = id => {
      const drawing = typeof id === 'number' ? drawings[id - firstOwnId] : undefined;
      if (typeof id !== 'number' || drawing === undefined) return include(id);
      const known = included.get(id) ?? subset.glyphs.push(drawing) - 1;
      included.set(id, known);
      return known;
    };
    return subset;
  };
  return font;
}

/** The word with its dots at the end, each at its place on the page. */
function stemsFirst({ glyphs, positions }: SetWord, own: (glyph: Glyph) => Glyph): SetWord {
  const stems: [Glyph, Position][] = [];
  const dots: [Glyph, Position][] = [];
  let pen = 0;
  for (const [index, glyph] of glyphs.entries()) {
    const position = positions[index] ?? { xAdvance: 0, yAdvance: 0, xOffset: 0, yOffset: 0 };
    const isDot = glyph.codePoints.length === 0 && position.xAdvance === 0;
    if (isDot) dots.push([own(glyph), { ...position, xOffset: pen + position.xOffset }]);
    else stems.push([own(glyph), position]);
    pen += position.xAdvance;
  }
  const placed = [...stems, ...dots.map(([glyph, at]) => [glyph, { ...at, xOffset: at.xOffset - pen }] as const)];
  return {
    glyphs: placed.map(([glyph]) => glyph),
    positions: placed.map(([, position]) => position),
    advanceWidth: pen,
  };
}
