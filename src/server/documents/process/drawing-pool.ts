import { type ChildProcess, fork, type StdioOptions } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { extname, join } from 'node:path';
import { PayError } from '../../../core/error.ts';
import { DrawingError } from '../../../core/invoice/drawing-error.ts';
import type { DrawingAnswer, DrawingRequest } from './drawing.ts';

/** Priority of a document. Documents for merchants (requests, mails) are drawn before documents for visitors. */
export type Rank = 'seller' | 'public';

export interface DrawingJob {
  rank: Rank;
  /** Prepares the request, after a process becomes free for the job. */
  readonly prepare: () => Promise<DrawingRequest>;
  /** Whether a process has ended during this job. */
  isRepeated: boolean;
  readonly resolve: (bytes: Buffer) => void;
  readonly reject: (error: unknown) => void;
}

const mostProcesses = Math.max(1, Math.min(2, availableParallelism() - 1));
/** Milliseconds after which an idle process ends. This frees its memory: 60 MB with fonts. */
const idleMs = 20_000;
/** Milliseconds for one document. A process that needs longer is killed. */
const longestMs = 20_000;
/** Memory limits of a process in megabytes: for old objects, and for new objects. */
const execArgv = ['--max-old-space-size=192', '--max-semi-space-size=2'];

/** Path of the drawing program. In the sources and in the bundle, the program is beside this file. */
const program = join(import.meta.dirname, `drawing-process${extname(import.meta.filename)}`);

/** Maximum number of waiting jobs. A drawing takes about 0.1 s. */
const mostWaiting: Readonly<Record<Rank, number>> = { seller: 64, public: 16 };

/** Jobs that wait for a process, oldest first. */
const waiting: DrawingJob[] = [];
/** Processes without work, with the timers that end them. */
const idle = new Map<ChildProcess, NodeJS.Timeout>();
/** Number of running processes, idle processes included. */
let processes = 0;

/**
 * Draws in a separate process, so that requests do not wait for typesetting and memory is freed afterwards. Throws
 * PayError `unavailable` if too many jobs wait. Rejects the job with the same error if no process can start.
 */
export function drawInProcess(job: DrawingJob): void {
  if (waiting.filter(({ rank }) => rank === job.rank).length >= mostWaiting[job.rank]) {
    throw unavailable('Too many documents wait to be drawn.');
  }
  waiting.push(job);
  assign();
}

/** Removes a job for which no caller waits any more. Returns false if drawing has begun. */
export function withdraw(job: DrawingJob): boolean {
  const index = waiting.indexOf(job);
  if (index >= 0) waiting.splice(index, 1);
  return index >= 0;
}

function unavailable(why: string, cause?: unknown): PayError {
  return new PayError('unavailable', `${why} Try again in a few seconds.`, { retryAfterSeconds: 5, cause });
}

function assign(): void {
  if (waiting.length === 0) return;
  const child = takeIdle() ?? (processes < mostProcesses ? startProcess() : null);
  const job = child && nextJob();
  if (child && job) run(child, job);
}

function nextJob(): DrawingJob | null {
  const first = waiting.findIndex(({ rank }) => rank === 'seller');
  return waiting.splice(Math.max(first, 0), 1)[0] ?? null;
}

/** Returns null if no process can start. Waiting jobs then stay for running processes. Without any, the jobs fail. */
function startProcess(): ChildProcess | null {
  try {
    // The process needs no settings and no secrets.
    const stdio: StdioOptions = ['ignore', 'ignore', 'ignore', 'ipc'];
    const child = fork(program, { env: {}, execArgv, serialization: 'advanced', stdio });
    // A process that has started reports errors by its exit, so only a failed start is handled here.
    child.on('error', error => child.pid === undefined && rejectWaiting(error));
    if (child.pid === undefined) return null;
    processes++;
    child.once('exit', () => {
      processes--;
      leaveIdle(child);
      assign();
    });
    return child;
  } catch (error) {
    rejectWaiting(error);
    return null;
  }
}

/** Fails all waiting jobs, unless a running process can draw them. */
function rejectWaiting(cause: unknown): void {
  if (processes > 0) return;
  for (const job of waiting.splice(0)) job.reject(unavailable('Documents cannot be drawn at this moment.', cause));
}

function run(child: ChildProcess, job: DrawingJob): void {
  let isOver = false;
  const finish = () => {
    isOver = true;
    clearTimeout(late);
    child.off('message', answered).off('exit', gone);
  };
  const late = setTimeout(() => {
    finish();
    child.kill('SIGKILL');
    job.reject(new DrawingError('it takes too long'));
  }, longestMs);
  const answered = (message: unknown) => {
    finish();
    const answer = message as DrawingAnswer;
    if ('bytes' in answer) job.resolve(Buffer.from(answer.bytes));
    else job.reject(new DrawingError(answer.error));
    becomeIdle(child);
  };
  const gone = () => {
    finish();
    if (job.isRepeated) job.reject(new DrawingError('its process ended'));
    else repeat(job);
  };
  child.ref();
  child.channel?.ref();
  child.once('message', answered).once('exit', gone);
  job.prepare().then(
    request => isOver || child.send(request, error => error && child.kill('SIGKILL')),
    error => isOver || answered({ error: String(error) }),
  );
}

/** Repeats the job in a new process. The first may have ended for lack of memory, so idle processes are ended too. */
function repeat(job: DrawingJob): void {
  job.isRepeated = true;
  for (const child of idle.keys()) dismiss(child);
  waiting.unshift(job);
  assign();
}

/** Gives the process its next job, or marks it as idle. An idle process does not keep the service running. */
function becomeIdle(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
  idle.set(child, setTimeout(() => dismiss(child), idleMs).unref());
  assign();
}

/** Ends an idle process. It gets no more jobs. */
function dismiss(child: ChildProcess): void {
  leaveIdle(child);
  child.kill('SIGKILL');
}

function takeIdle(): ChildProcess | null {
  const [child] = idle.keys();
  if (child === undefined) return null;
  leaveIdle(child);
  return child;
}

function leaveIdle(child: ChildProcess): void {
  clearTimeout(idle.get(child));
  idle.delete(child);
}
