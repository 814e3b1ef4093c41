/**
 * Draws the SVG from standard input as PNG to standard output. The argument is the limit of processor seconds. At the
 * limit, the process ends itself, because its parent may no longer run. librsvg loads no files or URLs for an SVG that
 * comes from memory.
 */
import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';

/** The largest size of the PNG, in pixels. */
const box = { width: 1200, height: 420 };
const svgDotsPerInch = 72;
const options = { limitInputPixels: 32_000_000, failOn: 'error' } as const;

const mostMicroseconds = Number(process.argv[2]) * 1e6;
setInterval(() => {
  const { user, system } = process.cpuUsage();
  // A regular exit would wait for the drawing thread.
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
