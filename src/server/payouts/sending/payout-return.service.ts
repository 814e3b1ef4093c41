import type { Clock } from '../../../core/clock.ts';
import { divideDown, least } from '../../../core/money.ts';
import { post } from '../../ledger/ledger.store.ts';
import { exchange } from '../../ledger/posting.ts';
import type { Outbound } from '../../outbound/outbound.service.ts';
import { findOrders } from '../../outbound/outbound.store.ts';
import type { ClockedOutbound, OutboundRow } from '../../outbound/outbound.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type Planned, planChange, planned } from '../../platform/events/change.ts';
import { type Log, runEach, runTogether, type Sweep } from '../../platform/jobs/sweeper.ts';
import type { PayoutRail } from '../../rails/rail.ts';
import { payingAccount } from '../destinations/route.ts';
import { lockPayouts } from '../payout.store.ts';
import { payoutResource } from '../payout.ts';
import type { PayoutContext } from '../payout.view.ts';
import { writePayouts } from '../payout-change.ts';
import { markVerification } from '../recipients/payee.store.ts';
import type { PayoutRow, ReturnRow } from '../tables.ts';
import { payoutPurpose } from './payout-queue.service.ts';
import {
  findOpenReturns,
  keepReturns,
  lockReturns,
  markReturns,
  openReturns,
  readReturnCursor,
  returnedSums,
  unreadReturns,
} from './payout-return.store.ts';

export interface ReturnDeps extends PayoutContext {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly rails: { readonly payouts: readonly PayoutRail[] };
  readonly outbound: Outbound;
  /** The current time on the merchant's clock in the mode. */
  readonly nowOf: (merchantId: string, livemode: boolean) => Promise<Date>;
}

const mostAtOnce = 200;
/** Milliseconds between two requests to rails that store returns elsewhere. */
const askMs = 60_000;

/** Reads the rails' lists of returns and stores each entry. Books an entry after the outcome of its order. */
export function createReturnSweep(deps: ReturnDeps): Sweep {
  return {
    name: 'payouts.returns',
    due: [openReturns, ...unreadReturns(deps.rails.payouts)],
    ...(deps.rails.payouts.some(({ returnsTable }) => returnsTable === undefined) ? { everyMs: askMs } : {}),
    run: async () => {
      let count = 0;
      const reading = deps.rails.payouts.map(rail => async () => {
        count += await readReturns(deps, rail);
      });
      // A rail whose list cannot be read stops no other rail, and no return that is already stored.
      await runEach([...reading, () => bookOpen(deps)], step => step());
      return count;
    },
  };
}

/** Stores the next page of a rail's list. Returns its number of entries. */
async function readReturns({ db, clock }: ReturnDeps, rail: PayoutRail): Promise<number> {
  const from = await readReturnCursor(db, rail.id);
  const { returns, cursor } = await rail.findReturns(from, mostAtOnce);
  if (returns.length > 0) await keepReturns(db, { rail: rail.id, from, returns, cursor, now: clock.now() });
  return returns.length;
}

async function bookOpen(deps: ReturnDeps): Promise<void> {
  const open = Map.groupBy(await findOpenReturns(deps.db, mostAtOnce), row => row.merchant_id);
  await runEach([...open], ([merchantId, rows]) => runTogether(rows, some => bookReturns(deps, merchantId, some)));
}

/** Books returns of one merchant together. A return waits until the outcome of its order is booked. */
async function bookReturns(deps: ReturnDeps, merchantId: string, open: readonly ReturnRow[]): Promise<void> {
  const found = await findOrders(
    deps.db,
    merchantId,
    open.map(row => row.order_id),
  );
  const [live, test] = await Promise.all([deps.nowOf(merchantId, true), deps.nowOf(merchantId, false)]);
  const orders = new Map(found.map(order => [order.id, { ...order, clock: order.livemode ? live : test }]));
  await deps.db.transaction().execute(async tx => {
    const payoutIds = found.filter(({ purpose }) => purpose === payoutPurpose).map(order => order.resource_id);
    const locked = await lockPayouts(tx, merchantId, payoutIds);
    const payouts = new Map(locked.map(row => [row.id, row]));
    const sums = new Map(await returnedSums(tx, merchantId, [...orders.keys()]));
    const handledIds: string[] = [];
    for (const row of await lockReturns(
      tx,
      merchantId,
      open.map(({ id }) => id),
    )) {
      const order = orders.get(row.order_id);
      if (order !== undefined && !isDecided(order)) continue;
      handledIds.push(row.id);
      const before = sums.get(row.order_id) ?? 0n;
      const isBooked =
        order !== undefined &&
        (order.purpose === payoutPurpose
          ? await bookOfPayout(tx, deps, { row, order, before, payouts, sums })
          : await bookOfOther(tx, deps, { row, order, before, sums }));
      if (!isBooked) deps.log.error({ order: row.order_id, return: row.id }, unbookable);
    }
    await markReturns(tx, merchantId, handledIds);
  });
}

const unbookable =
  'money came back whose order is unknown or did not complete, or only a part of a refund came back: compare it with the rail’s account';

/** A return, its order, and the parts of the order's money that came back before. */
interface BookedReturn {
  readonly row: ReturnRow;
  readonly order: ClockedOutbound;
  readonly before: bigint;
  readonly sums: Map<string, bigint>;
}

/** Books the return of a payout. False if the order did not pay it. */
async function bookOfPayout(
  tx: Tx,
  deps: ReturnDeps,
  { row, order, before, sums, payouts }: BookedReturn & { readonly payouts: Map<string, PayoutRow> },
): Promise<boolean> {
  const payout = payouts.get(order.resource_id);
  if (payout === undefined || !wasPaidBy(payout, order)) return false;
  const amount = least(row.amount, (payout.paid_amount ?? payout.amount) - before);
  sums.set(order.id, before + amount);
  payouts.set(payout.id, await bookReturn(tx, deps, { ...row, payout, amount, before }, order.clock));
  return true;
}

/** Lets another purpose, such as refunds, book the return. False unless all money of the order is back. */
async function bookOfOther(
  tx: Tx,
  { outbound }: ReturnDeps,
  { row, order, before, sums }: BookedReturn,
): Promise<boolean> {
  sums.set(order.id, before + row.amount);
  const isWhole = before < order.amount && before + row.amount >= order.amount;
  if (order.state !== 'completed' || !isWhole || !outbound.takesBack(order.purpose)) return false;
  await outbound.takeBack(tx, [{ row: order, code: row.code, message: row.message }]);
  return true;
}

/** Whether the outcome of the order is known and booked. */
function isDecided({ state, booked }: OutboundRow): boolean {
  return booked && (state === 'completed' || state === 'failed');
}

/** Whether this order paid the payout. A retry of a failed payout sends another order. */
function wasPaidBy(payout: PayoutRow, order: OutboundRow): boolean {
  const isPaid = payout.status === 'completed' || payout.status === 'returned';
  return isPaid && order.state === 'completed' && order.attempt === payout.attempt;
}

/** A payout and its returned part, in the currency or asset that the recipient was paid in. */
export interface ReturnedPayout {
  readonly payout: PayoutRow;
  readonly amount: bigint;
  /** The parts that came back before. */
  readonly before: bigint;
  readonly code: string;
  readonly message: string;
}

/**
 * Credits the available balance in proportion: if a third of `paid_amount` came back, it gets a third of
 * `source_amount`. All parts together credit exactly `source_amount`. The payout becomes `returned` when all of its
 * money is back, and is completed until then.
 */
export async function bookReturn(
  tx: Tx,
  context: PayoutContext,
  returned: ReturnedPayout,
  now: Date,
): Promise<PayoutRow> {
  const { payout, amount, before, code, message } = returned;
  if (amount <= 0n) return payout;
  const { merchant_id: merchantId, recipient_id: recipientId, destination, source_amount: source } = payout;
  const paid = payout.paid_amount ?? payout.amount;
  const returnedAmount = divideDown(source * (before + amount), paid);
  await post(tx, [returnTransaction(returned, returnedAmount - payout.returned_amount, now)]);
  // A part that is worth less than the smallest unit of the balance credits nothing yet, so it has no reason to show.
  const reason = returnedAmount > 0n ? { failure_code: code, failure_message: message } : {};
  const set = { ...reason, returned_amount: returnedAmount };
  const isWhole = before + amount >= paid;
  const change = isWhole
    ? ({ to: 'returned', set, now } as const)
    : ({ set, now, events: ['payout.partially_returned'] } as const);
  const plan: Planned<PayoutRow> = planChange(payoutResource, context, planned(payout), change);
  await writePayouts(tx, context, [plan]);
  if (recipientId !== null) await markVerification(tx, merchantId, [{ recipientId, destination, verified: false }]);
  return plan.after;
}

function returnTransaction({ payout, amount }: ReturnedPayout, credited: bigint, now: Date) {
  const { merchant_id: merchantId, livemode, id: resourceId, unit, source_currency: currency } = payout;
  const given = { currency: unit ?? payout.currency, amount };
  const taken = { currency, amount: credited };
  const postings = exchange(payingAccount(payout), given, 'merchant.available', taken);
  return { merchantId, livemode, kind: 'payout_returned', resourceId, postings, now };
}
