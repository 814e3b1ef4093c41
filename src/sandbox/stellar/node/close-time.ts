import type { LedgerHeader } from '../ledger.ts';

/** An idle network closes an empty ledger this long after the last one, in milliseconds; a slow one not before its time. */
const idleMs = 5_000;

/** Whole seconds since 1970. */
export function secondsOf(now: Date): bigint {
  return BigInt(Math.floor(now.getTime() / 1000));
}

/**
 * The close time of the next ledger. It never goes back, and it goes on by a second at least, as on the real network,
 * where ledgers are a second or more apart; where they come faster it may stand still rather than run away from the
 * clock.
 */
export function nextCloseTime({ closeTime }: LedgerHeader, now: Date, closeEveryMs: number): bigint {
  const seconds = secondsOf(now);
  if (seconds > closeTime) return seconds;
  const ahead = closeTime + 1n - seconds;
  return closeEveryMs >= 1000 && ahead <= 1n ? closeTime + 1n : closeTime;
}

/** Whether an idle network would have closed a ledger since. */
export function isIdleDue({ closeTime }: LedgerHeader, now: Date, closeEveryMs: number): boolean {
  return Number(secondsOf(now) - closeTime) * 1000 >= Math.max(idleMs, closeEveryMs);
}
