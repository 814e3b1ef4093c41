import { create } from 'qrcode';

/** A QR code as one SVG path of modules of 1 × 1; `size` is the side of the picture, quiet zone included. */
export interface QrDrawing {
  readonly path: string;
  readonly size: number;
}

/** Modules of white that every reader may count on round the code (ISO/IEC 18004). */
const quietZone = 4;

/** Draws a QR code of error correction level M, as EPC069-12 asks. */
export function drawQrCode(text: string): QrDrawing {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  let path = '';
  for (let row = 0; row < modules.size; row++) {
    for (let column = 0; column < modules.size; column++) {
      if (modules.get(row, column)) path += `M${column + quietZone} ${row + quietZone}h1v1h-1z`;
    }
  }
  return { path, size: modules.size + 2 * quietZone };
}
