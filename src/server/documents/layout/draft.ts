import { dateText, moneyText, numberText, percentText } from '../../../core/locale/locale-format.ts';
import type { StringTables } from '../../../core/locale/string-areas.ts';
import type { BrandColors } from './brand-color.ts';
import { pageWidth } from './pdf-file.ts';
import { contentBottom, contentWidth, margin, type Sheet, type TextStyle } from './sheet.ts';

export type DocumentStrings = StringTables['document'];

/** Colours of text and lines that no brand changes. */
export const shades = { ink: '#10151d', second: '#4c5665', third: '#687282', line: '#dfe3e9', warn: '#8a5300' };

/** How the texts of documents look. */
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

/** What a draft needs to know of what it writes. */
export interface DraftOptions {
  readonly sheet: Sheet;
  readonly strings: DocumentStrings;
  readonly colors: BrandColors;
  readonly locale: string;
  readonly currency: string;
  /** Stands on top of each further page. */
  readonly runningTitle: string;
}

/** A document while it is written: where the next thing goes, and how its figures and dates are put. */
export class Draft implements DraftOptions {
  readonly sheet: Sheet;
  readonly strings: DocumentStrings;
  readonly colors: BrandColors;
  readonly locale: string;
  readonly currency: string;
  readonly runningTitle: string;
  /** Points from the top of the page to the next element. */
  y = 0;
  /** Where the pages' content must end that has not the usual bottom: page number, counted from 0, to points from the top. */
  readonly bottoms = new Map<number, number>();
  pages = 0;

  constructor(options: DraftOptions) {
    this.sheet = options.sheet;
    this.strings = options.strings;
    this.colors = options.colors;
    this.locale = options.locale;
    this.currency = options.currency;
    this.runningTitle = options.runningTitle;
  }

  money(amount: bigint, currency = this.currency): string {
    return moneyText(amount, currency, this.locale);
  }

  /** The day in words; a day that is not known is left out. */
  date(date: string): string {
    return date === '' ? '' : dateText(date, this.locale);
  }

  percent(percent: string): string {
    return percentText(percent, this.locale);
  }

  number(number: string): string {
    return numberText(number, this.locale);
  }

  /** Begins a page; each but the first says what it belongs to. */
  addPage(): void {
    const isFirst = this.pages === 0;
    this.sheet.addPage();
    this.pages++;
    this.sheet.rect({ at: 0, y: 0, width: pageWidth, height: isFirst ? 7 : 3 }, this.colors.accent);
    this.y = isFirst ? margin : 34;
    if (isFirst) return;
    this.write(this.runningTitle, styles.label);
    this.y += 10;
  }

  /** Whether this many points are left on the page. */
  hasRoom(height: number): boolean {
    return this.y + height <= contentBottom;
  }

  /** Begins a page unless this many points are left on this one. */
  makeRoom(height: number): void {
    if (!this.hasRoom(height)) this.addPage();
  }

  /** Writes the text over the whole width, on as many pages as it takes. */
  write(text: string, style: TextStyle): void {
    for (const line of this.sheet.setter.lines(text, style, contentWidth)) {
      this.makeRoom(style.size * 1.4);
      this.y += this.sheet.lines([line], { at: margin, y: this.y, width: contentWidth }, style);
    }
  }
}
