/**
 * Draws the SVG on its standard input as PNG on its standard output, in a process that can be killed at any time. It
 * ends itself after the processor seconds given as argument, since its parent may be gone. librsvg loads no files and
 * nothing from the network for a picture without an address.
 */
import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';

/** The largest box a logo is drawn in, at print’s 300 dots an inch. */
const box = { width: 1200, height: 420 };
const svgDotsPerInch = 72;
const options = { limitInputPixels: 32_000_000, failOn: 'error' } as const;

const mostMicroseconds = Number(process.argv[2]) * 1e6;
setInterval(() => {
  const { user, system } = process.cpuUsage();
  // Not in order: that would wait for the thread which draws.
  if (user + system > mostMicroseconds) process.kill(process.pid, 'SIGKILL');
}, 50).unref();

sharp.cache(false);
sharp.concurrency(1);
const svg = await buffer(process.stdin);
const { format, width, height } = await sharp(svg, options).metadata();
if (format !== 'svg') throw new TypeError(`not an SVG but ${format}`);
const scale = Math.min(box.width / width, box.height / height);
const density = Math.min(Math.max(svgDotsPerInch * scale, 1), 2400);
const drawn = sharp(svg, { ...options, density }).resize({ ...box, fit: 'inside' });
process.stdout.write(await drawn.png({ compressionLevel: 9 }).toBuffer());
