import type { Db } from '../platform/db/database.ts';
import type { Sweep } from '../platform/jobs/sweeper.ts';
import { readWaiting, type WaitingOutbound } from './outbound.store.ts';

/** The money that waits to leave by a rail, read every few seconds. */
export interface OutboundBacklog {
  readonly sweep: Sweep;
  /** Waiting transfers by state and reason, at the last reading. */
  readonly counts: () => ReadonlyMap<string, number>;
  /** Age of the oldest waiting transfer in seconds; 0 for none. */
  readonly oldestSeconds: () => number;
  /** Sentences for the operator about money that should have left long ago. */
  readonly remarks: () => readonly string[];
}

/** Longer than ledgers, fees and a moment without the network explain. */
const longSeconds = 120;

/** Makes the backlog of a rail. */
export function createOutboundBacklog(db: Db, rail: string): OutboundBacklog {
  let waiting: readonly WaitingOutbound[] = [];
  return {
    sweep: {
      name: 'outbound.backlog',
      everyMs: 10_000,
      run: async () => {
        waiting = await readWaiting(db, rail);
        return 0;
      },
    },
    counts: () =>
      new Map(waiting.map(({ state, reason, count }) => [reason === null ? state : `${state}: ${reason}`, count])),
    oldestSeconds: () => Math.max(0, ...waiting.map(({ oldestSeconds }) => oldestSeconds)),
    remarks: () => waiting.filter(({ oldestSeconds }) => oldestSeconds >= longSeconds).map(remarkOn),
  };
}

function remarkOn({ state, reason, count, oldestSeconds }: WaitingOutbound): string {
  const why = reason === null ? '' : ` (${reason})`;
  return `transfers: ${count} ${state}${why}, the oldest for ${oldestSeconds} s`;
}
