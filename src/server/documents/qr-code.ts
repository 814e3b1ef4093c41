import { createRequire } from 'node:module';
import type { QRCode } from 'qrcode';

/** White modules on each side of the code (ISO/IEC 18004). */
const quietZone = 4;
/** Error correction M: up to 15 % of the code may be damaged (ISO/IEC 18004). */
const level = { errorCorrectionLevel: 'M' } as const;
/** Maximum bytes of a code with error correction M (ISO/IEC 18004, version 40). */
const mostBytes = 2331;

type Create = (segments: readonly object[], options: typeof level) => QRCode;

let create: Create | undefined;

/** Loads only the encoder. The package's main file also loads code that writes files or prints to a terminal. */
function encoder(): Create {
  create ??= (createRequire(import.meta.url)('qrcode/lib/core/qrcode.js') as { create: Create }).create;
  return create;
}

/** Whether the text is short enough for a QR code. */
export function fitsQr(text: string): boolean {
  return new TextEncoder().encode(text).length <= mostBytes;
}

/**
 * Encodes the text (UTF-8) as a QR code: horizontal runs of dark modules, without the quiet zone. Throws if the text is
 * too long for `fitsQr`.
 */
export function encodeQr(text: string) {
  const { modules } = encoder()([{ data: new TextEncoder().encode(text), mode: 'byte' }], level);
  const runs: { column: number; row: number; length: number }[] = [];
  for (let row = 0; row < modules.size; row++) {
    for (let column = 0; column < modules.size; column++) {
      const start = column;
      while (column < modules.size && modules.get(row, column)) column++;
      if (column > start) runs.push({ column: start, row, length: column - start });
    }
  }
  return { size: modules.size, runs };
}

/** The text as an SVG QR code, black on white, with its quiet zone. */
export function qrSvg(text: string): string {
  const { size, runs } = encodeQr(text);
  const side = size + 2 * quietZone;
  const path = runs
    .map(({ column, row, length }) => `M${column + quietZone} ${row + quietZone}h${length}v1h-${length}z`)
    .join('');
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">` +
    `<path fill="#fff" d="M0 0h${side}v${side}H0z"/><path d="${path}"/></svg>`
  );
}

let lastDrawn: Promise<unknown> = Promise.resolve();

/**
 * The text as a PNG QR code, centred in `pixels` × `pixels`. Modules are whole pixels. Throws RangeError if a module
 * would be smaller than a pixel. Draws one code at a time, because a large code takes 16 MB of memory.
 */
export async function qrPng(text: string, pixels: number): Promise<Buffer> {
  const mine = lastDrawn.then(() => drawPng(text, pixels));
  lastDrawn = mine.catch(() => undefined);
  return await mine;
}

async function drawPng(text: string, pixels: number): Promise<Buffer> {
  const { size, runs } = encodeQr(text);
  const scale = Math.floor(pixels / (size + 2 * quietZone));
  if (scale < 1) throw new RangeError(`a QR code of ${size} modules does not fit into ${pixels} pixels`);
  const gray = Buffer.alloc(pixels * pixels, 255);
  const margin = Math.floor((pixels - size * scale) / 2);
  for (const { column, row, length } of runs) {
    const from = margin + column * scale;
    for (let y = margin + row * scale; y < margin + (row + 1) * scale; y++) {
      gray.fill(0, y * pixels + from, y * pixels + from + length * scale);
    }
  }
  const { default: sharp } = await import('sharp');
  return await sharp(gray, { raw: { width: pixels, height: pixels, channels: 1 } })
    .toColourspace('b-w')
    .png()
    .toBuffer();
}
