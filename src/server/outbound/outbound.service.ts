import type { Clock } from '../../core/clock.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { failsForAll } from '../platform/db/outage.ts';
import type { Write } from '../platform/db/rows.ts';
import { createPauses } from '../platform/jobs/pauses.ts';
import { type Log, runTogether, type Sweep } from '../platform/jobs/sweeper.ts';
import { scopeKeyOf } from '../platform/merchant.ts';
import {
  findUnbooked,
  insertOutbound,
  markBooked,
  outboundInsert,
  readWaiting,
  type UnbookedGroup,
  unbookedTransfers,
  type WaitingOutbound,
} from './outbound.store.ts';
import type { NewOutbound, OutboundProgress, OutboundPurpose, ReturnedOutbound } from './outbound.ts';
import { createPlanning, type PlanOrders } from './plan.service.ts';
import { buildSweep, type Lane, sendSweep } from './sender.ts';

/** The queue of outbound transfers, for modules that send money. */
export interface Outbound {
  /**
   * Decides how orders are sent now, each alone. Queue those that are `ready`. Callers plan before they queue, because
   * the ledger reserves the amount of the plan in the transaction that queues it, or because the merchant learns at
   * once why an order waits or fails.
   */
  readonly plan: PlanOrders;
  /** Orders whose every plan fails: seconds since the first failure, by name. */
  readonly failingPlans: () => ReadonlyMap<string, number>;
  /** Queues transfers in the caller's transaction. Ignores a transfer whose resource and attempt are already queued. */
  queue(tx: Tx, transfers: readonly NewOutbound[]): Promise<void>;
  /** The insert of `queue`, for callers who write it together with other rows. Null without transfers. */
  queueing(tx: Tx, transfers: readonly NewOutbound[]): Promise<Write | null>;
  /** Wakes the senders. Call it after the commit. */
  wake(): void;
  /** Reports transfers in progress to their purposes. Senders call it after the commit. It never throws. */
  readonly tellProgress: TellProgress;
  /** Books ended transfers of all rails. */
  readonly bookEnded: BookEnded;
  /** Lets the purposes book money that came back, in the caller's transaction. See `takesBack`. */
  takeBack(tx: Tx, returned: readonly ReturnedOutbound[]): Promise<void>;
  /** Whether the purpose books money that comes back. */
  takesBack(purpose: string): boolean;
}

export type TellProgress = (steps: readonly OutboundProgress[]) => Promise<void>;

/** Creates `tellProgress`, which calls a purpose once for each merchant and mode. */
function createProgress(purposes: readonly OutboundPurpose[], log: Log): TellProgress {
  return async steps => {
    const groups = Map.groupBy(steps, ({ row }) => `${scopeKeyOf(row)} ${row.purpose}`);
    for (const group of groups.values()) {
      const purpose = purposes.find(({ name }) => name === group[0]?.row.purpose);
      await purpose
        ?.progress?.(group)
        .catch(err => log.error({ err }, 'the progress of transfers could not be reported'));
    }
  };
}

interface OutboundDeps extends BookingDeps {
  readonly wake: (sweep: string) => void;
  /** The lanes of the queue. More may be added later. */
  readonly senders: readonly Lane[];
}

/** Creates the queue. */
export function createOutbound({ wake, senders, ...booking }: OutboundDeps): Outbound {
  const { plan, failing } = createPlanning(senders, booking.log);
  return {
    plan,
    failingPlans: failing,
    queue: insertOutbound,
    queueing: outboundInsert,
    tellProgress: createProgress(booking.purposes, booking.log),
    bookEnded: createBooking(booking),
    takeBack: async (tx, returned) => {
      const groups = Map.groupBy(returned, ({ row }) => row.purpose);
      for (const [name, group] of groups) await purposeNamed(booking, name)?.takeBack?.(tx, group);
    },
    takesBack: name => purposeNamed(booking, name)?.takeBack !== undefined,
    wake: () => {
      wake(sendSweep);
      for (const { lane } of senders) wake(buildSweep(lane));
    },
  };
}

function purposeNamed({ purposes }: Pick<BookingDeps, 'purposes'>, name: string): OutboundPurpose | undefined {
  return purposes.find(purpose => purpose.name === name);
}

/** The sweep that books ended transfers. */
export const bookSweep = 'outbound.book';

/** Maximum transfers booked in one run. */
const mostAtOnce = 500;
/** Seconds until a failed booking is repeated. Other transfers are booked in the meantime. */
const pauseSeconds = 30;

interface BookingDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly purposes: readonly OutboundPurpose[];
}

/** Books ended transfers of all rails that are not booked yet. Returns their number. */
export type BookEnded = () => Promise<number>;

/** Creates `bookEnded`. Leaves transfers of unknown purposes to newer servers. */
function createBooking(deps: BookingDeps): BookEnded {
  const pauses = createPauses(deps.clock, pauseSeconds);
  return async () => {
    const purposes = deps.purposes.map(({ name }) => name);
    const groups = await findUnbooked(deps.db, { purposes, except: pauses.current(), limit: mostAtOnce });
    let count = 0;
    for (const group of groups) {
      const { booked, failed } = await bookGroup(deps, group);
      count += booked;
      for (const id of failed) pauses.add(id);
    }
    return count;
  };
}

/** Books ended transfers that their senders have not booked. */
export function createBookSweep(run: BookEnded): Sweep {
  return { name: bookSweep, due: [unbookedTransfers], run };
}

/** Books transfers of one merchant, mode and purpose in one transaction. After an error, books each transfer separately. */
async function bookGroup(deps: BookingDeps, { merchant_id: merchant, purpose, ids }: UnbookedGroup) {
  let booked = 0;
  const failed: string[] = [];
  let err: unknown;
  await runTogether(ids, async some => {
    try {
      booked += await book(deps, merchant, purpose, some);
    } catch (error) {
      // When the database is unreachable, the failure says nothing about the transfer.
      if (some.length > 1 || failsForAll(error)) throw error;
      failed.push(...some);
      err = error;
    }
  });
  if (failed.length > 0) {
    deps.log.error(
      { err, merchant, purpose, transfers: failed },
      'transfers could not be booked and will be tried again',
    );
  }
  return { booked, failed };
}

async function book(
  { db, clock, purposes }: BookingDeps,
  merchantId: string,
  purpose: string,
  ids: readonly string[],
): Promise<number> {
  return await db.transaction().execute(async tx => {
    const ended = await markBooked(tx, merchantId, ids, clock.now());
    if (ended.length > 0) await purposeNamed({ purposes }, purpose)?.book(tx, ended);
    return ended.length;
  });
}

/** Waiting transfers of a rail, read every few seconds. */
export interface OutboundBacklog {
  readonly sweep: Sweep;
  /** Waiting transfers by state and reason. */
  readonly counts: () => ReadonlyMap<string, number>;
  /** Age of the oldest waiting transfer; 0 for none. */
  readonly oldestSeconds: () => number;
  /** Messages for the operator about transfers that have waited too long. */
  readonly remarks: () => readonly string[];
}

/** Seconds after which a wait needs the operator: slow ledgers, fees or a short network outage take less. */
const longSeconds = 120;

export function createOutboundBacklog(db: Db, rail: string): OutboundBacklog {
  let waiting: readonly WaitingOutbound[] = [];
  return {
    sweep: {
      name: 'outbound.backlog',
      everyMs: 60_000,
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
