import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DrawingError } from '../../../core/invoice/drawing-error.ts';
import type { DrawingAnswer } from './drawing.ts';
import { type DrawingJob, dequeue, enqueue, isQueueEmpty, refuseAll, requeue } from './drawing-queue.ts';

const mostProcesses = Math.max(1, Math.min(2, availableParallelism() - 1));
/** An idle process ends after this time and frees its memory: 60 MB with fonts. */
const idleMs = 20_000;
/** No document should take this long; a process that does is ended. */
const longestMs = 20_000;
/** What a process may hold of objects, and of young ones apart; megabytes. */
const execArgv = ['--max-old-space-size=192', '--max-semi-space-size=2'];

/** The program's file is in this folder, in the sources and in the bundle. */
const program = fileURLToPath(new URL('./drawing-process.ts', import.meta.url)).replace(
  /\.ts$/,
  extname(import.meta.filename),
);

/** Processes without work, and what ends them. */
const idle = new Map<ChildProcess, NodeJS.Timeout>();
let processes = 0;

/**
 * Draws in a separate process: no request waits for typesetting, and the memory is freed when the process ends, which a
 * thread would not do. Processes start when they are needed. Throws PayError `unavailable` when too many wait; the job
 * is rejected with one when no process can start.
 */
export function drawInProcess(job: DrawingJob): void {
  enqueue(job);
  assign();
}

function assign(): void {
  if (isQueueEmpty()) return;
  const child = takeIdle() ?? (processes < mostProcesses ? startProcess() : null);
  const job = child && dequeue();
  if (child && job) run(child, job);
}

/**
 * Null when the machine cannot start another process: the running ones draw the waiting jobs. Without any, the jobs
 * fail.
 */
function startProcess(): ChildProcess | null {
  try {
    // It draws from what it is handed: no setting and no secret of the service is any of its business.
    const child = fork(program, {
      env: {},
      execArgv,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    // Errors of a running process are reported by its exit.
    child.on('error', error => child.pid === undefined && refuse(error));
    if (child.pid === undefined) return null;
    processes++;
    child.once('exit', () => forget(child));
    return child;
  } catch (error) {
    refuse(error);
    return null;
  }
}

function refuse(cause: unknown): void {
  if (processes === 0) refuseAll(cause);
}

function forget(child: ChildProcess): void {
  processes--;
  clearTimeout(idle.get(child));
  idle.delete(child);
  assign();
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
    rest(child);
  };
  const gone = () => {
    finish();
    repeat(job);
  };
  child.ref();
  child.channel?.ref();
  child.once('message', answered).once('exit', gone);
  job.prepare().then(
    request => isOver || child.send(request, error => error && child.kill('SIGKILL')),
    error => isOver || answered({ error: String(error) }),
  );
}

/**
 * A process may end during a document for a reason of its own, such as lack of memory. Then those without work may be
 * too, and hold memory for nothing: a new one draws it.
 */
function repeat(job: DrawingJob): void {
  if (job.isRepeated) {
    job.reject(new DrawingError('its process ended'));
  } else {
    job.isRepeated = true;
    for (const child of idle.keys()) dismiss(child);
    requeue(job);
    assign();
  }
}

/** Gives the process the next job, or lets it wait for one without keeping the service alive. */
function rest(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
  idle.set(child, setTimeout(() => dismiss(child), idleMs).unref());
  assign();
}

/** Ends a process without work. That takes a while, in which it is not to be handed any. */
function dismiss(child: ChildProcess): void {
  clearTimeout(idle.get(child));
  idle.delete(child);
  child.kill('SIGKILL');
}

function takeIdle(): ChildProcess | null {
  const [first] = idle;
  if (first === undefined) return null;
  const [child, end] = first;
  clearTimeout(end);
  idle.delete(child);
  return child;
}
