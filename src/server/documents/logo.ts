import { createHash } from 'node:crypto';
import type { Picture } from './sheet.ts';

/** What is taken for a picture, as accounts keep them; others that the library reads are refused, SVG and PDF among them. */
const formats: readonly string[] = ['png', 'jpeg', 'webp'];
/** The largest box a logo is drawn in, at print’s 300 dots an inch. */
const box = { width: 1200, height: 420 };
const mostBytes = 2_000_000;
const mostPixels = 32_000_000;
const mostKept = 8;

const kept = new Map<string, Picture | null>();

/**
 * The picture as documents carry it: on white, upright, no larger than is printed. Null for what is no picture; a
 * document then bears the name alone.
 */
export async function preparePicture(bytes: Uint8Array): Promise<Picture | null> {
  const key = createHash('sha256').update(bytes).digest('hex');
  const known = kept.get(key);
  if (known !== undefined) return known;
  const picture = bytes.length > mostBytes ? null : await raster(bytes).catch(() => null);
  const oldest = kept.keys().next();
  if (kept.size >= mostKept && !oldest.done) kept.delete(oldest.value);
  kept.set(key, picture);
  return picture;
}

async function raster(bytes: Uint8Array): Promise<Picture | null> {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  const options = { limitInputPixels: mostPixels, failOn: 'error' } as const;
  const { format } = await sharp(bytes, options).metadata();
  if (format === undefined || !formats.includes(format)) return null;
  const upright = sharp(bytes, options)
    .autoOrient()
    .resize({ ...box, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb');
  const written = format === 'jpeg' ? upright.jpeg({ quality: 90 }) : upright.png({ compressionLevel: 9 });
  const { data, info } = await written.toBuffer({ resolveWithObject: true });
  return { bytes: new Uint8Array(data), width: info.width, height: info.height };
}
