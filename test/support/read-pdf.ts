import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { type Canvas, createCanvas } from '@napi-rs/canvas';
import jsqr from 'jsqr';
import { getDocument, type PDFDocumentProxy, type PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { picturesAreKept } from './picture.ts';

/** The folder for pictures of documents, for manual checks. See `picture.ts`. */
const pictures = join(import.meta.dirname, '../../test-results/documents');

/** The content of a PDF. */
export interface ReadPdf {
  /** The text of each page. Each line ends with `\n`. */
  readonly pages: readonly string[];
  /** URLs of the links. */
  readonly links: readonly string[];
  readonly attachments: Readonly<Record<string, string>>;
  readonly metadata: string;
  readonly title: string;
}

/** Reads the file with a library that is not the one that wrote it. Throws for an invalid file. */
export async function readPdf(bytes: Uint8Array): Promise<ReadPdf> {
  return await withDocument(bytes, async document => {
    const pages = await pagesOf(document);
    const annotations = (await Promise.all(pages.map(page => page.getAnnotations()))).flat();
    const attached = (await document.getAttachments())?.keys() ?? [];
    const attachments = await Promise.all(
      Array.from(attached, async name => [name, await attachmentOf(document, name)] as const),
    );
    const { info, metadata } = await document.getMetadata();
    return {
      pages: await Promise.all(pages.map(textOf)),
      links: annotations.map(annotation => String(annotation.url ?? annotation.unsafeUrl)),
      attachments: Object.fromEntries(attachments),
      metadata: metadata?.getRaw() ?? '',
      title: String((info as { Title?: unknown }).Title),
    };
  });
}

/** The number of pages, counted by the reading library. Throws for an invalid file. */
export async function countPages(bytes: Uint8Array): Promise<number> {
  return await withDocument(bytes, async document => document.numPages);
}

/** Saves pictures of the pages in the test results. `scale`: pixels per point. */
export async function picturePdf(bytes: Uint8Array, name: string, scale = 2): Promise<void> {
  if (!picturesAreKept) return;
  await withDocument(bytes, async document => {
    for (const page of await pagesOf(document)) await writePicture(await canvasOf(page, scale), name, page.pageNumber);
  });
}

/** The colours (`#rrggbb`) with at least 300 pixels on the first page. */
export async function colorsOf(bytes: Uint8Array): Promise<string[]> {
  return await withDocument(bytes, async document => {
    const canvas = await canvasOf(await document.getPage(1), 1);
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const counts = new Map<string, number>();
    for (let at = 0; at < data.length; at += 4) {
      const color = `#${Buffer.from(data.subarray(at, at + 3)).toString('hex')}`;
      counts.set(color, (counts.get(color) ?? 0) + 1);
    }
    return [...counts].flatMap(([color, count]) => (count >= 300 ? [color] : []));
  });
}

/**
 * The texts of the QR codes on the pages. Two codes side by side confuse the reader, so it also reads each half of a
 * page. With a name, saves the pages like `picturePdf`.
 */
export async function codesIn(bytes: Uint8Array, name?: string, scale = 2): Promise<string[]> {
  return await withDocument(bytes, async document => {
    const codes = new Set<string>();
    for (const page of await pagesOf(document)) {
      const canvas = await canvasOf(page, scale);
      if (name !== undefined && picturesAreKept) await writePicture(canvas, name, page.pageNumber);
      const half = Math.floor(canvas.width / 2);
      for (const [x, width] of [
        [0, canvas.width],
        [0, half],
        [half, half],
      ] as const) {
        const { data, height } = canvas.getContext('2d').getImageData(x, 0, width, canvas.height);
        // The codes are dark on light. A search for light codes on dark would double the time.
        const options = { inversionAttempts: 'dontInvert' } as const;
        const code = jsqr.default(new Uint8ClampedArray(data), width, height, options);
        if (code !== null) codes.add(code.data);
      }
    }
    return [...codes];
  });
}

/** The ActualText of letters that join or change their order. Readers copy this text. */
export function readingTexts(bytes: Buffer): string[] {
  return streamsOf(bytes).flatMap(stream =>
    [...stream.matchAll(/\/ActualText \(((?:\\[\s\S]|[^\\)])*)\)/g)].map(([, text = '']) => {
      const plain = Buffer.from(unescaped(text), 'latin1');
      return plain[0] === 0xfe && plain[1] === 0xff
        ? plain.subarray(2).swap16().toString('utf16le')
        : plain.toString('latin1');
    }),
  );
}

/** All compressed streams of the file, decompressed. */
export function streamsOf(bytes: Buffer): string[] {
  const streams: string[] = [];
  for (let at = bytes.indexOf('\nstream\n'); at >= 0; at = bytes.indexOf('\nstream\n', at)) {
    at += '\nstream\n'.length;
    const end = bytes.indexOf('\nendstream', at);
    try {
      streams.push(inflateSync(bytes.subarray(at, end)).toString('latin1'));
    } catch {
      // The stream is not compressed.
    }
    at = end;
  }
  return streams;
}

function unescaped(text: string): string {
  const named: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
  return text.replace(/\\([\s\S])/g, (_, character: string) => named[character] ?? character);
}

async function writePicture(canvas: Canvas, name: string, page: number): Promise<void> {
  await mkdir(pictures, { recursive: true });
  await writeFile(join(pictures, `${name}-${page}.png`), await canvas.encode('png'));
}

async function canvasOf(page: PDFPageProxy, scale: number): Promise<Canvas> {
  const viewport = page.getViewport({ scale });
  const canvas = createCanvas(viewport.width, viewport.height);
  await page.render({ canvas: canvas as never, canvasContext: canvas.getContext('2d') as never, viewport }).promise;
  return canvas;
}

async function withDocument<T>(bytes: Uint8Array, work: (document: PDFDocumentProxy) => Promise<T>): Promise<T> {
  const task = getDocument({
    data: Uint8Array.from(bytes),
    verbosity: 0,
    useSystemFonts: false,
    disableFontFace: true,
  });
  try {
    return await work(await task.promise);
  } finally {
    await task.destroy();
  }
}

async function attachmentOf(document: PDFDocumentProxy, id: string): Promise<string> {
  const content = (await document.getAttachmentContent(id)) as unknown;
  return Buffer.from(content as Uint8Array).toString();
}

async function pagesOf(document: PDFDocumentProxy): Promise<PDFPageProxy[]> {
  return await Promise.all(Array.from({ length: document.numPages }, (_, index) => document.getPage(index + 1)));
}

async function textOf(page: PDFPageProxy): Promise<string> {
  const { items } = await page.getTextContent();
  return items.map(item => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('');
}
