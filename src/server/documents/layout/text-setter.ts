import createBidi, { type Bidi, type EmbeddingLevels } from 'bidi-js';
import { coverText } from '../fonts/coverage.ts';
import type { DocumentFonts } from '../fonts/document-fonts.ts';
import type { Face, Family, Weight } from '../fonts/font-files.ts';
import { drawn, printable } from '../fonts/printable.ts';

/** Weight and size of a text. `size` is in points. */
export interface LetterStyle {
  readonly weight: Weight;
  readonly size: number;
}

/** A line that is ready to draw. */
export interface SetLine {
  /** Each piece has glyphs of one font. Pieces go from left to right. `x` counts points from the line's left end. */
  readonly pieces: readonly { readonly text: string; readonly face: Face; readonly x: number }[];
  readonly width: number;
  /** The characters in reading order, if it differs from the order on the page. */
  readonly reading: string | null;
}

/** Characters of one font and one direction, in reading order. `end` is exclusive. */
interface Run {
  readonly start: number;
  readonly end: number;
  readonly family: Family;
  readonly level: number;
}

/** A paragraph cut into runs. `order` is null if the whole paragraph reads from left to right. */
interface Paragraph {
  readonly text: string;
  readonly runs: readonly Run[];
  readonly order: EmbeddingLevels | null;
}

const rightToLeft = /[\u0590-\u08ff\u200f\u061c\ufb1d-\ufdff\ufe70-\ufefc]/u;
/** Characters of the Latin font that read from left to right. */
const plain = /^[\x20-\x7e\xa0-\xac\xae-\u017f\u2013\u2014\u2018-\u201e\u2022\u2026\u20ac\u2212]*$/;
/** More characters than any line can have. Longer texts are measured in parts, because setting them is slow. */
const longestWhole = 300;
/** Scripts whose glyphs join or change their order, so that copying needs the characters themselves. */
const reshaped = /[\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]/u;

/** `bidi-js` exports a function that creates the object, unlike the package's type declaration says. */
const bidi = (createBidi as unknown as () => Bidi)();

/** Sets text into lines: chooses fonts, orders characters (UAX #9) and breaks lines. */
export class TextSetter {
  readonly #fonts: DocumentFonts;
  readonly #locale: string;
  readonly #direction: 'ltr' | 'rtl';

  /** `locale` decides which font draws a Chinese character. */
  constructor(fonts: DocumentFonts, locale: string, direction: 'ltr' | 'rtl') {
    this.#fonts = fonts;
    this.#locale = locale;
    this.#direction = direction;
  }

  /** The text in lines of at most `width` points. An empty text has no lines. */
  lines(text: string, style: LetterStyle, width: number): SetLine[] {
    const clean = printable(text);
    if (clean === '') return [];
    return clean.split('\n').flatMap(part => {
      const paragraph = this.#paragraph(part);
      return this.#lineEnds(paragraph, style, width).map(([start, end]) => this.#line(paragraph, style, start, end));
    });
  }

  /** Width of the text on one line, in points. */
  width(text: string, style: LetterStyle): number {
    const paragraph = this.#paragraph(printable(text).replaceAll('\n', ' '));
    return this.#measure(paragraph, style, 0, paragraph.text.length);
  }

  #paragraph(text: string): Paragraph {
    if (plain.test(text)) {
      return { text, runs: [{ start: 0, end: text.length, family: 'latin', level: 0 }], order: null };
    }
    const families: Family[] = [];
    let known = '';
    for (const { character, family } of coverText(text, this.#locale)) {
      const shown = family === null ? codeOf(character) : character;
      known += shown;
      families.push(...Array<Family>(shown.length).fill(family ?? 'latin'));
    }
    const order = rightToLeft.test(known)
      ? bidi.getEmbeddingLevels(known, this.#direction === 'rtl' ? 'rtl' : 'auto')
      : null;
    return { text: known, runs: runsOf(families, order), order };
  }

  /** Start and end of each line. The end excludes trailing blanks. */
  #lineEnds(paragraph: Paragraph, style: LetterStyle, width: number): [start: number, end: number][] {
    const inkedEnd = paragraph.text.trimEnd().length;
    if (inkedEnd <= longestWhole && this.#measure(paragraph, style, 0, inkedEnd) <= width) return [[0, inkedEnd]];
    const lines: [number, number][] = [];
    let start = 0;
    let used = 0;
    let at = 0;
    for (const part of this.#fittingParts(paragraph, style, width)) {
      const inked = at + part.trimEnd().length;
      const full = this.#measure(paragraph, style, at, at + part.length);
      const needed = inked === at + part.length ? full : this.#measure(paragraph, style, at, inked);
      if (used > 0 && used + needed > width) {
        lines.push([start, at]);
        start = at;
        used = 0;
      }
      used += full;
      at += part.length;
    }
    lines.push([start, at]);
    return lines.map(([from, to]) => [from, from + paragraph.text.slice(from, to).trimEnd().length]);
  }

  /** Parts that must not be split between lines. A part that is wider than the line is split into characters. */
  #fittingParts(paragraph: Paragraph, style: LetterStyle, width: number): string[] {
    let at = 0;
    return breakable(paragraph.text).flatMap(part => {
      const start = at;
      at += part.length;
      // Only right-to-left glyphs can be more than twice as wide as their height.
      const mayBeWide = paragraph.order !== null || part.length * 2 * style.size > width;
      const isWide = part.length > longestWhole || (mayBeWide && this.#measure(paragraph, style, start, at) > width);
      return isWide ? Array.from(graphemes.segment(part), ({ segment }) => segment) : [part];
    });
  }

  #measure(paragraph: Paragraph, style: LetterStyle, start: number, end: number): number {
    let width = 0;
    for (const run of runsWithin(paragraph, start, end)) {
      const text = drawn(paragraph.text.slice(run.start, run.end));
      width += this.#pieceWidth(text, `${run.family}-${style.weight}`, style.size);
    }
    return width;
  }

  #pieceWidth(text: string, face: Face, size: number): number {
    return this.#fonts.use(face, size).widthOfString(text, isShaped(face) ? { features: [] } : {});
  }

  #line(paragraph: Paragraph, style: LetterStyle, start: number, end: number): SetLine {
    const pieces: { text: string; face: Face; x: number }[] = [];
    let x = 0;
    for (const { text, family } of visualRuns(paragraph, start, end)) {
      const face: Face = `${family}-${style.weight}`;
      if (text === '') continue;
      pieces.push({ text, face, x });
      x += this.#pieceWidth(text, face, style.size);
    }
    const reading = drawn(paragraph.text.slice(start, end));
    const isReordered = paragraph.order !== null || reshaped.test(reading);
    return { pieces, width: x, reading: isReordered ? reading : null };
  }
}

/**
 * Stands for a character that no font has, such as `[U+1208]`, so that a reader can still look it up. Invoices with such
 * a character are not sent; receipts and posters print texts that others typed.
 */
function codeOf(character: string): string {
  const codes = Array.from(character, part => `U+${part.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`);
  return `[${codes.join(' ')}]`;
}

/** Whether the font of the face sets a run as a whole, from right to left. */
export function isShaped(face: Face): boolean {
  return face.startsWith('arabic') || face.startsWith('hebrew');
}

function runsOf(families: readonly Family[], order: EmbeddingLevels | null): Run[] {
  const runs: Run[] = [];
  let start = 0;
  for (let at = 1; at <= families.length; at++) {
    const level = order?.levels[start] ?? 0;
    const family = families[start];
    if (family === undefined) break;
    if (at < families.length && families[at] === family && (order?.levels[at] ?? 0) === level) continue;
    runs.push({ start, end: at, family, level });
    start = at;
  }
  return runs;
}

/** The runs between two positions. Uses binary search, because a paragraph may have thousands of runs. */
function runsWithin({ runs }: Paragraph, start: number, end: number): Run[] {
  let [first, after] = [0, runs.length];
  while (first < after) {
    const middle = (first + after) >> 1;
    if ((runs[middle]?.end ?? 0) <= start) first = middle + 1;
    else after = middle;
  }
  let last = first;
  while ((runs[last]?.start ?? end) < end) last++;
  return runs
    .slice(first, last)
    .map(run => ({ ...run, start: Math.max(run.start, start), end: Math.min(run.end, end) }));
}

/** The runs of a line from left to right, each with its characters in the order the font expects. */
function visualRuns(paragraph: Paragraph, start: number, end: number): { text: string; family: Family }[] {
  const { text, order } = paragraph;
  const onLine = runsWithin(paragraph, start, end);
  if (order === null) return onLine.map(run => ({ text: drawn(text.slice(run.start, run.end)), family: run.family }));
  const columns = new Map<number, number>();
  const indices = bidi.getReorderedIndices(text, order, start, end - 1);
  for (const [column, index] of indices.entries()) columns.set(index, column);
  const columnOf = (run: Run) => Math.min(columns.get(run.start) ?? 0, columns.get(run.end - 1) ?? 0);
  return onLine
    .toSorted((a, b) => columnOf(a) - columnOf(b))
    .map(run => ({ text: lettersOf(text, run), family: run.family }));
}

/**
 * The characters of a run in the order that its font expects. The Arabic and Hebrew fonts reverse glyphs
 * themselves, so they get reading order, with left-to-right digits reversed. All other fonts get the order on the page.
 */
function lettersOf(text: string, run: Run): string {
  const isFromRight = run.level % 2 === 1;
  const letters = Array.from(drawn(text.slice(run.start, run.end)), letter =>
    isFromRight ? (bidi.getMirroredCharacter(letter) ?? letter) : letter,
  );
  return (isFromRight === isShaped(`${run.family}-regular`) ? letters : letters.toReversed()).join('');
}

/** Characters of scripts without blanks. A line may end between any two of them (UAX #14, class ID). */
const ideograph =
  /[\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3000-\u303f\uff01-\uff9f]|[\ud840-\ud887][\udc00-\udfff]/u;
/** Characters that may not begin a line: closing brackets, full stops, small kana, length marks (JIS X 4051). */
const noStart =
  /[、。，．・：；？！）］｝〕〉》」』】〙〗〟’”ーゝゞ々ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ,.:;?!)\]}%‰℃]/u;
/** Characters that may not end a line: opening brackets and currency signs. */
const noEnd = /[（［｛〔〈《「『【〘〖〝‘“([{¥￥$€£]/u;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** Scripts without blanks between words: Thai, Lao, Burmese, Khmer. */
const unspaced = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]/u;
const words = new Intl.Segmenter('th', { granularity: 'word' });

/** Cuts the text where a line may end: after blanks and hyphens, between ideographs and Thai words. A subset of UAX #14. */
function breakable(text: string): string[] {
  const parts: string[] = [];
  for (const word of text.match(/[^ ]*(?: +|$)/g) ?? []) {
    if (word === '') continue;
    if (ideograph.test(word)) parts.push(...breakIdeographs(word));
    else if (unspaced.test(word)) parts.push(...Array.from(words.segment(word), ({ segment }) => segment));
    else parts.push(...word.split(/(?<=\p{L}[-\u2010\u2013])(?=\p{L})/u));
  }
  return parts;
}

function breakIdeographs(word: string): string[] {
  const parts: string[] = [];
  let part = '';
  let before = '';
  for (const character of word) {
    const mayBreak =
      part !== '' &&
      (ideograph.test(before) || ideograph.test(character)) &&
      character !== ' ' &&
      !noStart.test(character) &&
      !noEnd.test(before);
    if (mayBreak) {
      parts.push(part);
      part = '';
    }
    part += character;
    before = character;
  }
  return [...parts, part];
}
