import { parseWebAddress } from '../../../core/web-address.ts';
import { DocumentFonts } from '../fonts/document-fonts.ts';
import type { Family } from '../fonts/font-files.ts';
import { encodeQr } from '../qr-code.ts';
import { pageHeight, pageWidth } from './pdf-file.ts';
import { isShaped, type LetterStyle, type SetLine, TextSetter } from './text-setter.ts';

/** How a text looks; `color` is `#rrggbb`. */
export interface TextStyle extends LetterStyle {
  readonly color: string;
}

export type Align = 'start' | 'end' | 'center';

/** Where a text goes: points from the side at which lines start, and from the top. */
export interface TextBox {
  readonly at: number;
  readonly y: number;
  readonly width: number;
  readonly align?: Align;
}

/** A PNG or JPEG without transparency, with its measures in pixels. */
export interface Picture {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** White at the sides of every page, in points. */
export const margin = 48;
/** Between the margins. */
export const contentWidth = pageWidth - 2 * margin;

/** Line height as a multiple of the font size, and the baseline within it; both leave room for Arabic marks. */
const lineFactor = 1.4;
const baselineFactor = 1.08;

/**
 * Pages to draw on, measured from the side at which lines start, so that one layout serves both directions of writing:
 * `at` is counted from the right where the language is read from there.
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
    this.#fonts = new DocumentFonts(document, locale);
    this.setter = new TextSetter(this.#fonts, direction);
  }

  addPage(): void {
    this.#gather();
    this.document.addPage();
    this.#color = '';
  }

  /** Draws the text and returns the height it took. */
  text(text: string, box: TextBox, style: TextStyle): number {
    return this.lines(this.setter.lines(text, style, box.width), box, style);
  }

  /** Height the text takes in this width. */
  heightOf(text: string, style: LetterStyle, width: number): number {
    return this.setter.lines(text, style, width).length * lineHeight(style);
  }

  /** Draws lines that were set for the same style and returns their height. */
  lines(lines: readonly SetLine[], box: TextBox, style: TextStyle): number {
    const left = this.left(box.at, box.width);
    const height = lineHeight(style);
    for (const [index, line] of lines.entries()) {
      const x = left + (box.width - line.width) * this.#shareBefore(box.align ?? 'start');
      this.#line(line, x, box.y + index * height + style.size * baselineFactor, style);
    }
    return lines.length * height;
  }

  rect(box: { at: number; y: number; width: number; height: number; radius?: number }, color: string): void {
    this.#fill(color);
    this.document.roundedRect(this.left(box.at, box.width), box.y, box.width, box.height, box.radius ?? 0).fill();
  }

  rule(at: number, y: number, width: number, color: string, thickness = 0.6): void {
    this.rect({ at, y, width, height: thickness }, color);
  }

  /** A picture in the corner of the box where lines start, as large as fits; returns its height. */
  picture(picture: Picture, box: { at: number; y: number; width: number; height: number; align?: Align }): number {
    const scale = Math.min(box.width / picture.width, box.height / picture.height);
    const [width, height] = [picture.width * scale, picture.height * scale];
    const x = this.left(box.at, box.width) + (box.width - width) * this.#shareBefore(box.align ?? 'start');
    this.document.image(Buffer.from(picture.bytes), x, box.y, { width, height });
    return height;
  }

  /** The text as a QR code of vectors; `side` leaves the quiet zone to the white around. */
  qrCode(text: string, at: number, y: number, side: number): void {
    const { size, runs } = encodeQr(text);
    this.#fill('#000000');
    this.document.save();
    this.document.translate(this.left(at, side), y).scale(side / size);
    // One drawing in whole numbers: a tenth of the bytes and of the time of as many rectangles.
    this.document.addContent(runs.map(({ column, row, length }) => `${column} ${row} ${length} 1 re`).join('\n'));
    this.document.fill();
    this.document.restore();
  }

  /** Makes an area open a page of the web; of any other address it is left as it is. */
  link(box: { at: number; y: number; width: number; height: number }, address: string): void {
    const url = parseWebAddress(address);
    if (url !== null) this.document.link(this.left(box.at, box.width), box.y, box.width, box.height, url.href);
  }

  /** Points from the left edge of the page to the left end of something that starts `at`. */
  left(at: number, width: number): number {
    return this.direction === 'rtl' ? pageWidth - at - width : at;
  }

  /** Makes a family known to a library that draws for itself: as `name`, and as `name-Bold`. */
  registerPair(name: string, family: Family): void {
    this.#fonts.register(name, family, 'regular');
    this.#fonts.register(`${name}-Bold`, family, 'bold');
  }

  /** Goes back to a page, counted from 0. */
  turnTo(page: number): void {
    this.document.switchToPage(page);
    this.#color = '';
  }

  /** Forgets the colour, which something else has changed. */
  colorChanged(): void {
    this.#color = '';
  }

  /** Joins the page's drawing commands: pdfkit keeps each as an object, many times its size, until the file ends. */
  #gather(): void {
    const { content } = (this.document.page ?? {}) as unknown as { content?: { buffer: Uint8Array[] } };
    if (content) content.buffer = [Buffer.concat(content.buffer)];
  }

  #shareBefore(align: Align): number {
    if (align === 'center') return 0.5;
    return (align === 'start') === (this.direction === 'ltr') ? 0 : 1;
  }

  /** Copying and searching of joined or reordered glyphs gives the text itself (ISO 32000-1, 14.9.4). */
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

/** Height of a line in points. */
export function lineHeight(style: LetterStyle): number {
  return style.size * lineFactor;
}

/** The lowest point of a page's content: below it stands what is on every page. */
export const contentBottom = pageHeight - 64;
