import { addSeconds } from '../../../core/clock.ts';
import { unitText } from '../../../core/unit.ts';
import type { DirectRoute } from '../../payouts/owned/direct-route.ts';
import type { Tx } from '../../platform/db/database.ts';
import { changeRow } from '../../platform/events/change.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { closeOf } from './begin.service.ts';
import { type FiatDeps, routeTo } from './fiat-deps.ts';
import { keepOpen, keepsAll } from './keep.service.ts';
import { insertSettlements, lockSettlements } from './settlement.store.ts';
import { amountOf, newSettlement, payableOf, settlementResource } from './settlement.ts';
import type { SettlementRow } from './tables.ts';

/** A due settlement. `now` is on the merchant's clock. */
interface Due {
  readonly merchantId: string;
  readonly id: string;
  readonly now: Date;
}

/** Seconds until a settlement without a route is tried again. */
const retrySeconds = 3_600;

/** Closes or keeps an open settlement, or marks the next payments of an ended one. */
export async function workOn(deps: FiatDeps, { merchantId, id, now }: Due): Promise<void> {
  await deps.db.transaction().execute(async tx => {
    const [row] = await lockSettlements(tx, merchantId, [id]);
    if (row === undefined || row.due_at === null || row.due_at > now) return;
    if (row.status === 'open') await end(deps, tx, row, now);
    else await markPayments(deps, tx, row, now);
  });
  deps.ownedPayouts.wake();
}

/** Reads the account under the settlement's lock, because a change of the account locks its open settlements too. */
async function end(deps: FiatDeps, tx: Tx, open: SettlementRow, now: Date): Promise<void> {
  const merchant = (await deps.findMerchants(tx, [open.merchant_id])).get(open.merchant_id);
  if (merchant === undefined) throw new Error(`merchant ${open.merchant_id} does not exist`);
  if (keepsAll(merchant)) await keepOpen(deps, tx, open, now);
  else await close(deps, tx, merchant, open, now);
}

/**
 * Deducts debts and pays out the rest, at most the rail's largest transfer. Less than the rail's minimum waits for the
 * next day, and adds up.
 */
async function close(deps: FiatDeps, tx: Tx, merchant: Merchant, open: SettlementRow, now: Date): Promise<void> {
  const { merchant_id: merchantId, livemode, currency, id } = open;
  const scope = { merchantId, livemode, currency };
  const deducted = await deps.fiatSettlements.deduct(tx, scope, id, amountOf(open), now);
  const row = { ...open, deducted: open.deducted + deducted };
  const set = { deducted: row.deducted };
  const amount = amountOf(row);
  if (amount === 0n) {
    const paid = { ...set, due_at: now, scheduled_at: null, closed_at: now, paid_at: now };
    await changeRow(tx, settlementResource, null, open, { to: 'paid', set: { ...paid, ...noFailure }, now });
    return;
  }
  const route = routeTo(deps, merchant, currency);
  if (route === null) {
    const next = addSeconds(now, retrySeconds);
    await wait(tx, open, { ...set, ...noRoute(currency) }, next, now);
    return;
  }
  const payable = payableOf(amount, route);
  if (payable === null) {
    const next = closeOf(deps, merchant, currency, now);
    await wait(tx, open, { ...set, ...belowMinimum(route, currency) }, next, now);
    return;
  }
  await payOut(deps, tx, merchant, { open, row, route, payable, now });
}

const noFailure = { failure_code: null, failure_message: null } as const;

function noRoute(currency: string) {
  const message = `No connected rail pays ${currency} to settlement.destination. Change it, or keep the money in the balance.`;
  return { failure_code: 'no_route', failure_message: message };
}

function belowMinimum({ least, rail }: DirectRoute, currency: string) {
  const message = `${rail} pays at least ${unitText(least, currency)} ${currency}. The money waits for more.`;
  return { failure_code: 'below_minimum', failure_message: message };
}

async function wait(tx: Tx, open: SettlementRow, set: Partial<SettlementRow>, next: Date, now: Date): Promise<void> {
  const times = { scheduled_at: next, due_at: next };
  await changeRow(tx, settlementResource, null, open, { set: { ...set, ...times }, now });
}

interface Payable {
  readonly open: SettlementRow;
  /** The settlement with its deductions. */
  readonly row: SettlementRow;
  readonly route: DirectRoute;
  /** What this settlement's payout pays. The next settlement takes over the rest. */
  readonly payable: bigint;
  readonly now: Date;
}

async function payOut(deps: FiatDeps, tx: Tx, merchant: Merchant, { open, row, route, payable, now }: Payable) {
  const { settlementDestination: destination } = merchant;
  const { id, currency, livemode, batch } = row;
  if (destination === null) throw new Error('a settlement without a destination was closed');
  const rest = amountOf(row) - payable;
  const order = {
    owner: { type: 'settlement' as const, id },
    amount: payable,
    currency,
    destination,
    rail: route.rail,
  };
  const payouts = await deps.ownedPayouts.create(tx, { merchant, livemode, now }, [order]);
  const set = {
    deducted: row.deducted,
    carried: row.carried - rest,
    destination,
    payout_id: payouts.get(id) ?? null,
    ...noFailure,
    due_at: null,
    scheduled_at: null,
    closed_at: now,
  };
  await changeRow(tx, settlementResource, null, open, { to: 'paying', set, now });
  if (rest === 0n) return;
  const scope = { merchantId: merchant.id, livemode };
  // What exceeds the rail's largest transfer is paid at once, by further settlements.
  const nextAt = payableOf(rest, route) === null ? closeOf(deps, merchant, currency, now) : now;
  const next = { batch, currency, carried: rest, scheduled_at: nextAt };
  await insertSettlements(tx, [newSettlement(scope, next, now)]);
}

/** Marks the next payments of a settlement whose payout has ended. */
async function markPayments({ fiatSettlements }: FiatDeps, tx: Tx, row: SettlementRow, now: Date): Promise<void> {
  const { merchant_id: merchantId, id: settlementId, failure_code: code } = row;
  const isKept = row.status === 'kept';
  const payoutId = isKept ? null : row.payout_id;
  const failure = row.status === 'paid' || code === null ? null : { code, message: row.failure_message ?? '' };
  const after = row.marked_after ?? '';
  const last = await fiatSettlements.mark(tx, { merchantId, settlementId, payoutId, isKept, failure, after, now });
  const set = { marked_after: last, due_at: last === null ? null : now };
  await changeRow(tx, settlementResource, null, row, { set, now });
}
