import { readFileSync } from 'node:fs';
import PDFDocument from 'pdfkit';
import { createCache } from '../../../core/cache.ts';
import { type Face, type Family, fontFile, mostFaces, type Weight } from './font-files.ts';

/** A glyph and the characters that it stands for. */
interface Glyph {
  readonly id: number;
  readonly codePoints: readonly number[];
  readonly advanceWidth: number;
}

/** Position of a glyph in font units: the distance to the next glyph, and an offset. */
type Position = Readonly<Record<'xAdvance' | 'yAdvance' | 'xOffset' | 'yOffset', number>>;

/** A word as positioned glyphs of a font, from left to right. */
interface SetWord {
  readonly glyphs: readonly Glyph[];
  readonly positions: readonly Position[];
  readonly advanceWidth: number;
}

/** Glyphs of a font that one document uses. */
interface Subset {
  /** Outline ids. The index is the number of the glyph in the document. */
  readonly glyphs: number[];
  includeGlyph(id: number | Glyph): number;
}

/** The properties of a fontkit font that are used here. */
interface OpenFont {
  readonly unitsPerEm: number;
  getGlyph(id: number, codePoints?: readonly number[]): Glyph;
  layout(text: string, features?: readonly string[]): SetWord;
  createSubset(): Subset;
  /** Glyphs by id. Each has the characters of its first use. */
  readonly _glyphs: Record<number, Glyph>;
}

const opened = createCache<OpenFont>(mostFaces);

/**
 * Opens a font once for all documents, because parsing a font costs more than drawing an invoice. pdfkit opens fonts
 * only through a document, so this uses an empty document.
 */
function openFont(family: Family, weight: Weight): OpenFont {
  const face: Face = `${family}-${weight}`;
  return opened(face, () => {
    const opener = new PDFDocument({ autoFirstPage: false, font: null as unknown as string });
    const { font } = (opener.font(readFileSync(fontFile(face))) as unknown as { _font: { font: OpenFont } })._font;
    tolerateMissingAnchors(font);
    distinguishLetters(font, family === 'arabic' ? stemsFirst : splitMarks);
    cacheGlyphs(font);
    if (font.unitsPerEm === 1000) cacheWords(font);
    return font;
  });
}

/** The fonts of one document. */
export class DocumentFonts {
  readonly #document: PDFKit.PDFDocument;
  readonly #registered = new Set<Face>();

  constructor(document: PDFKit.PDFDocument) {
    this.#document = document;
  }

  /** Selects the font of the text that follows. */
  use(face: Face, size: number): PDFKit.PDFDocument {
    if (!this.#registered.has(face)) {
      const [family, weight] = face.split('-') as [Family, Weight];
      this.register(face, family, weight);
      this.#registered.add(face);
    }
    return this.#document.font(face, size);
  }

  /** Registers a font under a second name in the document. */
  register(name: string, family: Family, weight: Weight): void {
    this.#document.registerFont(name, openFont(family, weight) as unknown as Buffer);
  }
}

/**
 * fontkit throws if a font has no position for a dot on a letter, for example the Arabic letter U+06A2. Such a word is
 * set without positioned dots.
 */
function tolerateMissingAnchors(font: OpenFont): void {
  type Layout = (text: string, features?: readonly string[] | Readonly<Record<string, boolean>>) => SetWord;
  const layout = font.layout.bind(font) as Layout;
  font.layout = (text, features) => {
    try {
      return layout(text, features);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      return layout(text, { mark: false, mkmk: false });
    }
  };
}

/** Glyphs for characters that share one glyph get ids from this number on. A font has at most 65,536 glyphs. */
const firstOwnId = 0x10000;
/** An invisible character that does not end a word. Copied text has it for glyphs without characters, such as dots. */
const wordJoiner = 0x2060;

/** The glyphs of a word with the characters that copied text has for each. */
type Distinguish = (word: SetWord, own: (glyph: Glyph) => Glyph) => SetWord;

/**
 * Makes text copy correctly in PDF viewers that ignore text alternatives. A file names one text for each glyph, but
 * letters share glyphs: Arabic stems, `i` and `ı` below an accent, `µ` and `μ`. So each pair of glyph and characters
 * gets its own id.
 */
function distinguishLetters(font: OpenFont, distinguish: Distinguish): void {
  const ids = new Map<string, number>();
  const outlines: number[] = [];
  const own = (glyph: Glyph): Glyph => {
    const codePoints = glyph.codePoints.length > 0 ? glyph.codePoints : [wordJoiner];
    const key = `${glyph.id} ${codePoints.join()}`;
    const id = ids.get(key) ?? firstOwnId + outlines.push(glyph.id) - 1;
    ids.set(key, id);
    return { id, codePoints, advanceWidth: glyph.advanceWidth };
  };
  const layout = font.layout.bind(font);
  font.layout = (text, features) => distinguish(layout(text, features), own);
  const createSubset = font.createSubset.bind(font);
  font.createSubset = () => {
    const subset = createSubset();
    const include = subset.includeGlyph.bind(subset);
    const included = new Map<number, number>();
    subset.includeGlyph = id => {
      const outline = typeof id === 'number' ? outlines[id - firstOwnId] : undefined;
      if (typeof id !== 'number' || outline === undefined) return include(id);
      const known = included.get(id) ?? subset.glyphs.push(outline) - 1;
      included.set(id, known);
      return known;
    };
    return subset;
  };
}

/**
 * Names the marks of a letter that the font draws as letter and marks, as in `ẹ̀`. The font gives all characters to the
 * first glyph. The canonical decomposition (Unicode, NFD) gives the last characters to the marks.
 */
function splitMarks(word: SetWord, own: (glyph: Glyph) => Glyph): SetWord {
  const { glyphs, positions } = word;
  const named = glyphs.map(glyph => glyph.codePoints);
  for (let first = 0; first < glyphs.length; first++) {
    let end = first + 1;
    while (end < glyphs.length && glyphs[end]?.codePoints.length === 0) end++;
    const [letter, ...others] = named[first] ?? [];
    if (end === first + 1 || letter === undefined || others.length > 0) continue;
    const parts = Array.from(String.fromCodePoint(letter).normalize('NFD'), part => part.codePointAt(0) ?? 0);
    const marks = end - first - 1;
    if (parts.length <= marks) continue;
    named[first] = parts.slice(0, -marks);
    for (const [index, part] of parts.slice(-marks).entries()) named[first + 1 + index] = [part];
  }
  const distinct = glyphs.map((glyph, index) => own({ ...partsOf(glyph), codePoints: named[index] ?? [] }));
  return {
    glyphs: distinct,
    positions,
    // pdfkit scales the positions in place and reads the width after that.
    get advanceWidth() {
      return word.advanceWidth;
    },
  };
}

/** The properties that drawing needs. They are getters of fontkit's class, which a spread would leave out. */
function partsOf({ id, codePoints, advanceWidth }: Glyph): Glyph {
  return { id, codePoints, advanceWidth };
}

/** Moves the dots to the end of the word and keeps their positions on the page. */
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

/** Maximum number of words and glyphs in the caches. */
const mostWords = 6_000;
const longestWord = 40;
const mostLetters = 24_000;

/** Ideographs and whole Korean syllables. Their glyphs do not depend on neighbours, so each is shaped only once. */
const standAlone = /^(?:\p{Unified_Ideograph}|[\uac00-\ud7a3])+$/u;

/** Caches glyphs by their characters. fontkit would return a glyph with the characters of its first use. */
function cacheGlyphs(font: OpenFont): void {
  const make = font.getGlyph.bind(font);
  const glyphs = createCache<Glyph>(mostLetters);
  font.getGlyph = (id, codePoints = []) =>
    glyphs(`${id} ${codePoints.join()}`, () => {
      delete font._glyphs[id];
      return make(id, codePoints);
    });
}

/**
 * Caches the layout of words, which takes most of the drawing time. Only safe for fonts with 1000 units per em, because
 * pdfkit rescales the layouts of other fonts in place.
 */
function cacheWords(font: OpenFont): void {
  const layout = font.layout.bind(font);
  const words = createCache<SetWord>(mostWords);
  const letters = createCache<SetWord>(mostLetters);
  const keyOf = (text: string, features: readonly string[] | undefined) => `${text}\n${features?.join() ?? ''}`;
  const word = (text: string, features: readonly string[] | undefined): SetWord => {
    if (standAlone.test(text)) {
      return joined(Array.from(text, letter => letters(keyOf(letter, features), () => layout(letter, features))));
    }
    if (text.length > longestWord) return layout(text, features);
    return words(keyOf(text, features), () => layout(text, features));
  };
  let last: { readonly text: string; readonly features: string | undefined; readonly set: SetWord } | null = null;
  font.layout = (text, features) => {
    const named = features?.join();
    if (last?.text === text && last.features === named) return last.set;
    const parts = wordsOf(text);
    const set = parts.length === 1 ? word(text, features) : joined(parts.map(part => word(part, features)));
    last = { text, features: named, set };
    return set;
  };
}

const fromRight = /\p{Script=Arabic}|\p{Script=Hebrew}/u;
const fromRightOrBlank = /^ *$|^.$|\p{Script=Arabic}|\p{Script=Hebrew}/u;

/**
 * Splits a text into words and blanks, from left to right. In these fonts a blank does not change the glyph next to it.
 * A text that mixes Arabic or Hebrew with other words is one part.
 */
function wordsOf(text: string): string[] {
  if (!text.includes(' ')) return [text];
  const parts = text.split(/( +)/).filter(part => part !== '');
  if (!fromRight.test(text)) return parts;
  return parts.every(part => fromRightOrBlank.test(part)) ? parts.reverse() : [text];
}

function joined(words: readonly SetWord[]): SetWord {
  return {
    glyphs: words.flatMap(({ glyphs }) => glyphs),
    positions: words.flatMap(({ positions }) => positions),
    advanceWidth: words.reduce((width, { advanceWidth }) => width + advanceWidth, 0),
  };
}
