import { PayError } from '../../../core/error.ts';
import type { DrawingRequest } from './drawing.ts';

/** For whom a document is drawn. Requests of merchants and their mails go before requests of visitors. */
export type Rank = 'seller' | 'public';

/** A document that is to be drawn. */
export interface DrawingJob {
  rank: Rank;
  /** Makes the request ready, once a process is free for it. */
  readonly prepare: () => Promise<DrawingRequest>;
  /** Whether a process ended under it before. */
  isRepeated: boolean;
  readonly resolve: (bytes: Buffer) => void;
  readonly reject: (error: unknown) => void;
}

/** So many may wait. A drawing takes about 0.1 s; one that hangs keeps its process until `drawing-pool.ts` ends it. */
const mostWaiting: Readonly<Record<Rank, number>> = { seller: 64, public: 16 };

/** What waits for a process, in the order it came. */
const waiting: DrawingJob[] = [];

/** Lets the job wait. Throws PayError `unavailable` when as many of its rank wait as may. */
export function enqueue(job: DrawingJob): void {
  if (waiting.filter(({ rank }) => rank === job.rank).length >= mostWaiting[job.rank]) {
    throw unavailable('Too many documents are being drawn.');
  }
  waiting.push(job);
}

/** Lets a job wait that had its turn: it goes before all others of its rank. */
export function requeue(job: DrawingJob): void {
  waiting.unshift(job);
}

/** Rejects all that wait with PayError `unavailable`: nothing can be drawn now. */
export function refuseAll(cause: unknown): void {
  for (const job of waiting.splice(0)) job.reject(unavailable('Documents cannot be drawn at this moment.', cause));
}

function unavailable(why: string, cause?: unknown): PayError {
  return new PayError('unavailable', `${why} Try again in a few seconds.`, { retryAfterSeconds: 5, cause });
}

export function isQueueEmpty(): boolean {
  return waiting.length === 0;
}

/** The job that is next: the first of the sellers', else the first. */
export function dequeue(): DrawingJob | null {
  const first = waiting.findIndex(({ rank }) => rank === 'seller');
  return waiting.splice(Math.max(first, 0), 1)[0] ?? null;
}

/** Removes a job without readers; false when it is being drawn. */
export function withdraw(job: DrawingJob): boolean {
  const index = waiting.indexOf(job);
  if (index >= 0) waiting.splice(index, 1);
  return index >= 0;
}
