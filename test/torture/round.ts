import { setTimeout as sleep } from 'node:timers/promises';

const asked = process.env['TORTURE_SECONDS'];

/** Time limit of the round in seconds; null: every test runs in full. */
export const roundSeconds: number | null = asked === undefined ? null : Number(asked);

/** The seed of a round's random numbers. */
export const seed = Number(process.env['TEST_SEED']);

/** Pseudo-random numbers from 0 to 1 (mulberry32). */
export function seeded(from: number): () => number {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The end of a test's part of the round. */
export interface Deadline {
  isOver(): boolean;
  /** Waits for `ms`, but not beyond the end of the part. */
  pause(ms: number): Promise<void>;
}

/** Begins a part of the round: `share` of its seconds. Without a time limit, it never ends. */
export function beginPart(share: number): Deadline {
  const end = performance.now() + (roundSeconds ?? Number.POSITIVE_INFINITY) * share * 1000;
  return {
    isOver: () => performance.now() >= end,
    pause: ms => sleep(Math.max(0, Math.min(ms, end - performance.now()))),
  };
}

/** Prints the counts of a test. */
export function report(counts: string): void {
  console.log(`torture: ${counts}`);
}
