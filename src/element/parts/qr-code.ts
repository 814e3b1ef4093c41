import { create } from 'qrcode';

/** A QR code as one SVG path of modules of 1 × 1; `size` is the side of the picture, quiet zone included. */
export interface QrDrawing {
  readonly path: string;
  readonly size: number;
}

/** How much of a code may be lost (ISO/IEC 18004): L 7 %, M 15 %. */
export type QrErrorCorrection = 'L' | 'M';

/** Modules of white that every reader may count on round the code (ISO/IEC 18004). */
const quietZone = 4;

/** Draws a text as a QR code of bytes (UTF-8). */
export function drawQrCode(text: string, errorCorrectionLevel: QrErrorCorrection): QrDrawing {
  const { modules } = create([{ data: new TextEncoder().encode(text), mode: 'byte' }], { errorCorrectionLevel });
  let path = '';
  for (let row = 0; row < modules.size; row++) {
    for (let column = 0; column < modules.size; column++) {
      const start = column;
      while (column < modules.size && modules.get(row, column)) column++;
      const run = column - start;
      if (run) path += `M${start + quietZone} ${row + quietZone}h${run}v1h-${run}z`;
    }
  }
  return { path, size: modules.size + 2 * quietZone };
}
