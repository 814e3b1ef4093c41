import createBidi, { type Bidi, type EmbeddingLevels } from 'bidi-js';
import { type DocumentFonts, replacementCharacter } from '../fonts/document-fonts.ts';
import type { Face, Family, Weight } from '../fonts/font-files.ts';
import { drawn, printable } from './printable.ts';

/** How text looks; `size` in points. */
export interface LetterStyle {
  readonly weight: Weight;
  readonly size: number;
}

/** Glyphs of one font in their order on the page. */
export interface Piece {
  readonly text: string;
  readonly face: Face;
  /** Points from the line's left end. */
  readonly x: number;
}

/** A line ready to be drawn. */
export interface SetLine {
  readonly pieces: readonly Piece[];
  readonly width: number;
  /** The characters in reading order, where the page has another order. */
  readonly reading: string | null;
}

/** Characters of one font and one direction, in reading order. `end` is excluded. */
interface Run {
  readonly start: number;
  readonly end: number;
  readonly family: Family;
  readonly level: number;
}

/** A paragraph cut into runs; `order` is given where some of it is read from the right. */
interface Paragraph {
  readonly text: string;
  readonly runs: readonly Run[];
  readonly order: EmbeddingLevels | null;
}

const rightToLeft = /[\u0590-\u08ff\u200f\u061c\ufb1d-\ufdff\ufe70-\ufefc]/u;
/** All in the first font, and all read from the left. */
const plain = /^[\x20-\x7e\xa0-\xac\xae-\u017f\u2013\u2014\u2018-\u201e\u2022\u2026\u20ac\u2212]*$/;
/** No line holds so many characters: whether a longer text fits is not asked of the whole, which takes long to set. */
const longestWhole = 300;
/** What is shown as one sign though it is written with several. */
const emoji = /\p{RGI_Emoji}/gv;

let bidi: Bidi | undefined;

/** The package exports a factory; its type declaration is wrong. */
function bidirectional(): Bidi {
  bidi ??= (createBidi as unknown as () => Bidi)();
  return bidi;
}

/** Sets text into lines: chooses fonts, orders characters (UAX #9), breaks lines. */
export class TextSetter {
  readonly #fonts: DocumentFonts;
  readonly #direction: 'ltr' | 'rtl';

  constructor(fonts: DocumentFonts, direction: 'ltr' | 'rtl') {
    this.#fonts = fonts;
    this.#direction = direction;
  }

  /** The text in lines of at most `width` points. An empty text is no line, an empty line in a text is one. */
  lines(text: string, style: LetterStyle, width: number): SetLine[] {
    const clean = printable(text);
    if (clean === '') return [];
    return clean.split('\n').flatMap(part => {
      const paragraph = this.#paragraph(part);
      return this.#lineEnds(paragraph, style, width).map(([start, end]) => this.#line(paragraph, style, start, end));
    });
  }

  /** Points the text takes on one line. */
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
    for (const character of text.replace(emoji, replacementCharacter)) {
      const family = this.#familyOf(character, families.at(-1));
      known += family === null ? replacementCharacter : character;
      families.push(family ?? 'latin');
      if (family !== null && character.length === 2) families.push(family);
    }
    const order = rightToLeft.test(known)
      ? bidirectional().getEmbeddingLevels(known, this.#direction === 'rtl' ? 'rtl' : 'auto')
      : null;
    return { text: known, runs: runsOf(families, order), order };
  }

  /** Blanks and invisible characters stay with the characters before them. */
  #familyOf(character: string, before: Family | undefined): Family | null {
    const isBlank = character === ' ' || character === '\u00a0' || drawn(character) === '';
    return isBlank ? (before ?? 'latin') : this.#fonts.familyOf(character);
  }

  /** Where each line starts and ends, without the blanks at its end. */
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

  /** What is wider than a line is cut anywhere between two characters. */
  #fittingParts(paragraph: Paragraph, style: LetterStyle, width: number): string[] {
    let at = 0;
    return breakable(paragraph.text).flatMap(part => {
      const start = at;
      at += part.length;
      // Few glyphs are wider than they are high; only right-to-left glyphs are twice as wide.
      const mayBeWide = paragraph.order !== null || part.length * 2 * style.size > width;
      const isWide = part.length > longestWhole || (mayBeWide && this.#measure(paragraph, style, start, at) > width);
      return isWide ? graphemesOf(part) : [part];
    });
  }

  #measure(paragraph: Paragraph, style: LetterStyle, start: number, end: number): number {
    let width = 0;
    for (const run of runsWithin(paragraph, start, end)) {
      const text = drawn(paragraph.text.slice(Math.max(start, run.start), Math.min(end, run.end)));
      width += this.#pieceWidth(text, `${run.family}-${style.weight}`, style.size);
    }
    return width;
  }

  #pieceWidth(text: string, face: Face, size: number): number {
    return this.#fonts.use(face, size).widthOfString(text, isShaped(face) ? { features: [] } : {});
  }

  #line(paragraph: Paragraph, style: LetterStyle, start: number, end: number): SetLine {
    const pieces: Piece[] = [];
    let x = 0;
    for (const { text, family } of visualRuns(paragraph, start, end)) {
      const face: Face = `${family}-${style.weight}`;
      if (text === '') continue;
      pieces.push({ text, face, x });
      x += this.#pieceWidth(text, face, style.size);
    }
    const reading = paragraph.order === null ? null : drawn(paragraph.text.slice(start, end));
    return { pieces, width: x, reading };
  }
}

/** Whether the face's glyphs join, so that a run is shaped as a whole and set from right to left. */
export function isShaped(face: Face): boolean {
  return face.startsWith('arabic');
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

/** The runs between the two positions, by binary search: a paragraph may have thousands of runs. */
function runsWithin({ runs }: Pick<Paragraph, 'runs'>, start: number, end: number): readonly Run[] {
  let [first, after] = [0, runs.length];
  while (first < after) {
    const middle = (first + after) >> 1;
    if ((runs[middle]?.end ?? 0) <= start) first = middle + 1;
    else after = middle;
  }
  let last = first;
  while ((runs[last]?.start ?? end) < end) last++;
  return runs.slice(first, last);
}

/** The runs of a line from left to right, each with its characters in the order the font expects. */
function visualRuns({ text, runs, order }: Paragraph, start: number, end: number): { text: string; family: Family }[] {
  const onLine = runsWithin({ runs }, start, end).map(run => ({
    ...run,
    start: Math.max(run.start, start),
    end: Math.min(run.end, end),
  }));
  if (order === null) return onLine.map(run => ({ text: drawn(text.slice(run.start, run.end)), family: run.family }));
  const places = new Map<number, number>();
  for (const [place, index] of bidirectional()
    .getReorderedIndices(text, order, start, end - 1)
    .entries()) {
    places.set(index, place);
  }
  const placeOf = (run: Run) => Math.min(places.get(run.start) ?? 0, places.get(run.end - 1) ?? 0);
  return onLine
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .map(run => ({ text: lettersOf(text, run), family: run.family }));
}

/**
 * The font itself reverses joined glyphs. They are passed in reading order, with their left-to-right digits reversed.
 * All other fonts are set from the left: what is read from the right is turned for them.
 */
function lettersOf(text: string, run: Run): string {
  const isFromRight = run.level % 2 === 1;
  const letters = Array.from(drawn(text.slice(run.start, run.end)), letter =>
    isFromRight ? (bidirectional().getMirroredCharacter(letter) ?? letter) : letter,
  );
  return (isFromRight === (run.family === 'arabic') ? letters : letters.toReversed()).join('');
}

/** Written without blanks, so that a line may end between any two of them (UAX #14, class ID). */
const ideograph =
  /[\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3000-\u303f\uff01-\uff9f]|[\ud840-\ud887][\udc00-\udfff]/u;
/** May not begin a line: closing brackets, full stops, small kana and marks of length (JIS X 4051). */
const noStart =
  /[、。，．・：；？！）］｝〕〉》」』】〙〗〟’”ーゝゞ々ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ,.:;?!)\]}%‰℃]/u;
/** May not end a line: opening brackets and signs before an amount. */
const noEnd = /[（［｛〔〈《「『【〘〖〝‘“([{¥￥$€£]/u;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * The text cut where a line may end: after blanks, after hyphens inside words, between ideographs. Joined, the parts are
 * the text again. It is the part of UAX #14 that invoices need.
 */
function breakable(text: string): string[] {
  const parts: string[] = [];
  for (const word of text.match(/[^ ]*(?: +|$)/g) ?? []) {
    if (word === '') continue;
    if (ideograph.test(word)) parts.push(...breakIdeographs(word));
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

/** Characters as readers count them: marks and joined signs belong to their base character. */
function graphemesOf(text: string): string[] {
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}
