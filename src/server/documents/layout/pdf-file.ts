import PDFDocument from 'pdfkit';

/** What a file says of itself. */
export interface FileNotes {
  readonly title: string;
  readonly author: string;
  readonly locale: string;
  /** Stands in the file as its date, so that the same document drawn again is the same file. */
  readonly date: Date;
}

/** Text that pdfkit copies into the metadata's XML as it is, and into the file's information as a string. */
class NotedText extends String {
  override toString(): string {
    return escapeMarkup(this.valueOf());
  }
}

/** A4, in points. */
export const pageWidth = 595.28;
export const pageHeight = 841.89;

/**
 * A new document of A4 pages: PDF/A-3b (ISO 19005-3), so it carries its fonts and its colour profile, and no script.
 * Pages are kept until the end, since each says how many there are.
 */
export function openFile({ title, author, locale, date }: FileNotes): PDFKit.PDFDocument {
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
    info: {
      Title: noted(title),
      Author: noted(author),
      Creator: 'pay-checkout',
      CreationDate: date,
      ModDate: date,
    },
  });
}

/** The finished file. */
export async function closeFile(document: PDFKit.PDFDocument): Promise<Buffer> {
  const chunks: Buffer[] = [];
  document.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => {
    document.on('end', resolve);
    document.on('error', reject);
  });
  document.end();
  await ended;
  return Buffer.concat(chunks);
}

/** Markup's own characters, and those no XML document may have, made harmless. */
export function escapeMarkup(text: string): string {
  return text
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}

function noted(text: string): string {
  return new NotedText(text) as unknown as string;
}
