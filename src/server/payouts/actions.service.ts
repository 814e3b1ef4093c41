import { PayError } from '../../core/error.ts';
import { cancelApprovals } from '../approvals/approval.service.ts';
import { post, postingWrites, requireAvailable } from '../ledger/ledger.store.ts';
import { move } from '../ledger/posting.ts';
import { cancelOutbound } from '../outbound/outbound.store.ts';
import type { Executor, Tx } from '../platform/db/database.ts';
import { type Change, type Planned, planChange, planned, writeChanges } from '../platform/events/change.ts';
import type { Caller } from '../platform/http/access/caller.ts';
import type { Rates } from '../rates/rates.ts';
import { concludeBatches } from './batch-end.service.ts';
import { findWaitingBatches } from './batches/batch.store.ts';
import { createPricing, type Price, usualSlippage } from './intake/pricing.ts';
import { findUnits, lockBatches, lockPayouts, type PayoutUnits } from './payout.store.ts';
import { batchResource, payoutResource, waitingStatuses } from './payout.ts';
import type { PayoutContext } from './payout.view.ts';
import { writePayouts } from './payout-change.ts';
import { ownerOf } from './payout-owner.ts';
import { payoutPurpose, released } from './sending/payout-queue.service.ts';
import type { PayoutRow } from './tables.ts';

export interface ActionDeps extends PayoutContext {
  readonly rates: Rates;
}

/**
 * A merchant's action on a payout or a batch. Only a failed payout can be retried. The other actions need a payout that
 * was not sent. A payout in another state is rejected, or skipped in a batch.
 */
export type PayoutAction = 'cancel' | 'hold' | 'resume' | 'retry';

/** An action on payouts, and the rates that it needs. */
export interface PreparedAction {
  readonly action: PayoutAction;
  readonly pricing: ReturnType<typeof createPricing>;
}

/** Reads the rates for the action before its transaction: one rate for each pair of currencies or assets. */
export async function prepareAction(
  db: Executor,
  deps: ActionDeps,
  payouts: { readonly merchantId: string; readonly batchId: string } | PayoutRow,
  action: PayoutAction,
): Promise<PreparedAction> {
  const pricing = createPricing(deps.rates, usualSlippage);
  if (action === 'resume' || action === 'retry') {
    const found = 'batchId' in payouts ? await findUnits(db, payouts.merchantId, payouts.batchId) : [payouts];
    for (const row of found) await pricing.price(pricedOf({ ...row, amount: 1n }), 'payout');
  }
  return { action, pricing };
}

/** Applies the action to payouts of the caller in one transaction. Returns the changed payouts. */
export async function actOn(
  tx: Tx,
  deps: ActionDeps,
  caller: Caller,
  ids: readonly string[],
  { action, pricing }: PreparedAction,
): Promise<readonly PayoutRow[]> {
  const rows = await lockPayouts(tx, caller.merchant.id, ids);
  const owned = rows.filter(({ livemode }) => livemode === caller.livemode);
  const candidates = owned.filter(row => isAllowed(row, action));
  const unsent = await withoutSent(tx, caller, candidates);
  const waiting = await findWaitingBatches(tx, caller.merchant.id, [...new Set(unsent.map(row => row.batch_id))]);
  const prices = action === 'resume' || action === 'retry' ? await pricesOf(pricing, unsent) : new Map<string, Price>();
  const changes = unsent.flatMap(
    row => planAction(deps, caller, row, { action, waiting, price: prices.get(row.id) }) ?? [],
  );
  if (action === 'resume' || action === 'retry') await reserveMore(tx, caller, changes);
  const booked = action === 'retry' ? [] : released(changes, caller.now);
  await writePayouts(tx, deps, changes, { writes: await postingWrites(tx, booked) });
  if (action === 'retry') await reopenBatches(tx, deps, caller, changes);
  else await cancelApprovals(tx, caller, await concludeBatches(tx, deps, changes));
  return changes.map(({ after }) => after);
}

function isAllowed(row: PayoutRow, action: PayoutAction): boolean {
  const { status, rail } = row;
  // The owner pays again: `POST /v1/settlements/:id/retry`, `POST /v1/ramps/:id/accept`.
  if (action === 'retry') return status === 'failed' && ownerOf(row) === null;
  // A payout without a rail cannot be sent, so it cannot be resumed.
  if (action === 'resume') return status === 'on_hold' && rail !== null;
  if (action === 'hold') return status === 'queued' || status === 'scheduled';
  return (waitingStatuses as readonly string[]).includes(status);
}

/** Cancels the queued transfers of waiting payouts. Returns the payouts that certainly were not sent. */
async function withoutSent(
  tx: Tx,
  { merchant, now }: Caller,
  rows: readonly PayoutRow[],
): Promise<readonly PayoutRow[]> {
  // A queued payout without due time is in the queue of outbound transfers.
  const handedOver = rows
    .filter(({ status, due_at: dueAt }) => status === 'queued' && dueAt === null)
    .map(({ id }) => id);
  const request = { merchantId: merchant.id, purpose: payoutPurpose, now };
  const canceled = new Set(await cancelOutbound(tx, request, handedOver));
  return rows.filter(({ id }) => !handedOver.includes(id) || canceled.has(id));
}

function pricedOf({
  amount,
  currency,
  source_currency: sourceCurrency,
  unit,
}: PayoutUnits & { readonly amount: bigint }) {
  return { amount, currency, sourceCurrency, unit };
}

/** The current prices. A payout without a price does not change. Throws `rate_unavailable` if no payout has a price. */
async function pricesOf(
  pricing: PreparedAction['pricing'],
  rows: readonly PayoutRow[],
): Promise<ReadonlyMap<string, Price>> {
  const prices = new Map<string, Price>();
  let problem = '';
  for (const row of rows) {
    const price = await pricing.price(pricedOf(row), 'payout');
    if ('param' in price) problem = price.message;
    else prices.set(row.id, price);
  }
  if (rows.length > 0 && prices.size === 0) throw new PayError('rate_unavailable', problem, { retryAfterSeconds: 60 });
  return prices;
}

interface Acting {
  readonly action: PayoutAction;
  /** Ids of batches that have not started. Their payouts must not be sent yet. */
  readonly waiting: ReadonlySet<string>;
  readonly price: Price | undefined;
}

/** The change of a payout, or null if its price is missing. */
function planAction(
  deps: ActionDeps,
  { now }: Caller,
  row: PayoutRow,
  { action, waiting, price }: Acting,
): Planned<PayoutRow> | null {
  const plan = (change: Change<PayoutRow, PayoutRow['status']>) =>
    planChange(payoutResource, deps, planned(row), change);
  const hold = { hold_code: null, hold_message: null };
  if (action === 'cancel') return plan({ to: 'canceled', set: { ...hold, due_at: null, completed_at: now }, now });
  if (action === 'hold') {
    // The canceled transfer has used this attempt number, and the queue accepts each number once.
    const attempt = row.status === 'queued' && row.due_at === null ? row.attempt + 1 : row.attempt;
    const reason = { hold_code: 'merchant', hold_message: 'Put on hold by the merchant.' };
    return plan({ to: 'on_hold', set: { attempt, due_at: null, ...reason }, now });
  }
  if (price === undefined) return null;
  const bounds = { source_amount: price.sourceAmount, least_amount: price.leastAmount, paid_amount: null };
  if (action === 'retry') {
    const failure = { failure_code: null, failure_message: null, completed_at: null, trace: null };
    return plan({ to: 'queued', set: { ...bounds, ...failure, attempt: row.attempt + 1, due_at: now }, now });
  }
  // A resumed payout must not be sent before its batch starts.
  const isBatchWaiting = waiting.has(row.batch_id);
  const set = { ...hold, ...bounds, due_at: isBatchWaiting ? null : now };
  return plan({ to: isBatchWaiting ? 'scheduled' : 'queued', set, now });
}

/** Reserves money at current rates: the whole amount of a failed payout, or the missing amount of a held payout. */
async function reserveMore(tx: Tx, { merchant, livemode, now }: Caller, changes: readonly Planned<PayoutRow>[]) {
  const amounts = new Map<string, bigint>();
  const transactions = changes.flatMap(({ before, after }) => {
    const held = before.status === 'failed' ? 0n : before.source_amount;
    const more = after.source_amount - held;
    const { source_currency: currency, id: resourceId } = after;
    if (more <= 0n) return [];
    amounts.set(currency, (amounts.get(currency) ?? 0n) + more);
    const postings = move('merchant.available', 'merchant.reserved', currency, more);
    const kind = before.status === 'failed' ? 'payout_retried' : 'payout_repriced';
    return [{ merchantId: merchant.id, livemode, now, kind, resourceId, postings }];
  });
  await requireAvailable(tx, { merchantId: merchant.id, livemode, now }, amounts);
  await post(tx, transactions);
}

async function reopenBatches(
  tx: Tx,
  deps: ActionDeps,
  { merchant, now }: Caller,
  changes: readonly Planned<PayoutRow>[],
) {
  const ids = [...new Set(changes.map(({ after }) => after.batch_id))];
  const batches = (await lockBatches(tx, merchant.id, ids)).filter(({ status }) => status !== 'processing');
  const plans = batches.map(batch => {
    const set = { completed_at: null };
    return planChange(batchResource, deps, planned(batch), { to: 'processing', set, now });
  });
  await writeChanges(tx, batchResource, plans);
}

/** Starts the scheduled payouts of a batch. Payouts on hold stay on hold. */
export async function startPayouts(tx: Tx, deps: PayoutContext, rows: readonly PayoutRow[], now: Date): Promise<void> {
  const changes = rows
    .filter(({ status }) => status === 'scheduled')
    .map(row => planChange(payoutResource, deps, planned(row), { to: 'queued', set: { due_at: now }, now }));
  await writePayouts(tx, deps, changes);
}
