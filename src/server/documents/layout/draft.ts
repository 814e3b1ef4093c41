import { buffer } from 'node:stream/consumers';
import { contrast, inkOn } from '../../../core/contrast.ts';
import { printedLocale } from '../../../core/locale/locale.ts';
import { dateText, moneyText, numberText, percentText } from '../../../core/locale/locale-format.ts';
import type { StringTables } from '../../../core/locale/string-areas.ts';
import {
  contentBottom,
  contentWidth,
  lineHeight,
  margin,
  openFile,
  type Picture,
  pageWidth,
  Sheet,
  type TextStyle,
} from './sheet.ts';

export type DocumentStrings = StringTables['document'];

/** Colours of text and lines that do not depend on the brand. */
export const shades = { ink: '#10151d', second: '#4c5665', third: '#687282', line: '#dfe3e9', warn: '#8a5300' };

/** Text styles of documents. */
export const styles = {
  title: { weight: 'bold', size: 24, color: shades.ink },
  name: { weight: 'bold', size: 16, color: shades.ink },
  figure: { weight: 'bold', size: 20, color: shades.ink },
  heading: { weight: 'bold', size: 10.5, color: shades.ink },
  strong: { weight: 'bold', size: 9, color: shades.ink },
  body: { weight: 'regular', size: 9, color: shades.ink },
  second: { weight: 'regular', size: 9, color: shades.second },
  label: { weight: 'regular', size: 8, color: shades.third },
  small: { weight: 'regular', size: 7.5, color: shades.third },
  warn: { weight: 'bold', size: 8, color: shades.warn },
} as const satisfies Readonly<Record<string, TextStyle>>;

/** Language and logo of a document. */
export interface DrawingMeans {
  readonly strings: DocumentStrings;
  readonly direction: 'ltr' | 'rtl';
  readonly logo: Picture | null;
}

/** Title, seller and format of a document. */
export interface DraftOptions {
  readonly title: string;
  /** The seller's name. */
  readonly name: string;
  /** The seller's colour, `#rrggbb`. */
  readonly primaryColor: string | null;
  readonly locale: string;
  readonly currency: string;
  /** `YYYY-MM-DD`. Null for a document without a date, so that its file is the same on every day. */
  readonly date: string | null;
}

/** A document in progress: its sheet, the position of the next element, and the formats of amounts and dates. */
export class Draft {
  readonly sheet: Sheet;
  readonly strings: DocumentStrings;
  readonly colors: ReturnType<typeof brandColors>;
  readonly locale: string;
  readonly logo: Picture | null;
  /** Points from the top of the page to the next element. */
  y = 0;
  /** The lowest content of pages that end above the usual bottom, by page number from 0. In points from the top. */
  readonly bottoms = new Map<number, number>();
  pages = 0;
  readonly #currency: string;
  readonly #runningTitle: string;

  constructor({ title, name, primaryColor, locale, currency, date }: DraftOptions, means: DrawingMeans) {
    const day = new Date(`${date ?? '2000-01-01'}T00:00:00Z`);
    const document = openFile({ title: `${title} · ${name}`, author: name, locale: printedLocale(locale), date: day });
    this.sheet = new Sheet(document, locale, means.direction);
    this.strings = means.strings;
    this.logo = means.logo;
    this.colors = brandColors(primaryColor);
    this.locale = locale;
    this.#currency = currency;
    this.#runningTitle = `${name} · ${title}`;
  }

  money(amount: bigint, currency = this.#currency): string {
    return moneyText(amount, currency, this.locale);
  }

  /** The day in words. Empty for an unknown (empty) day. */
  date(date: string): string {
    return date === '' ? '' : dateText(date, this.locale);
  }

  percent(percent: string): string {
    return percentText(percent, this.locale);
  }

  number(number: string): string {
    return numberText(number, this.locale);
  }

  /** Begins a page. Every page after the first repeats the title. */
  addPage(): void {
    const isFirst = this.pages === 0;
    this.sheet.addPage();
    this.pages++;
    this.sheet.rect({ at: 0, y: 0, width: pageWidth, height: isFirst ? 7 : 3 }, this.colors.accent);
    this.y = isFirst ? margin : 34;
    if (isFirst) return;
    this.write(this.#runningTitle, styles.label);
    this.y += 10;
  }

  /** Whether this many points are free on the page. */
  hasRoom(height: number): boolean {
    return this.y + height <= contentBottom;
  }

  /** Begins a page unless this many points are free on this page. */
  makeRoom(height: number): void {
    if (!this.hasRoom(height)) this.addPage();
  }

  /** Writes the text over the whole width, on several pages if needed. */
  write(text: string, style: TextStyle): void {
    for (const line of this.sheet.setter.lines(text, style, contentWidth)) {
      this.makeRoom(lineHeight(style));
      this.y += this.sheet.lines([line], { at: margin, y: this.y, width: contentWidth }, style);
    }
  }

  /** The finished file. */
  async close(): Promise<Buffer> {
    const bytes = buffer(this.sheet.document);
    this.sheet.document.end();
    return await bytes;
  }
}

const defaultAccent = '#2f5bea';
/** Minimum contrast of normal text (WCAG 2.2, 1.4.3). */
const readable = 4.5;

type Rgb = readonly [number, number, number];
const white: Rgb = [255, 255, 255];
const black: Rgb = [0, 0, 0];

/** The seller's colour and the colours derived from it, all `#rrggbb`. */
function brandColors(primary: string | null) {
  const accent = primary !== null && /^#[0-9a-f]{6}$/i.test(primary) ? primary.toLowerCase() : defaultAccent;
  const value = Number.parseInt(accent.slice(1), 16);
  const rgb: Rgb = [value >> 16, (value >> 8) & 255, value & 255];
  return {
    /** The colour of filled areas. */
    accent,
    /** The colour of text on the accent. */
    onAccent: inkOn(accent),
    /** The colour of text on white. */
    ink: hex(darkened(rgb)),
    /** The colour of areas behind text. */
    soft: hex(mixed(rgb, white, 0.93)),
  };
}

function hex(rgb: Rgb): string {
  return `#${rgb.map(part => Math.trunc(part).toString(16).padStart(2, '0')).join('')}`;
}

function mixed(from: Rgb, to: Rgb, share: number): Rgb {
  const part = (index: 0 | 1 | 2) => from[index] + (to[index] - from[index]) * share;
  return [part(0), part(1), part(2)];
}

function darkened(rgb: Rgb): Rgb {
  for (let share = 0; share < 1; share += 0.05) {
    const color = mixed(rgb, black, share);
    if (contrast(hex(color), '#ffffff') >= readable) return color;
  }
  return black;
}
