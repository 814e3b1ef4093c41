import type { Due } from '../db/lease.ts';
import { failsForAll, isOldPlan } from '../db/outage.ts';
import { createFailingWork, type FailingWork } from './failing-work.ts';

/** Work that becomes due with time. An indexed query finds due work, and each run does one batch. */
export interface Sweep {
  readonly name: string;
  /**
   * What makes the sweep due. One query a second looks for the due work of all sweeps (`due-watch.ts`). Work that is
   * omitted here waits for `everyMs`, or for a call of `wake`.
   */
  readonly due?: readonly Due[];
  /** Milliseconds between two runs if nothing wakes the sweep. Default: ten minutes, because `due` wakes it in time. */
  readonly everyMs?: number;
  /** Limits how often a busy sweep runs. Default: it runs again at once while it finds work or is woken. */
  readonly rest?: Rest;
  /** Does one batch and returns the number of processed items. 0 means that no work remains. */
  run(): Promise<number>;
  /** Waits for work that `run` has started but not awaited. */
  settled?(): Promise<void>;
  /** Items that fail on every attempt although `run` succeeds: seconds since the first failure, by name. */
  failing?(): ReadonlyMap<string, number>;
  /** Ends work that `run` has started, and closes resources. Without `stop`, the sweeper awaits `settled`. */
  stop?(): Promise<void>;
}

/**
 * The shortest time in milliseconds between the starts of two batches. It does not apply after a full batch. Work that
 * becomes due meanwhile shares the next batch. The first batch after an idle time starts at once.
 */
interface Rest {
  readonly ms: number;
  readonly fullBatch: number;
}

/** The log of the sweeps. A pino logger fits. */
export interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface SweepMetrics {
  swept(name: string, count: number, seconds: number): void;
  sweepFailed(name: string): void;
}

interface SweeperDeps {
  readonly sweeps: readonly Sweep[];
  readonly log: Log;
  readonly metrics?: SweepMetrics;
}

const seldomMs = 600_000;
const firstPauseMs = 1_000;
const longestPauseMs = 60_000;
/**
 * The longest pause during an outage of the database. All work stands still, so it must continue soon afterwards. All
 * sweeps fail for the same reason, so the log has only the first failure of each.
 */
const longestOutagePauseMs = 5_000;

export type Sweeper = ReturnType<typeof createSweeper>;

/** Runs all sweeps of the process. A failed sweep pauses, longer after each failure; other sweeps continue. */
export function createSweeper(deps: SweeperDeps) {
  const failing = createFailingWork();
  const loops = new Map(deps.sweeps.map(sweep => [sweep.name, createLoop(sweep, deps, failing)]));
  const chosen = (names: readonly string[] = [...loops.keys()]) =>
    names.map(name => {
      const loop = loops.get(name);
      if (loop === undefined) throw new Error(`there is no sweep called ${name}`);
      return loop;
    });
  return {
    start: () => {
      for (const loop of loops.values()) loop.start();
    },
    /** Starts no more batches, and waits for the running batches. */
    stop: async () => {
      await Promise.all([...loops.values()].map(loop => loop.stop()));
    },
    /** Runs the named sweep soon. Without a name, runs all. A failed sweep still waits until its pause ends. */
    wake: (name?: string) => {
      if (name !== undefined) loops.get(name)?.wake();
      else for (const loop of loops.values()) loop.wake();
    },
    /** Sweeps, and items of sweeps, that fail on every attempt: seconds since the first failure, by name. */
    failing: (): ReadonlyMap<string, number> =>
      new Map(
        [failing.seconds(), ...deps.sweeps.map(sweep => sweep.failing?.() ?? new Map())].flatMap(some => [...some]),
      ),
    /** Runs the named sweeps, or all, until no work remains. Returns the number of items. Throws the first error. */
    runAll: (names?: readonly string[]) => runUntilQuiet(chosen(names)),
  };
}

/**
 * Runs each sweep until it finds no work, and then the next, until no sweep of a whole round finds work. Work of one
 * sweep may make other sweeps due, also work that a batch has left running. Each batch therefore first awaits earlier
 * work of its sweep.
 */
async function runUntilQuiet(loops: readonly Loop[]): Promise<number> {
  let total = 0;
  let quiet = 0;
  for (const loop of loops) await loop.settled();
  for (let turn = 0; quiet < loops.length; turn++) {
    const done = await runUntilEmpty(loops[turn % loops.length] as Loop);
    // The sweep's last batch found nothing, so it counts as quiet, too.
    quiet = done > 0 ? 1 : quiet + 1;
    total += done;
  }
  return total;
}

async function runUntilEmpty(loop: Loop): Promise<number> {
  let total = 0;
  for (;;) {
    await loop.settled();
    const done = await loop.runOnce();
    if (done > 0) total += done;
    else {
      // The sweep's own loop may have started the work between the two calls.
      await loop.settled();
      return total;
    }
  }
}

/** The pause after a number of failures in a row, in milliseconds. */
function pauseAfter(failures: number, isOutage: boolean): number {
  return Math.min(firstPauseMs * 2 ** (failures - 1), isOutage ? longestOutagePauseMs : longestPauseMs);
}

/** Logs a failed sweep: of an outage only the first failure, and after a migration no error. */
function logFailure(
  log: Log,
  failure: { err: unknown; sweep: string; failures: number; pauseMs: number },
  isOutage: boolean,
) {
  const { err, sweep, failures } = failure;
  if (isOldPlan(err)) log.info({ sweep }, 'a migration has changed a statement of a sweep, which will be tried again');
  else if (failures === 1 || !isOutage) log.error(failure, 'a sweep failed and will be tried again');
}

type Loop = ReturnType<typeof createLoop>;

function createLoop(sweep: Sweep, { log, metrics }: SweeperDeps, failing: FailingWork) {
  let state: 'idle' | 'looking' | 'pausing' | 'stopped' = 'stopped';
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  const isRunning = () => state !== 'stopped';
  const turns = createTurns(sweep, metrics, failing);
  const batches = createBatches(sweep, turns);

  async function look(): Promise<void> {
    clearTimeout(timer);
    state = 'looking';
    try {
      const delayMs = await batches.run(isRunning);
      failures = 0;
      pause('idle', delayMs);
    } catch (err) {
      metrics?.sweepFailed(sweep.name);
      const isOutage = failsForAll(err);
      const pauseMs = pauseAfter(++failures, isOutage);
      logFailure(log, { err, sweep: sweep.name, failures, pauseMs }, isOutage);
      pause('pausing', pauseMs);
    }
  }

  function pause(next: 'idle' | 'pausing', delayMs: number): void {
    if (!isRunning()) return;
    clearTimeout(timer);
    state = next;
    timer = setTimeout(() => void look(), delayMs);
  }

  return {
    start: () => {
      if (state === 'stopped') void look();
    },
    stop: async () => {
      state = 'stopped';
      clearTimeout(timer);
      await turns.last();
      await (sweep.stop ?? sweep.settled)?.();
    },
    wake: () => {
      if (state === 'looking') batches.wake();
      if (state !== 'idle') return;
      const delayMs = batches.restMs();
      if (delayMs === 0) void look();
      else pause('idle', delayMs);
    },
    runOnce: turns.next,
    settled: async () => await sweep.settled?.(),
  };
}

function createBatches(
  { everyMs = seldomMs, rest = { ms: 0, fullBatch: 1 } }: Sweep,
  turns: ReturnType<typeof createTurns>,
) {
  let isWoken = false;
  let begunAt = Number.NEGATIVE_INFINITY;
  const restMs = () => Math.max(0, begunAt + rest.ms - performance.now());
  return {
    /** Requests one more batch after the running batch. */
    wake: () => {
      isWoken = true;
    },
    /** Milliseconds until the next batch may begin. */
    restMs,
    /** Runs batches until no work remains, or until the next batch must wait. Returns the wait in milliseconds. */
    run: async (isRunning: () => boolean): Promise<number> => {
      for (;;) {
        isWoken = false;
        begunAt = performance.now();
        const done = await turns.next();
        const hasMore = done > 0 || isWoken;
        const goesOn = done >= rest.fullBatch || (hasMore && restMs() === 0);
        if (!goesOn || !isRunning()) return hasMore ? restMs() : everyMs;
      }
    },
  };
}

/** Runs batches of one sweep one after another, so that they never overlap within a process. */
function createTurns(sweep: Sweep, metrics: SweepMetrics | undefined, failing: FailingWork) {
  let turn: Promise<unknown> = Promise.resolve();
  async function batch(): Promise<number> {
    const began = performance.now();
    const count = await sweep.run().catch(error => {
      failing.failed(sweep.name);
      throw error;
    });
    failing.succeeded(sweep.name);
    metrics?.swept(sweep.name, count, (performance.now() - began) / 1000);
    return count;
  }
  return {
    next: (): Promise<number> => {
      const mine = turn.then(batch);
      turn = mine.catch(() => undefined);
      return mine;
    },
    last: () => turn,
  };
}

/**
 * Runs the work for each item in turn and returns the number of items. An error does not stop other items. The first
 * error is thrown at the end.
 */
export async function runEach<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<number> {
  const errors: unknown[] = [];
  for (const item of items) {
    try {
      await work(item);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return items.length;
}

/**
 * Does the work for all items at once. After an error, does the work for each item separately, so that only faulty
 * items fail.
 */
export async function runTogether<Item>(
  items: readonly Item[],
  work: (items: readonly Item[]) => Promise<void>,
): Promise<void> {
  try {
    await work(items);
  } catch (error) {
    if (items.length < 2) throw error;
    await runEach(items, item => work([item]));
  }
}
