/** Work that time brings about: found by an indexed query, done in batches, again and again. */
export interface Sweep {
  readonly name: string;
  /** How often to look when nothing wakes it, in milliseconds. */
  readonly everyMs: number;
  /** Does one batch and returns how many things were done; 0 means nothing is left to do now. */
  run(): Promise<number>;
  /** Waits for what `run` started and did not wait for. */
  settled?(): Promise<void>;
  /** Ends what `run` started and did not wait for, and lets go of what the sweep holds. Without it `settled` is awaited. */
  stop?(): Promise<void>;
}

/** Where the loops write; a pino logger is one. */
export interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** What is told of each pass, for the metrics page. */
export interface SweepMetrics {
  /** A batch was done: how many things, in how many seconds. */
  swept(name: string, count: number, seconds: number): void;
  sweepFailed(name: string): void;
}

/** Runs sweeps until stopped. */
export interface Sweeper {
  start(): void;
  /** Starts nothing more and waits for what runs. */
  stop(): Promise<void>;
  /** Runs the sweep soon; without a name, all. A sweep that just failed waits out its pause. */
  wake(name?: string): void;
  /** Runs the named sweeps (without names: all) until nothing is left, and returns how much was done. Rejects with the first error. */
  runAll(names?: readonly string[]): Promise<number>;
}

/** What a sweeper is made of. */
export interface SweeperDeps {
  readonly sweeps: readonly Sweep[];
  readonly log: Log;
  readonly metrics?: SweepMetrics;
}

const firstPauseMs = 1_000;
const longestPauseMs = 60_000;

/** The one loop of the service for time-driven work. An error is logged and the sweep pauses, longer each time; nothing stops the others. */
export function createSweeper(deps: SweeperDeps): Sweeper {
  const loops = new Map(deps.sweeps.map(sweep => [sweep.name, createLoop(sweep, deps)]));
  const named = (names: readonly string[]) =>
    names.map(name => {
      const loop = loops.get(name);
      if (loop === undefined) throw new Error(`there is no sweep called ${name}`);
      return loop;
    });
  const chosen = (names?: readonly string[]) => (names === undefined ? [...loops.values()] : named(names));
  return {
    start: () => {
      for (const loop of loops.values()) loop.start();
    },
    stop: async () => {
      await Promise.all([...loops.values()].map(loop => loop.stop()));
    },
    wake: name => {
      if (name !== undefined) loops.get(name)?.wake();
      else for (const loop of loops.values()) loop.wake();
    },
    runAll: names => runUntilQuiet(chosen(names)),
  };
}

/**
 * Runs one batch of each sweep in turn, until all in a row found nothing. Work that a batch left running may create
 * work for other sweeps, so it is awaited before that sweep's next turn.
 */
async function runUntilQuiet(loops: readonly Loop[]): Promise<number> {
  const leftRunning = new Set<Loop>();
  let total = 0;
  let quiet = 0;
  for (const loop of loops) await loop.settled();
  for (let turn = 0; quiet < loops.length; turn++) {
    const loop = loops[turn % loops.length] as Loop;
    await loop.settled();
    const done = await loop.runOnce();
    quiet = done > 0 || leftRunning.delete(loop) ? 0 : quiet + 1;
    if (done > 0 && loop.leavesWork) leftRunning.add(loop);
    total += done;
  }
  return total;
}

interface Loop {
  start(): void;
  stop(): Promise<void>;
  wake(): void;
  runOnce(): Promise<number>;
  /** Whether a batch may go on with its work after it has said how much there was. */
  readonly leavesWork: boolean;
  settled(): Promise<void>;
}

function createLoop(sweep: Sweep, { log, metrics }: SweeperDeps): Loop {
  let state: 'idle' | 'looking' | 'pausing' | 'stopped' = 'stopped';
  let wokenMeanwhile = false;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  const turns = createTurns(sweep, metrics);

  async function look(): Promise<void> {
    clearTimeout(timer);
    state = 'looking';
    try {
      do {
        wokenMeanwhile = false;
        while ((await turns.next()) > 0 && isRunning());
      } while (wokenMeanwhile && isRunning());
      failures = 0;
      rest('idle', sweep.everyMs);
    } catch (error) {
      failures++;
      metrics?.sweepFailed(sweep.name);
      const pauseMs = Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);
      log.error({ err: error, sweep: sweep.name, failures, pauseMs }, 'a sweep failed and will try again');
      rest('pausing', pauseMs);
    }
  }

  function isRunning(): boolean {
    return state !== 'stopped';
  }

  function rest(next: 'idle' | 'pausing', delayMs: number): void {
    if (!isRunning()) return;
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
      if (sweep.stop === undefined) await sweep.settled?.();
      else await sweep.stop();
    },
    wake: () => {
      if (state === 'looking') wokenMeanwhile = true;
      if (state === 'idle') void look();
    },
    runOnce: turns.next,
    leavesWork: sweep.settled !== undefined,
    settled: async () => await sweep.settled?.(),
  };
}

/** Batches of one sweep never overlap within a process, whoever asks for them. */
function createTurns(sweep: Sweep, metrics: SweepMetrics | undefined) {
  let turn: Promise<unknown> = Promise.resolve();
  async function batch(): Promise<number> {
    const began = performance.now();
    const count = await sweep.run();
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
 * Runs the work for each item in turn and returns their number. A failed item does not stop the others; the first error
 * is thrown at the end.
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

/** Does the work for all items at once. If that fails, for each alone, so that only those at fault fail. */
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
