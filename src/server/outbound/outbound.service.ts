import type { Clock } from '../../core/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { runEach, runTogether, type Sweep } from '../platform/jobs/sweeper.ts';
import {
  findUnbooked,
  insertOutbound,
  markBooked,
  readWaiting,
  type UnbookedGroup,
  type WaitingOutbound,
} from './outbound.store.ts';
import type { NewOutbound, OutboundPurpose } from './outbound.ts';

/** The queue of money that leaves, for modules that send money. */
export interface Outbound {
  /** Queues money in the caller's transaction. A resource and attempt that are queued already stay as they are. */
  queue(tx: Tx, transfers: readonly NewOutbound[]): Promise<void>;
  /** Wakes the senders. Call it after the commit. */
  wake(): void;
}

/** Creates the queue. `senders` are the sweeps that send. */
export function createOutbound(wake: (sweep: string) => void, senders: readonly string[]): Outbound {
  return {
    queue: insertOutbound,
    wake: () => {
      for (const sweep of senders) wake(sweep);
    },
  };
}

/** The sweep that books transfers that have ended. */
export const bookSweep = 'outbound.book';

/** Largest number of transfers booked in one turn. */
const mostAtOnce = 500;

export interface BookingDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly purposes: readonly OutboundPurpose[];
}

/** Books transfers of one merchant and purpose in one transaction. Unknown purposes are left to newer servers. */
export function createBookSweep(deps: BookingDeps): Sweep {
  return {
    name: bookSweep,
    everyMs: 1_000,
    run: async () => {
      const names = deps.purposes.map(({ name }) => name);
      const groups = await findUnbooked(deps.db, names, mostAtOnce);
      await runEach(groups, group => runTogether(group.ids, ids => bookGroup(deps, { ...group, ids })));
      return groups.reduce((sum, { ids }) => sum + ids.length, 0);
    },
  };
}

async function bookGroup({ db, clock, purposes }: BookingDeps, group: UnbookedGroup): Promise<void> {
  const purpose = purposes.find(({ name }) => name === group.purpose);
  await db.transaction().execute(async tx => {
    const ended = await markBooked(tx, group.merchant_id, group.ids, clock.now());
    if (ended.length > 0) await purpose?.book(tx, ended);
  });
}

/** The money that waits to leave by a rail, read every few seconds. */
export interface OutboundBacklog {
  readonly sweep: Sweep;
  /** Waiting transfers by state and reason. */
  readonly counts: () => ReadonlyMap<string, number>;
  /** Age of the oldest waiting transfer; 0 for none. */
  readonly oldestSeconds: () => number;
  /** Sentences for the operator about money that waits too long. */
  readonly remarks: () => readonly string[];
}

/** Slow ledgers, fees or a short outage of the network do not explain a longer wait. */
const longSeconds = 120;

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
