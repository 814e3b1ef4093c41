import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../core/clock.ts';
import { PayError } from '../../core/error.ts';
import { createAnswerCache } from '../platform/answer-cache.ts';

/** The last known state of the service's account on a chain. */
export interface ChainReading {
  /** The assets that the account accepts. Null: it does not exist. Undefined: the network has not answered yet. */
  readonly assets: readonly string[] | null | undefined;
  /** The time since which the network has not answered. Null: no outage is known. */
  readonly awaySince: Date | null;
}

/** `holdMs`: how long an answer is reused. `waitMs`: how long a read waits for the network. In milliseconds. */
interface Patience {
  readonly holdMs: number;
  readonly waitMs: number;
}

const usual: Patience = { holdMs: 10_000, waitMs: 2_000 };

/** Divides `waitMs` while the network is known not to answer. */
const awayPart = 10;

/**
 * Creates a function that reads which assets an account accepts. Concurrent reads share one request. If the network
 * does not answer within `waitMs`, a read returns the last answer and the start of the outage; the request continues.
 * Throws errors of `ask` other than `unavailable`.
 */
export function createChainReader(
  ask: () => Promise<readonly string[] | null>,
  clock: Clock,
  { holdMs, waitMs }: Patience = usual,
): () => Promise<ChainReading> {
  let known: ChainReading = { assets: undefined, awaySince: null };
  let answeredAt = new Date(0);
  const isAway = (since: Date) => {
    // An older request may fail after the answer to a newer one.
    if (since < answeredAt) return;
    known = { assets: known.assets, awaySince: known.awaySince ?? since };
  };
  const cache = createAnswerCache({ holdMs, most: 1 }, async () => {
    const askedAt = clock.now();
    try {
      known = { assets: await ask(), awaySince: null };
      answeredAt = clock.now();
    } catch (error) {
      if (!(error instanceof PayError && error.code === 'unavailable')) throw error;
      isAway(askedAt);
    }
    return 'answered' as const;
  });
  return async () => {
    const startedAt = clock.now();
    const ended = new AbortController();
    const wait = known.awaySince === null ? waitMs : waitMs / awayPart;
    const late = pause(wait, 'late' as const, { signal: ended.signal }).catch(() => 'late' as const);
    try {
      if ((await Promise.race([cache.read(''), late])) === 'late') isAway(startedAt);
    } finally {
      ended.abort();
    }
    return known;
  };
}
