import { createHash } from 'node:crypto';
import { serialize } from 'node:v8';
import { createCache } from '../../../core/cache.ts';
import type { Picture } from '../layout/sheet.ts';
import type { DrawingOrder } from './drawing.ts';
import { type DrawingJob, drawInProcess, type Rank, withdraw } from './drawing-pool.ts';

/** A caller that waits for a document: its rank in the queue, and a signal that aborts when the caller leaves. */
export interface DrawingReader {
  /** Default: `seller`. */
  readonly rank?: Rank;
  readonly signal?: AbortSignal;
}

/** A document in the queue or in a drawing process. */
interface Drawing {
  readonly job: DrawingJob;
  readonly result: Promise<Buffer>;
  /** Number of waiting callers. */
  readers: number;
}

const underWay = new Map<string, Drawing>();

/**
 * Draws a document once for concurrent callers, and caches it for up to ten minutes. The order contains all input, so
 * the cache never returns an outdated document. Rejects with DrawingError, with PayError `unavailable` if too many jobs
 * wait, or with the signal's reason.
 */
export async function drawOnce(
  order: DrawingOrder,
  logo: Uint8Array | null,
  { rank = 'seller', signal }: DrawingReader,
): Promise<Buffer> {
  signal?.throwIfAborted();
  const key = createHash('sha256')
    .update(serialize([order, logo]))
    .digest('base64');
  const drawn = recallDrawn(key);
  if (drawn !== null) return drawn;
  const prepare = async () => ({ order, logo: logo && (await preparePicture(logo)) });
  const drawing = underWay.get(key) ?? begin(key, rank, prepare);
  if (rank === 'seller') drawing.job.rank = rank;
  return await wait(key, drawing, signal);
}

function begin(key: string, rank: Rank, prepare: DrawingJob['prepare']): Drawing {
  const { promise: result, resolve, reject } = Promise.withResolvers<Buffer>();
  const job: DrawingJob = { rank, prepare, isRepeated: false, resolve, reject };
  drawInProcess(job);
  const drawing = { job, result, readers: 0 };
  underWay.set(key, drawing);
  const keep = (bytes: Buffer) => {
    underWay.delete(key);
    keepDrawn(key, bytes);
  };
  result.then(keep, () => underWay.delete(key));
  return drawing;
}

/** Waits for the document until the caller leaves. When the last caller leaves, removes a job that has not begun. */
async function wait(key: string, drawing: Drawing, signal: AbortSignal | undefined): Promise<Buffer> {
  const left = Promise.withResolvers<never>();
  const leave = () => {
    drawing.readers--;
    if (drawing.readers === 0 && withdraw(drawing.job)) underWay.delete(key);
    left.reject(signal?.reason);
  };
  drawing.readers++;
  signal?.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([drawing.result, left.promise]);
  } finally {
    signal?.removeEventListener('abort', leave);
  }
}

/** Limits of the cache: total bytes, and milliseconds of a document. */
const mostBytes = 8_000_000;
const keptMs = 600_000;

const kept = new Map<string, Buffer>();
let keptBytes = 0;

function recallDrawn(key: string): Buffer | null {
  const bytes = kept.get(key);
  if (bytes === undefined) return null;
  // Moves the document to the end of the map, because documents are removed from the start of the map.
  kept.delete(key);
  kept.set(key, bytes);
  return bytes;
}

function keepDrawn(key: string, bytes: Buffer): void {
  if (bytes.length > mostBytes) return;
  forget(key);
  kept.set(key, bytes);
  keptBytes += bytes.length;
  setTimeout(() => kept.get(key) === bytes && forget(key), keptMs).unref();
  for (const oldest of kept.keys()) {
    if (keptBytes <= mostBytes) return;
    forget(oldest);
  }
}

function forget(key: string): void {
  keptBytes -= kept.get(key)?.length ?? 0;
  kept.delete(key);
}

/** Formats of logos. The library `sharp` could also read other formats, such as SVG and PDF. */
const formats: readonly string[] = ['png', 'jpeg', 'webp'];
/** The largest size of a logo, in pixels at 300 dots per inch. */
const box = { width: 1200, height: 420 };
const mostLogoBytes = 2_000_000;
const mostPixels = 32_000_000;

const logos = createCache<Promise<Picture | null>>(8);

/** The logo for embedding: on white, upright, not larger than printed. Null if the picture is unusable. */
export async function preparePicture(bytes: Uint8Array): Promise<Picture | null> {
  if (bytes.length > mostLogoBytes) return null;
  const key = createHash('sha256').update(bytes).digest('base64');
  return await logos(key, () => raster(bytes).catch(() => null));
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
