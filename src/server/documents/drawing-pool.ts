import { availableParallelism } from 'node:os';
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DrawingError } from '../../core/drawing-error.ts';
import type { DrawingAnswer } from './drawing.ts';
import { type DrawingJob, dequeue, enqueue, isQueueEmpty } from './drawing-queue.ts';

const mostThreads = Math.max(1, Math.min(2, availableParallelism() - 1));
/** A thread that nobody needs for so long is ended, and its fonts leave the memory. */
const idleMs = 20_000;
/** No document takes this long; a thread that does is ended. */
const longestMs = 20_000;
/** What a thread may hold of objects, young ones and all; megabytes. */
const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 8 };

/** The thread's file lies beside this one, in the sources and in the bundle. */
const threadFile = join(import.meta.dirname, `drawing-thread${extname(import.meta.filename)}`);

/** Threads without work, and what ends them. */
const idle = new Map<Worker, NodeJS.Timeout>();
let threads = 0;

/**
 * Draws in a thread, so that no request waits for letters to be set. Threads start when they are needed. Throws PayError
 * `unavailable` when too many wait.
 */
export function drawInThread(job: DrawingJob): void {
  enqueue(job);
  assign();
}

function assign(): void {
  if (isQueueEmpty()) return;
  const worker = takeIdle() ?? (threads < mostThreads ? startThread() : null);
  const job = worker && dequeue();
  if (worker && job) run(worker, job);
}

function startThread(): Worker {
  threads++;
  // It draws from what it is handed: no setting and no secret of the process is any of its business.
  const worker = new Worker(threadFile, { env: {}, resourceLimits });
  worker.once('exit', () => {
    threads--;
    clearTimeout(idle.get(worker));
    idle.delete(worker);
    assign();
  });
  worker.on('error', () => undefined);
  return worker;
}

function run(worker: Worker, { prepare, resolve, reject }: DrawingJob): void {
  const late = setTimeout(() => void worker.terminate(), longestMs);
  let isGone = false;
  const answered = (answer: DrawingAnswer) => {
    clearTimeout(late);
    worker.off('message', answered).off('error', failed).off('exit', gone);
    if ('bytes' in answer) resolve(Buffer.from(answer.bytes.buffer));
    else reject(new DrawingError(answer.error));
    rest(worker);
  };
  const failed = (error: Error) => reject(new DrawingError(error.message));
  const gone = () => {
    isGone = true;
    clearTimeout(late);
    reject(new DrawingError('its thread ended'));
  };
  worker.ref();
  worker.once('message', answered).once('error', failed).once('exit', gone);
  prepare().then(
    request => isGone || worker.postMessage(request),
    error => isGone || answered({ error: String(error) }),
  );
}

/** Gives the thread the next job, or lets it wait for one without keeping the process alive. */
function rest(worker: Worker): void {
  worker.unref();
  const end = setTimeout(() => void worker.terminate(), idleMs);
  idle.set(worker, end.unref());
  assign();
}

function takeIdle(): Worker | null {
  const [first] = idle;
  if (first === undefined) return null;
  const [worker, end] = first;
  clearTimeout(end);
  idle.delete(worker);
  return worker;
}
