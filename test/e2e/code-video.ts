import { create } from 'qrcode';

const width = 640;
const height = 480;
const frames = 5;
/** Width of the white border, in modules. */
const quietZone = 4;

/** A video of a QR code for Chromium's fake camera (YUV4MPEG2, 4:2:0): a few equal frames. */
export function codeVideo(text: string): Buffer {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const side = modules.size + 2 * quietZone;
  const scale = Math.floor(height / side);
  const luma = Buffer.alloc(width * height, 235);
  const isDark = (x: number, y: number) => {
    const [column, row] = [Math.floor(x / scale) - quietZone, Math.floor(y / scale) - quietZone];
    const isInside = column >= 0 && row >= 0 && column < modules.size && row < modules.size;
    return isInside && modules.get(row, column) === 1;
  };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < side * scale; x++) if (isDark(x, y)) luma[y * width + x] = 16;
  }
  const grey = Buffer.alloc((width * height) / 2, 128);
  const frame = Buffer.concat([Buffer.from('FRAME\n'), luma, grey]);
  const head = Buffer.from(`YUV4MPEG2 W${width} H${height} F5:1 Ip A1:1 C420jpeg\n`);
  return Buffer.concat([head, ...Array.from({ length: frames }, () => frame)]);
}
