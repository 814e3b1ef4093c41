import { create } from 'qrcode';

/** A QR code as one SVG path with modules of 1 × 1. `size` is the side length including the quiet zone. */
export interface QrDrawing {
  readonly path: string;
  readonly size: number;
}

/** Error correction level (ISO/IEC 18004): L restores 7 % of a code, M 15 %. */
export type QrErrorCorrection = 'L' | 'M';

/** Width of the white border that ISO/IEC 18004 requires, in modules. */
const quietZone = 4;

/** Draws the text as a QR code in byte mode (UTF-8). */
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
