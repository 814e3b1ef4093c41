import { createHash } from 'node:crypto';
import { serialize } from 'node:v8';
import type { DrawingOrder, DrawingRequest } from './drawing.ts';
import { drawInProcess } from './drawing-pool.ts';
import { type DrawingJob, type Rank, withdraw } from './drawing-queue.ts';
import { keepDrawn, recallDrawn } from './drawn-memory.ts';
import { preparePicture } from './logo.ts';

/** For whom a document is drawn, and how to tell that nobody waits for it any more. */
export interface DrawingWish {
  /** Default: `seller`. */
  readonly rank?: Rank;
  readonly signal?: AbortSignal;
}

/** A document under way, or waiting to be. */
interface Drawing {
  readonly job: DrawingJob;
  readonly result: Promise<Buffer>;
  /** How many want it. */
  readers: number;
}

const underWay = new Map<string, Drawing>();

/**
 * Draws a document once, however many ask for it at the same time and soon after. All that is drawn is in the order, and
 * the same order gives the same bytes, so nothing that changed is ever answered with what was before. Rejects with
 * DrawingError, with PayError `unavailable` when too many wait, and with the signal's reason.
 */
export async function drawOnce(
  order: DrawingOrder,
  logo: Uint8Array | null,
  { rank = 'seller', signal }: DrawingWish,
): Promise<Buffer> {
  signal?.throwIfAborted();
  const key = createHash('sha256')
    .update(serialize([order, logo]))
    .digest('base64');
  const drawn = recallDrawn(key);
  if (drawn !== null) return drawn;
  const drawing = underWay.get(key) ?? begin(key, rank, () => ready(order, logo));
  if (rank === 'seller') drawing.job.rank = rank;
  return await wait(key, drawing, signal);
}

async function ready(order: DrawingOrder, logo: Uint8Array | null): Promise<DrawingRequest> {
  return { order, logo: logo === null ? null : await preparePicture(logo) };
}

function begin(key: string, rank: Rank, prepare: DrawingJob['prepare']): Drawing {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const job: DrawingJob = {
    rank,
    prepare,
    isRepeated: false,
    resolve: bytes => {
      underWay.delete(key);
      keepDrawn(key, bytes);
      resolve(bytes);
    },
    reject: error => {
      underWay.delete(key);
      reject(error);
    },
  };
  const drawing = { job, result: promise, readers: 0 };
  underWay.set(key, drawing);
  try {
    drawInProcess(job);
  } catch (error) {
    job.reject(error);
  }
  return drawing;
}

/** Waits for the document as long as its reader does; the last one that leaves takes the job along, unless it has begun. */
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
