import { addSeconds, type Clock, systemClock } from '../../core/clock.ts';
import type { Db } from '../platform/db/database.ts';
import type { Log, Sweep } from '../platform/jobs/sweeper.ts';
import { insertCarrier, isStored } from './carrier.store.ts';
import type { BuiltCarrier, CarrierSender } from './carrier.ts';
import type { TellProgress } from './outbound.service.ts';
import {
  assignOutbound,
  claimOutbound,
  committedAmounts,
  dueOutbound,
  type RefusedOutbound,
  refuseOutbound,
  releaseOutbound,
} from './outbound.store.ts';
import type { ClockedOutbound, OutboundFailure } from './outbound.ts';
import { buildSweep, followSweep, NetworkUnavailable, underfunded } from './sender.ts';

/** The orders of a lane that are put into carriers. */
const builds = (lane: string) => ({ rails: [lane], states: ['queued', 'held'] }) as const;

/** Seconds of the lease of claimed orders: longer than a request to the network. */
const leaseSeconds = 30;
/** Maximum number of orders claimed at once. */
const mostAtOnce = 1_000;
/** Seconds for which an order is held that could not be checked. */
const uncheckedSeconds = 300;
/** Seconds for which an order is held that the service cannot pay. */
const shortSeconds = 10;

export interface BuildDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly sender: CarrierSender;
  readonly wake: (sweep: string) => void;
  readonly tellProgress: TellProgress;
  /** Called after orders have failed. */
  readonly onEnded: () => void;
}

/**
 * Builds carriers for the queued orders of a lane. Batches rest, because fewer and larger carriers leave room for later
 * orders of the same block.
 */
export function createBuildSweep(deps: BuildDeps): Sweep {
  const { lane, pollMs } = deps.sender;
  return {
    name: buildSweep(lane),
    due: [dueOutbound(builds(lane))],
    rest: { ms: pollMs / 2, fullBatch: mostAtOnce },
    run: async () => {
      const done = await buildDue(deps);
      if (done > 0) deps.onEnded();
      return done;
    },
  };
}

/**
 * Builds, signs and stores carriers, without submitting them. After a crash, an order is either still queued, or its
 * carrier is stored. Returns the number of orders that were stored, failed or held.
 */
async function buildDue(deps: BuildDeps): Promise<number> {
  const { db, clock, sender, log } = deps;
  let rows: readonly ClockedOutbound[] = [];
  try {
    // Without room, no order can be sent. Each run would then claim many rows for nothing.
    if ((await sender.room()) === 0) return 0;
    rows = await claimOutbound(db, {
      ...builds(sender.lane),
      to: 'queued',
      limit: mostAtOnce,
      leaseSeconds,
      now: clock.now(),
    });
    if (rows.length === 0) return 0;
    const { ready, decided } = await preflight(deps, rows);
    return decided + (await buildReady(deps, ready));
  } catch (error) {
    if (!(error instanceof NetworkUnavailable)) throw error;
    log.warn({ lane: sender.lane, reason: error.message }, 'a network cannot be reached; transfers wait');
    return 0;
  } finally {
    await releaseOutbound(db, rows);
  }
}

/** Builds and stores carriers. Returns the number of stored and refused orders. Throws the first error at the end. */
async function buildReady(deps: BuildDeps, ready: readonly ClockedOutbound[]): Promise<number> {
  if (ready.length === 0) return 0;
  const { db, clock, sender, wake, tellProgress } = deps;
  const { carriers, refused, errors } = await sender.build(ready);
  await refuseOutbound(db, refused, clock.now());
  const stored = await Promise.all(carriers.map(built => keepOrDiscard(deps, built)));
  const kept = stored.flatMap(each => each.kept);
  if (kept.length > 0) wake(followSweep(sender.lane));
  await tellProgress(kept.map(row => ({ row, step: 'sending', reference: null })));
  for (const error of [...errors, ...stored.flatMap(each => each.errors)]) throw error;
  return kept.length + refused.length;
}

/** Stores a carrier with its orders, or gives back what it was built on. */
async function keepOrDiscard(deps: BuildDeps, built: BuiltCarrier) {
  let outcome: Kept = 'lost';
  const errors: unknown[] = [];
  try {
    outcome = await keep(deps, built);
  } catch (error) {
    errors.push(error);
  }
  if (outcome !== 'kept') await built.discard(outcome === 'twin');
  return { kept: outcome === 'kept' ? built.orders : [], errors };
}

/** Thrown to roll the transaction back when another server has claimed the orders or what carries them. */
class LeaseLost extends Error {}

/** `lost`: another server claimed the orders or what carries them. `twin`: that server stored the same carrier. */
type Kept = 'kept' | 'lost' | 'twin';

/** Stores the carrier with its orders. Stores nothing if a claim was lost. */
async function keep({ db, log, sender: { lane } }: BuildDeps, built: BuiltCarrier): Promise<Kept> {
  const { carrier, orders } = built;
  try {
    await db.transaction().execute(async tx => {
      await insertCarrier(tx, lane, built, systemClock.now());
      if (!((await assignOutbound(tx, carrier.id, orders)) && (await built.hold(tx)))) throw new LeaseLost();
    });
    return 'kept';
  } catch (error) {
    const isTaken = (error as { code?: unknown }).code === uniqueViolation;
    if (!isTaken && !(error instanceof LeaseLost)) throw error;
    log.warn(
      { lane, carrier: carrier.id },
      'a carrier was not stored, because another server has claimed its transfers',
    );
    return isTaken && (await isStored(db, [carrier.hash, ...carrier.otherHashes])) ? 'twin' : 'lost';
  }
}

/** PostgreSQL's code of a violated unique constraint. */
const uniqueViolation = '23505';

/** An order that can be sent, and the most that it takes, by asset. */
export interface Ready {
  readonly row: ClockedOutbound;
  readonly needs: ReadonlyMap<string, bigint>;
}

/**
 * Fails orders that cannot be sent, and holds orders that the service cannot pay. Returns the rest, and the number of
 * failed and held orders. Orders that the network could not check stay queued. Throws `NetworkUnavailable` if it could
 * check none.
 */
async function preflight(deps: BuildDeps, rows: readonly ClockedOutbound[]) {
  const { db, clock, sender } = deps;
  const checks = await Promise.all(rows.map(row => check(deps, row)));
  const refused = checks.flatMap(each => ('failure' in each ? [each] : []));
  await refuseOutbound(db, refused, clock.now());
  const unread = checks.flatMap(each => ('unread' in each ? [each.unread] : []));
  if (unread.length === rows.length) throw unread[0];
  const [funds, committed] = await Promise.all([sender.funds(), committedAmounts(db, sender.lane, ['sending'])]);
  const sound = checks.flatMap(each => ('needs' in each ? [each] : []));
  const { covered, short } = coverable(sound, funds, committed);
  if (short.length > 0) await holdShort(deps, short);
  return { ready: covered.map(({ row }) => row), decided: refused.length + short.length };
}

/** Holds orders that the service cannot pay, and tells their modules, which may pay from another asset. */
async function holdShort(deps: BuildDeps, short: readonly Ready[]): Promise<void> {
  deps.log.warn({ transfers: short.length }, 'the treasury does not hold enough; transfers wait');
  const heldBack = short.map(({ row }) => held(row, underfunded, shortSeconds));
  await refuseOutbound(deps.db, heldBack, deps.clock.now());
  await deps.tellProgress(short.map(({ row }) => ({ row, step: 'short', reference: null })));
}

/** Checks an order. An unexpected error holds this order alone. */
async function check(
  { sender, log }: BuildDeps,
  row: ClockedOutbound,
): Promise<Ready | RefusedOutbound | { readonly unread: NetworkUnavailable }> {
  try {
    const found = await sender.check(row);
    if (found.state === 'ready') return { row, needs: found.needs };
    return { row, failure: { code: found.code, message: found.message }, heldUntil: null };
  } catch (error) {
    if (error instanceof NetworkUnavailable) return { unread: error };
    log.error({ err: error, transfer: row.id }, 'a transfer could not be checked; it waits');
    return held(row, { code: 'refused', message: 'The network refused the payment.' }, uncheckedSeconds);
  }
}

/** An order that waits for so many seconds. */
export function held(row: ClockedOutbound, failure: OutboundFailure, seconds: number): RefusedOutbound {
  return { row, failure, heldUntil: addSeconds(row.clock, seconds) };
}

/**
 * Splits orders, in their sequence, into `covered` ones and `short` ones, which must wait. `committed`: the most that
 * open carriers may still take.
 */
export function coverable<T extends Pick<Ready, 'needs'>>(
  orders: readonly T[],
  funds: ReadonlyMap<string, bigint>,
  committed: ReadonlyMap<string, bigint>,
): { readonly covered: T[]; readonly short: T[] } {
  const left = new Map([...funds].map(([asset, amount]) => [asset, amount - (committed.get(asset) ?? 0n)]));
  const covered: T[] = [];
  const short: T[] = [];
  for (const order of orders) {
    const fits = [...order.needs].every(([asset, amount]) => (left.get(asset) ?? 0n) >= amount);
    (fits ? covered : short).push(order);
    if (fits) for (const [asset, amount] of order.needs) left.set(asset, (left.get(asset) ?? 0n) - amount);
  }
  return { covered, short };
}
