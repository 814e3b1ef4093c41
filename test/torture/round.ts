import { setTimeout as sleep } from 'node:timers/promises';

const asked = process.env['TORTURE_SECONDS'];

/** Seconds that a bounded round takes; null: each oracle does all that it has. */
export const roundSeconds: number | null = asked === undefined ? null : Number(asked);

/** The seed of a round's random numbers. */
export const seed = Number(process.env['TORTURE_SEED']);

/** Numbers from 0 to 1 that follow from the seed (mulberry32). */
export function seeded(from: number): () => number {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The end of an oracle's part of the round. */
export interface Deadline {
  isOver(): boolean;
  /** Waits for at most so many milliseconds, and no longer than the part lasts. */
  pause(ms: number): Promise<void>;
}

/** Begins a part of the round: `share` of its seconds. It is never over where the round has no bound. */
export function beginPart(share: number): Deadline {
  const end = performance.now() + (roundSeconds ?? Number.POSITIVE_INFINITY) * share * 1000;
  return {
    isOver: () => performance.now() >= end,
    pause: ms => sleep(Math.max(0, Math.min(ms, end - performance.now()))),
  };
}

/** Prints what an oracle has counted. */
export function report(counts: string): void {
  console.log(`torture: ${counts}`);
}
