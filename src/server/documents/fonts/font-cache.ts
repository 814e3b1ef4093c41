import { createCache } from '../../../core/cache.ts';

/** A glyph and the characters it was made for. */
export interface Glyph {
  readonly id: number;
  readonly codePoints: readonly number[];
  readonly advanceWidth: number;
}

/** Position of a glyph in font units: the advance of the pen, and the offset from it. */
export interface Position {
  readonly xAdvance: number;
  readonly yAdvance: number;
  readonly xOffset: number;
  readonly yOffset: number;
}

/** A word as the font sets it, from left to right. */
export interface SetWord {
  readonly glyphs: readonly Glyph[];
  readonly positions: readonly Position[];
  readonly advanceWidth: number;
}

/** Glyphs of a font that a document uses. */
export interface Subset {
  /** Ids of the drawings, by the number the document gives them. */
  readonly glyphs: number[];
  includeGlyph(id: number | Glyph): number;
}

/** What of a font of fontkit is asked for here; pdfkit does the rest. */
export interface OpenFont {
  readonly unitsPerEm: number;
  hasGlyphForCodePoint(codePoint: number): boolean;
  getGlyph(id: number, codePoints?: readonly number[]): Glyph;
  layout(text: string, features?: readonly string[]): SetWord;
  createSubset(): Subset;
  /** Glyphs by id, with the characters they were first made for. */
  readonly _glyphs: Record<number, Glyph>;
}

/** Words are short and come again in the next document: so many are createCache, then all are forgotten. */
const mostWords = 6_000;
const longestWord = 40;
const mostLetters = 24_000;

/** Ideographs and whole Korean syllables: their glyphs do not depend on their neighbours, so each is shaped once. */
const standAlone = /^(?:\p{Unified_Ideograph}|[\uac00-\ud7a3])+$/u;

/**
 * Makes the font remember how words are set, which takes most of the time of drawing. Fonts of 1000 units only: pdfkit
 * scales what it is handed in place, which changes nothing there. It also returns a glyph for the characters asked for.
 * fontkit returns the glyph of its first caller, so copied text would be wrong.
 */
export function withMemory(font: OpenFont): OpenFont {
  rememberGlyphs(font);
  if (font.unitsPerEm === 1000) rememberWords(font);
  return font;
}

function rememberGlyphs(font: OpenFont): void {
  const make = font.getGlyph.bind(font);
  const glyphs = createCache<Glyph>(mostLetters);
  font.getGlyph = (id, codePoints = []) =>
    glyphs(`${id} ${codePoints.join()}`, () => {
      delete font._glyphs[id];
      return make(id, codePoints);
    });
}

function rememberWords(font: OpenFont): void {
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

const arabic = /\p{Script=Arabic}/u;
const arabicOrBlank = /^ *$|^.$|\p{Script=Arabic}/u;

/**
 * Words of a text and the blanks between them, from left to right. No font here shapes a glyph differently next to a
 * blank. A word without a direction of its own is set with its right-to-left neighbours.
 */
function wordsOf(text: string): string[] {
  if (!text.includes(' ')) return [text];
  const parts = text.split(/( +)/).filter(part => part !== '');
  if (!arabic.test(text)) return parts;
  return parts.every(part => arabicOrBlank.test(part)) ? parts.reverse() : [text];
}

function joined(words: readonly SetWord[]): SetWord {
  return {
    glyphs: words.flatMap(({ glyphs }) => glyphs),
    positions: words.flatMap(({ positions }) => positions),
    advanceWidth: words.reduce((width, { advanceWidth }) => width + advanceWidth, 0),
  };
}
