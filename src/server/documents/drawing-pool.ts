import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DrawingError } from '../../core/drawing-error.ts';
import type { DrawingAnswer } from './drawing.ts';
import { type DrawingJob, dequeue, enqueue, isQueueEmpty } from './drawing-queue.ts';

const mostProcesses = Math.max(1, Math.min(2, availableParallelism() - 1));
/** A process that nobody needs for so long is ended, and all it holds leaves the memory: 60 MB with fonts. */
const idleMs = 20_000;
/** No document takes this long; a process that does is ended. */
const longestMs = 20_000;
/** What a process may hold of objects, and of young ones apart; megabytes. */
const execArgv = ['--max-old-space-size=192', '--max-semi-space-size=2'];

/** The program's file lies beside this one, in the sources and in the bundle. */
const program = fileURLToPath(new URL('./drawing-process.ts', import.meta.url)).replace(
  /\.ts$/,
  extname(import.meta.filename),
);

/** Processes without work, and what ends them. */
const idle = new Map<ChildProcess, NodeJS.Timeout>();
let processes = 0;

/**
 * Draws in a process of its own, so that no request waits for letters to be set, and no memory that drawing took stays
 * with the service, as that of a thread does. Processes start when they are needed. Throws PayError `unavailable` when too
 * many wait.
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

function startProcess(): ChildProcess {
  processes++;
  // It draws from what it is handed: no setting and no secret of the service is any of its business.
  const child = fork(program, {
    env: {},
    execArgv,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.once('exit', () => forget(child));
  // What could not even start does not exit.
  child.on('error', () => child.pid === undefined && forget(child));
  return child;
}

function forget(child: ChildProcess): void {
  processes--;
  clearTimeout(idle.get(child));
  idle.delete(child);
  assign();
}

function run(child: ChildProcess, { prepare, resolve, reject }: DrawingJob): void {
  const end = () => child.kill('SIGKILL');
  const late = setTimeout(end, longestMs);
  let isGone = false;
  const answered = (message: unknown) => {
    const answer = message as DrawingAnswer;
    clearTimeout(late);
    child.off('message', answered).off('error', failed).off('exit', gone);
    if ('bytes' in answer) resolve(Buffer.from(answer.bytes));
    else reject(new DrawingError(answer.error));
    rest(child);
  };
  const gone = () => {
    isGone = true;
    clearTimeout(late);
    reject(new DrawingError('its process ended'));
  };
  const failed = (error: Error) => {
    if (child.pid === undefined) gone();
    else reject(new DrawingError(error.message));
  };
  child.ref();
  child.channel?.ref();
  child.once('message', answered).once('error', failed).once('exit', gone);
  prepare().then(
    request => isGone || child.send(request, error => error && end()),
    error => isGone || answered({ error: String(error) }),
  );
}

/** Gives the process the next job, or lets it wait for one without keeping the service alive. */
function rest(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
  const end = setTimeout(() => child.kill('SIGKILL'), idleMs);
  idle.set(child, end.unref());
  assign();
}

function takeIdle(): ChildProcess | null {
  const [first] = idle;
  if (first === undefined) return null;
  const [child, end] = first;
  clearTimeout(end);
  idle.delete(child);
  return child;
}
