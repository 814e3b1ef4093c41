import type { Clock } from '../../core/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { runEach, runTogether } from '../platform/jobs/run-each.ts';
import type { Sweep } from '../platform/jobs/sweeper.ts';
import { findUnbooked, insertOutbound, markBooked, type UnbookedGroup } from './outbound.store.ts';
import type { NewOutbound, OutboundPurpose } from './outbound.ts';

/** The queue of money that leaves, as modules see it that send money. */
export interface Outbound {
  /** Queues money in the caller's transaction. A resource and attempt that are queued already stay as they are. */
  queue(tx: Tx, transfers: readonly NewOutbound[]): Promise<void>;
  /** Makes the senders look for work now. Call it once the transaction has committed. */
  wake(): void;
}

/** Makes the queue. `senders` are the sweeps that send. */
export function createOutbound(wake: (sweep: string) => void, senders: readonly string[]): Outbound {
  return {
    queue: insertOutbound,
    wake: () => {
      for (const sweep of senders) wake(sweep);
    },
  };
}

/** The sweep that books transfers which have ended. */
export const bookSweep = 'outbound.book';

/** Most transfers booked in one turn. */
const mostAtOnce = 500;

/** What booking needs. */
export interface BookingDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly purposes: readonly OutboundPurpose[];
}

/**
 * Books what ended: transfers of one merchant and purpose in one transaction. Purposes that this server does not know
 * are left to newer servers.
 */
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
