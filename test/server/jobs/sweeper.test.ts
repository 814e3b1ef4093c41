import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFailingWork } from '../../../src/server/platform/jobs/failing-work.ts';
import { createFailureReport } from '../../../src/server/platform/jobs/failure-report.ts';
import { createSweeper, type Log, type Sweep } from '../../../src/server/platform/jobs/sweeper.ts';

const log: Log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.clearAllMocks();
});

/** A sweep that does two items of `pile` in each run. */
function pileSweep(name: string, pile: { left: number }): Sweep & { passes: number } {
  const sweep = {
    name,
    everyMs: 1000,
    passes: 0,
    run: async () => {
      sweep.passes++;
      const done = Math.min(2, pile.left);
      pile.left -= done;
      return done;
    },
  };
  return sweep;
}

test('work is done at once, and new work at the next check or when woken', async () => {
  const pile = { left: 5 };
  const sweeper = createSweeper({ sweeps: [pileSweep('pile', pile)], log });
  sweeper.start();
  await vi.advanceTimersByTimeAsync(0);
  expect(pile.left).toBe(0);
  pile.left = 3;
  await vi.advanceTimersByTimeAsync(999);
  expect(pile.left).toBe(3);
  await vi.advanceTimersByTimeAsync(1);
  expect(pile.left).toBe(0);
  pile.left = 1;
  sweeper.wake('pile');
  await vi.advanceTimersByTimeAsync(0);
  expect(pile.left).toBe(0);
  await sweeper.stop();
});

test('a sweep with a rest collects work between batches that are not full', async () => {
  const pile = { left: 1 };
  const sweep = { ...pileSweep('pile', pile), rest: { ms: 100, fullBatch: 2 } };
  const sweeper = createSweeper({ sweeps: [sweep], log });
  const leftAfter = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    return pile.left;
  };
  sweeper.start();
  expect(await leftAfter(0)).toBe(0);
  pile.left = 4;
  sweeper.wake('pile');
  sweeper.wake('pile');
  expect([await leftAfter(99), await leftAfter(1)]).toEqual([4, 0]);
  // Nothing was left after the full batches, so the next wake runs at once.
  await leftAfter(200);
  pile.left = 1;
  sweeper.wake('pile');
  expect(await leftAfter(0)).toBe(0);
  await sweeper.stop();
});

test('a failing sweep pauses longer each time, reports it, and delays no other', async () => {
  const pile = { left: 0 };
  const steady = pileSweep('steady', pile);
  let tries = 0;
  const failing: Sweep = {
    name: 'failing',
    everyMs: 100,
    run: async () => {
      tries++;
      throw new Error('the database is away');
    },
  };
  const sweeper = createSweeper({ sweeps: [failing, steady], log });
  sweeper.start();
  const triesAfter = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    sweeper.wake();
    await vi.advanceTimersByTimeAsync(0);
    return tries;
  };
  expect([await triesAfter(999), await triesAfter(1), await triesAfter(1999), await triesAfter(1)]).toEqual([
    1, 2, 2, 3,
  ]);
  expect(log.error).toHaveBeenLastCalledWith(
    expect.objectContaining({ sweep: 'failing', failures: 3 }),
    expect.anything(),
  );
  expect(steady.passes).toBeGreaterThan(3);
  await sweeper.stop();
});

test.each([
  ['an outage of the database, reported once', Object.assign(new Error('no'), { code: 'ECONNREFUSED' }), 5_000, 1],
  ['another error', new Error('no'), 60_000, 10],
])('in %s, a sweep is tried again until it succeeds', async (_, error, longestMs, lines) => {
  const tries: number[] = [];
  const failing: Sweep = {
    name: 'failing',
    run: async () => {
      tries.push(performance.now());
      throw error;
    },
  };
  const sweeper = createSweeper({ sweeps: [failing], log });
  sweeper.start();
  await vi.advanceTimersByTimeAsync(300_000);
  const pauses = tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
  expect([pauses[0], Math.max(...pauses)]).toEqual([1_000, longestMs]);
  expect(log.error).toHaveBeenCalledTimes(lines);
  await sweeper.stop();
});

test('work that fails on every attempt is reported after two minutes, until it succeeds', async () => {
  let isWell = false;
  const sweep: Sweep = {
    name: 'sender',
    everyMs: 1_000,
    run: async () => {
      if (!isWell) throw new Error('no');
      return 0;
    },
  };
  const background: Sweep = {
    name: 'background',
    everyMs: 1_000,
    run: async () => 0,
    failing: () => new Map(isWell ? [] : [['rail order', 130]]),
  };
  const sweeper = createSweeper({ sweeps: [sweep, background], log });
  const { gauge, remarks } = createFailureReport(sweeper.failing);
  sweeper.start();
  await vi.advanceTimersByTimeAsync(119_000);
  expect(remarks()).toEqual([expect.stringMatching(/^failing: every attempt fails since 130 s: rail order\./)]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(remarks()).toEqual([expect.stringContaining(': rail order, sender.')]);
  expect(Object.fromEntries(gauge.read() as ReadonlyMap<string, number>)).toMatchObject({ sender: 121 });
  isWell = true;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(remarks()).toEqual([]);
  await sweeper.stop();
});

test('stopping waits for running work and starts no more', async () => {
  let finish = (_count: number) => {};
  let passes = 0;
  const slow: Sweep = {
    name: 'slow',
    everyMs: 10,
    run: () => {
      passes++;
      return new Promise(resolve => {
        finish = resolve;
      });
    },
  };
  const sweeper = createSweeper({ sweeps: [slow], log });
  sweeper.start();
  await vi.advanceTimersByTimeAsync(0);
  let stopped = false;
  const stopping = sweeper.stop().then(() => {
    stopped = true;
  });
  await vi.advanceTimersByTimeAsync(50);
  expect(stopped).toBe(false);
  finish(7);
  await stopping;
  await vi.advanceTimersByTimeAsync(1000);
  expect(passes).toBe(1);
});

test('runAll repeats until no sweep finds work, including work that one sweep creates for another', async () => {
  const first = { left: 4 };
  const second = { left: 0 };
  const feeding = pileSweep('feeding', first);
  const sweeper = createSweeper({
    sweeps: [
      pileSweep('fed', second),
      {
        ...feeding,
        run: async () => {
          const done = await feeding.run();
          second.left += done;
          return done;
        },
      },
    ],
    log,
  });
  expect(await sweeper.runAll()).toBe(8);
  expect([first.left, second.left]).toEqual([0, 0]);
});

test('runAll runs the other sweeps twice, however many batches one of them has', async () => {
  let looks = 0;
  const idle: Sweep = { name: 'idle', everyMs: 1000, run: async () => 0 * ++looks };
  const sweeper = createSweeper({ sweeps: [idle, pileSweep('pile', { left: 20 })], log });
  expect([await sweeper.runAll(), looks]).toEqual([20, 2]);
});

test('runAll waits for work that a batch left running, and for its results', async () => {
  const fed = { left: 0 };
  let state: 'new' | 'running' | 'over' = 'new';
  const background: Sweep = {
    name: 'background',
    everyMs: 1000,
    run: async () => {
      if (state !== 'new') return 0;
      state = 'running';
      return 1;
    },
    settled: async () => {
      if (state !== 'running') return;
      state = 'over';
      fed.left = 4;
    },
  };
  const sweeper = createSweeper({ sweeps: [pileSweep('fed', fed), background, pileSweep('idle', { left: 0 })], log });
  expect(await sweeper.runAll()).toBe(5);
  expect(fed.left).toBe(0);
});

test('work that fails on every attempt is forgotten when its attempts end elsewhere', () => {
  let now = 0;
  const failing = createFailingWork(() => now);
  failing.failed('an order');
  now = 60_000;
  failing.failed('an order');
  failing.failed('another order');
  failing.succeeded('another order');
  expect(failing.seconds()).toEqual(new Map([['an order', 60]]));
  // Another server has sent the order, so this one tries it no more.
  now = 661_000;
  expect(failing.seconds()).toEqual(new Map());
});
