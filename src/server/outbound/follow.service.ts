import { addSeconds, type Clock, systemClock } from '../../core/clock.ts';
import type { Db } from '../platform/db/database.ts';
import type { Log, Sweep } from '../platform/jobs/sweeper.ts';
import {
  carriedBy,
  claimCarriers,
  endCarrier,
  hashesOf,
  openCarriers,
  postponeCarrier,
  replaceSigned,
} from './carrier.store.ts';
import { type Carrier, type CarrierEnd, type CarrierOutcome, type CarrierSender, pauseAfter } from './carrier.ts';
import { endOutbound } from './outbound.store.ts';
import { buildSweep, followSweep, NetworkUnavailable } from './sender.ts';

/** Seconds of an attempt's lease, and milliseconds between two renewals. */
const leaseSeconds = 15;
const renewEveryMs = 5_000;
const mostAttempts = 32;

export interface FollowDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly sender: CarrierSender;
  readonly wake: (sweep: string) => void;
  /** Called after orders have ended or are queued again. */
  readonly onEnded: () => void;
}

/**
 * Submits stored carriers and follows them until they are in a block or expire. Attempts run concurrently, so a slow
 * attempt does not delay other attempts.
 */
export function createFollowSweep(deps: FollowDeps): Sweep {
  const { db, sender } = deps;
  const attempts = new Set<Promise<void>>();

  async function follow(carrier: Carrier): Promise<void> {
    const renew = () => void postponeCarrier(db, carrier, { dueAt: inRealTime(leaseSeconds) }).catch(() => false);
    const renewal = setInterval(renew, renewEveryMs);
    try {
      await conclude(deps, carrier, await attempt(deps, carrier));
    } catch (error) {
      deps.log.error(
        { err: error, carrier: carrier.id },
        'the outcome of a carrier could not be read and will be tried again',
      );
    } finally {
      clearInterval(renewal);
    }
  }

  return {
    name: followSweep(sender.lane),
    due: [openCarriers(sender.lane)],
    run: async () => {
      const limit = mostAttempts - attempts.size;
      if (limit <= 0) return 0;
      const claimed = await claimCarriers(db, sender.lane, { limit, leaseSeconds, now: systemClock.now() });
      for (const carrier of claimed) {
        const running = follow(carrier).finally(() => attempts.delete(running));
        attempts.add(running);
      }
      return claimed.length;
    },
    settled: async () => {
      await Promise.all(attempts);
    },
  };
}

/** A time of the real clock. Attempts depend on the network's real time, even if merchants use test clocks. */
function inRealTime(seconds: number): Date {
  return addSeconds(systemClock.now(), seconds);
}

/** Looks for a carrier that was submitted before. Submits it if it has not ended. */
async function attempt({ db, sender }: FollowDeps, carrier: Carrier): Promise<CarrierOutcome> {
  try {
    const known = carrier.attempts > 1 ? await sender.status(carrier, await hashesOf(db, carrier.id)) : null;
    return known ?? (await sender.submit(carrier));
  } catch (error) {
    if (!(error instanceof NetworkUnavailable)) throw error;
    return { state: 'unknown', reason: error.message, retryAfterSeconds: error.retryAfterSeconds };
  }
}

/** Writes the outcome of an attempt, unless a later attempt has begun. */
async function conclude(deps: FollowDeps, carrier: Carrier, outcome: CarrierOutcome): Promise<void> {
  const { db, log, sender, wake } = deps;
  const { id, attempts } = carrier;
  const postpone = async (ms: number, refused?: { readonly code: string; readonly parts: readonly string[] }) => {
    await postponeCarrier(db, carrier, { dueAt: inRealTime(ms / 1000), ...(refused && { refused }) });
    setTimeout(() => wake(followSweep(sender.lane)), ms).unref();
  };
  switch (outcome.state) {
    case 'pending':
      return await postpone(sender.pollMs);
    case 'unknown':
      log.warn({ carrier: id, reason: outcome.reason }, 'the outcome of a carrier is unknown; it is submitted again');
      return await postpone(pauseAfter(attempts, outcome.retryAfterSeconds, Math.random()));
    case 'refused':
      log.warn({ carrier: id, ...outcome }, 'the network refused a carrier; its transfers wait until it expires');
      return await postpone(pauseAfter(attempts, null, Math.random()), outcome);
    case 'replaced': {
      const isKept = await db.transaction().execute(tx => replaceSigned(tx, carrier, outcome.by, systemClock.now()));
      if (isKept) wake(followSweep(sender.lane));
      return;
    }
    default:
      if (await book(deps, carrier, outcome)) deps.onEnded();
  }
}

const endings = {
  applied: 'a carrier succeeded in a block',
  failed: 'a carrier failed in a block; its other transfers are sent again',
  expired: 'a carrier expired; its transfers are sent again',
} as const;

/** Ends a carrier, its orders and what it held, together. Returns false if a later attempt has begun. */
async function book({ db, clock, log, sender, wake }: FollowDeps, carrier: Carrier, end: CarrierEnd): Promise<boolean> {
  const { id } = carrier;
  const isBooked = await db.transaction().execute(async tx => {
    if (!(await endCarrier(tx, carrier, end))) return false;
    const now = clock.now();
    const orders = await carriedBy(tx, id);
    const ends = end.endsOf(orders, now).flatMap((each, index) => {
      const key = orders[index];
      return key === undefined ? [] : [{ key, end: each }];
    });
    await endOutbound(tx, ends, { now, carrierId: id });
    await end.free(tx);
    return true;
  });
  if (!isBooked) return false;
  await end.ended();
  wake(buildSweep(sender.lane));
  const details = { carrier: id, code: end.code, block: end.block.number };
  if (end.state === 'applied') log.info(details, endings[end.state]);
  else log.warn(details, endings[end.state]);
  return true;
}
