import type { Db } from '../../platform/db/database.ts';
import type { Sweep } from '../../platform/jobs/sweeper.ts';
import { readWaiting, type WaitingTransfers } from './outbound-backlog.store.ts';

/** Looks at the money that waits to leave the treasury, so that nobody has to ask the database. */
export interface WaitingWatch {
  readonly sweep: Sweep;
  /** Transfers that wait, by state and reason, when it was last looked. */
  readonly counts: () => ReadonlyMap<string, number>;
  /** How long the oldest has waited, in seconds; 0 for none. */
  readonly oldestSeconds: () => number;
  /** What the operator should see to: money that should have left long ago. */
  readonly remarks: () => readonly string[];
}

/** Longer than ledgers, fees and a moment without the network explain. */
const longSeconds = 120;

/** Makes the watch. */
export function createWaitingWatch({ db }: { readonly db: Db }): WaitingWatch {
  let waiting: readonly WaitingTransfers[] = [];
  return {
    sweep: {
      name: 'transfers.waiting',
      everyMs: 10_000,
      run: async () => {
        waiting = await readWaiting(db);
        return 0;
      },
    },
    counts: () =>
      new Map(waiting.map(({ state, reason, count }) => [reason === null ? state : `${state}: ${reason}`, count])),
    oldestSeconds: () => Math.max(0, ...waiting.map(({ oldestSeconds }) => oldestSeconds)),
    remarks: () => waiting.filter(({ oldestSeconds }) => oldestSeconds >= longSeconds).map(remarkOn),
  };
}

function remarkOn({ state, reason, count, oldestSeconds }: WaitingTransfers): string {
  const why = reason === null ? '' : ` (${reason})`;
  return `transfers: ${count} ${state}${why}, the oldest for ${oldestSeconds} s`;
}
