import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../core/clock.ts';
import { PayError } from '../../core/error.ts';
import { createAnswerCache } from '../platform/answer-cache.ts';

/** What the service's account on a chain accepts, as far as it is known. */
export interface ChainReading {
  /** Null: the account does not exist. Undefined: the network has not answered yet. */
  readonly assets: readonly string[] | null | undefined;
  /** Since when the network does not answer. Null: it answers. */
  readonly awaySince: Date | null;
}

/** Milliseconds for which an answer is reused, and for which a read waits for the network. */
interface Patience {
  readonly holdMs: number;
  readonly waitMs: number;
}

const usual: Patience = { holdMs: 10_000, waitMs: 2_000 };

/** Part of the time that a read waits while the network is known not to answer. */
const awayPart = 10;

/**
 * Makes the read of what an account accepts. Concurrent reads share one question, and its answer. A network that does
 * not answer in time delays no read any longer: reads get the last answer, and since when there is no newer one. The
 * question goes on meanwhile. Throws errors of `ask` other than `unavailable`.
 */
export function createChainReader(
  ask: () => Promise<readonly string[] | null>,
  clock: Clock,
  { holdMs, waitMs }: Patience = usual,
): () => Promise<ChainReading> {
  let known: ChainReading = { assets: undefined, awaySince: null };
  let answeredAt = new Date(0);
  const isAway = (since: Date) => {
    // An old question may fail after a newer one was answered.
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
