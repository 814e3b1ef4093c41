import PDFDocument from 'pdfkit';
import { parseWebAddress } from '../../../core/web-address.ts';
import { escapeMarkup } from '../e-invoice/xml-writer.ts';
import { DocumentFonts } from '../fonts/document-fonts.ts';
import type { Family } from '../fonts/font-files.ts';
import { encodeQr } from '../qr-code.ts';
import { isShaped, type LetterStyle, type SetLine, TextSetter } from './text-setter.ts';

/** The look of a text. `color` is `#rrggbb`. */
export interface TextStyle extends LetterStyle {
  readonly color: string;
}

/** The area of a text. `at` counts points from the side where lines start, `y` from the top. */
export interface TextBox {
  readonly at: number;
  readonly y: number;
  readonly width: number;
  readonly align?: 'start' | 'end' | 'center';
}

interface Box extends TextBox {
  readonly height: number;
}

/** A PNG or JPEG without transparency, with its size in pixels. */
export interface Picture {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** A4, in points. */
export const pageWidth = 595.28;
export const pageHeight = 841.89;
/** Margin of every page, in points. */
export const margin = 48;
export const contentWidth = pageWidth - 2 * margin;
/** The lowest position of content on a page, in points from the top. */
export const contentBottom = pageHeight - 64;

interface Metadata {
  readonly title: string;
  readonly author: string;
  readonly locale: string;
  /** Creation date in the file. It is not the current time, so that equal documents give equal files. */
  readonly date: Date;
}

/** A text for the file information. pdfkit escapes it in the XML metadata but not in the file information. */
class NotedText extends String {
  override toString(): string {
    return escapeMarkup(this.valueOf());
  }
}

/**
 * Opens a PDF/A-3b document (ISO 19005-3) with A4 pages, embedded fonts and a colour profile. Pages stay open until the
 * end, because each page shows the number of pages.
 */
export function openFile({ title, author, locale, date }: Metadata): PDFKit.PDFDocument {
  const noted = (text: string) => new NotedText(text) as unknown as string;
  return new PDFDocument({
    size: [pageWidth, pageHeight],
    margin: 0,
    font: null as unknown as string,
    pdfVersion: '1.7',
    subset: 'PDF/A-3b',
    lang: locale,
    displayTitle: true,
    bufferPages: true,
    autoFirstPage: false,
    info: { Title: noted(title), Author: noted(author), Creator: 'pay-checkout', CreationDate: date, ModDate: date },
  });
}

/** Line height and baseline as multiples of the font size. Both leave room for Arabic marks. */
const lineFactor = 1.4;
const baselineFactor = 1.08;

/**
 * Draws on pages. Positions count from the side where lines start, so one layout serves both writing directions. In
 * Arabic, `at` counts from the right side.
 */
export class Sheet {
  readonly document: PDFKit.PDFDocument;
  readonly setter: TextSetter;
  readonly direction: 'ltr' | 'rtl';
  readonly #fonts: DocumentFonts;
  #color = '';

  constructor(document: PDFKit.PDFDocument, locale: string, direction: 'ltr' | 'rtl') {
    this.document = document;
    this.direction = direction;
    this.#fonts = new DocumentFonts(document);
    this.setter = new TextSetter(this.#fonts, locale, direction);
  }

  addPage(): void {
    this.#joinCommands();
    this.document.addPage();
    this.#color = '';
  }

  /** Draws the text and returns its height. */
  text(text: string, box: TextBox, style: TextStyle): number {
    return this.lines(this.setter.lines(text, style, box.width), box, style);
  }

  /** Height of the text in this width. */
  heightOf(text: string, style: LetterStyle, width: number): number {
    return this.setter.lines(text, style, width).length * lineHeight(style);
  }

  /** Draws lines that were set in the same style, and returns their height. */
  lines(lines: readonly SetLine[], box: TextBox, style: TextStyle): number {
    const height = lineHeight(style);
    for (const [index, line] of lines.entries()) {
      const baseline = box.y + index * height + style.size * baselineFactor;
      this.#line(line, this.#aligned(box, line.width), baseline, style);
    }
    return lines.length * height;
  }

  /** Fills a rectangle. `radius` rounds its corners. */
  rect({ at, y, width, height, radius = 0 }: Box & { readonly radius?: number }, color: string): void {
    this.#fill(color);
    this.document.roundedRect(this.#left(at, width), y, width, height, radius).fill();
  }

  /** Draws a horizontal line. */
  rule(at: number, y: number, width: number, color: string, thickness = 0.6): void {
    this.rect({ at, y, width, height: thickness }, color);
  }

  /** Draws a picture in the largest size that the box allows, and returns its height. */
  picture(picture: Picture, box: Box): number {
    const scale = Math.min(box.width / picture.width, box.height / picture.height);
    const [width, height] = [picture.width * scale, picture.height * scale];
    this.document.image(Buffer.from(picture.bytes), this.#aligned(box, width), box.y, { width, height });
    return height;
  }

  /** Draws the text as a vector QR code. The quiet zone is outside of `side`. */
  qrCode(text: string, at: number, y: number, side: number): void {
    const { size, runs } = encodeQr(text);
    this.#fill('#000000');
    this.document.save();
    this.document.translate(this.#left(at, side), y).scale(side / size);
    // One path in whole numbers takes a tenth of the bytes and the time of separate rectangles.
    this.document.addContent(runs.map(({ column, row, length }) => `${column} ${row} ${length} 1 re`).join('\n'));
    this.document.fill();
    this.document.restore();
  }

  /** Links an area to a web page. Ignores other URLs. */
  link({ at, y, width, height }: Box, address: string): void {
    const url = parseWebAddress(address);
    if (url !== null) this.document.link(this.#left(at, width), y, width, height, url.href);
  }

  /** Registers a family as `name` and `name-Bold`, for a library that draws with pdfkit itself. */
  registerPair(name: string, family: Family): void {
    this.#fonts.register(name, family, 'regular');
    this.#fonts.register(`${name}-Bold`, family, 'bold');
  }

  /** Returns to a page, counted from 0. */
  turnTo(page: number): void {
    this.document.switchToPage(page);
    this.#color = '';
  }

  /** Call this after other code has changed the colour. */
  colorChanged(): void {
    this.#color = '';
  }

  /** Joins the page's drawing commands. pdfkit keeps each command until the end, as an object many times its size. */
  #joinCommands(): void {
    const { content } = (this.document.page ?? {}) as unknown as { content?: { buffer: Uint8Array[] } };
    if (content) content.buffer = [Buffer.concat(content.buffer)];
  }

  /** Points from the left edge of the page to the left end of an area. */
  #left(at: number, width: number): number {
    return this.direction === 'rtl' ? pageWidth - at - width : at;
  }

  /** Points from the left edge of the page to aligned content in the box. */
  #aligned({ at, width, align = 'start' }: TextBox, contentWidth: number): number {
    const isLeft = (align === 'start') === (this.direction === 'ltr');
    const share = align === 'center' ? 0.5 : isLeft ? 0 : 1;
    return this.#left(at, width) + (width - contentWidth) * share;
  }

  /** Copying and searching use `reading` for joined or reordered glyphs (ISO 32000-1, 14.9.4). */
  #line({ pieces, reading }: SetLine, x: number, baseline: number, style: TextStyle): void {
    this.#fill(style.color);
    if (reading !== null) this.document.markContent('Span', { actual: reading });
    for (const piece of pieces) {
      this.#fonts.use(piece.face, style.size).text(piece.text, x + piece.x, baseline, {
        lineBreak: false,
        baseline: 'alphabetic',
        ...(isShaped(piece.face) && { features: [] }),
      });
    }
    if (reading !== null) this.document.endMarkedContent();
  }

  #fill(color: string): void {
    if (this.#color === color) return;
    this.document.fillColor(color);
    this.#color = color;
  }
}

/** Height of a line of the style, in points. */
export function lineHeight(style: LetterStyle): number {
  return style.size * lineFactor;
}
