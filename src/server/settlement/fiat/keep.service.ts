import { parseCurrency } from '../../../core/currency.ts';
import { PayError } from '../../../core/error.ts';
import { post } from '../../ledger/ledger.store.ts';
import { move } from '../../ledger/posting.ts';
import type { Tx } from '../../platform/db/database.ts';
import { changeRow } from '../../platform/events/change.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import type { Merchant } from '../../platform/merchant.ts';
import { type FiatDeps, routeTo } from './fiat-deps.ts';
import { readSettlement } from './retry.service.ts';
import { lockSettlements } from './settlement.store.ts';
import { amountOf, settlementResource } from './settlement.ts';
import type { SettlementRow } from './tables.ts';

/** Whether open settlements of the account are kept without a request: it asks for that, or nothing receives them. */
export function keepsAll({ settlementSchedule, settlementDestination }: Merchant): boolean {
  return settlementSchedule === 'manual' || settlementDestination === null;
}

/**
 * Keeps a settlement's money in the available balance. The money of a failed or returned one is there already. Throws
 * `resource_missing` and `illegal_state`.
 */
export async function prepareKeep(
  deps: FiatDeps,
  caller: Caller,
  id: string,
): Promise<(tx: Tx) => Promise<SettlementRow>> {
  await readSettlement(deps, caller, id);
  const merchant = await deps.findMerchant(caller.merchant.id);
  return async tx => {
    const [row] = await lockSettlements(tx, merchant.id, [id]);
    if (row === undefined) throw new Error(`settlement ${id} does not exist`);
    assertMayKeep(deps, merchant, row);
    return row.status === 'open' ? await keepOpen(deps, tx, row, caller.now) : await keep(tx, row, {}, caller.now);
  };
}

/** Moves the reserved money of a locked open settlement to the available balance, without debts, which are deducted. */
export async function keepOpen(
  { fiatSettlements }: Pick<FiatDeps, 'fiatSettlements'>,
  tx: Tx,
  open: SettlementRow,
  now: Date,
): Promise<SettlementRow> {
  const { merchant_id: merchantId, livemode, currency, id: resourceId } = open;
  const more = await fiatSettlements.deduct(tx, { merchantId, livemode, currency }, resourceId, amountOf(open), now);
  const deducted = open.deducted + more;
  const postings = move('merchant.reserved', 'merchant.available', currency, amountOf({ ...open, deducted }));
  await post(tx, [{ merchantId, livemode, kind: 'settlement_kept', resourceId, postings, now }]);
  return await keep(tx, open, { deducted }, now);
}

/** Writes the state. A sweep then marks the payments. */
async function keep(tx: Tx, row: SettlementRow, set: Partial<SettlementRow>, now: Date): Promise<SettlementRow> {
  const noFailure = { failure_code: null, failure_message: null };
  const times = { scheduled_at: null, closed_at: now, due_at: now, marked_after: null };
  return await changeRow(tx, settlementResource, null, row, {
    to: 'kept',
    set: { ...set, ...noFailure, ...times },
    now,
  });
}

function assertMayKeep(deps: FiatDeps, merchant: Merchant, row: SettlementRow): void {
  const { status } = row;
  if (status === 'failed' || status === 'returned') return;
  if (status === 'open' && !isPaidOut(deps, merchant, row)) return;
  throw new PayError('illegal_state', refusals[status]);
}

/** Whether the account settles in currencies, and a rail pays this one to its destination. */
function isPaidOut(deps: FiatDeps, merchant: Merchant, { currency }: SettlementRow): boolean {
  const isInCurrency = parseCurrency(merchant.settlementAsset) !== null;
  return !keepsAll(merchant) && isInCurrency && routeTo(deps, merchant, currency) !== null;
}

const refusals: Readonly<Record<Exclude<SettlementRow['status'], 'failed' | 'returned'>, string>> = {
  open: 'The settlement will be paid out. Set settlement.schedule to manual first; open settlements are then kept.',
  paying: 'The payout of the settlement is on its way. Cancel the payout first, or wait until it has ended.',
  paid: 'The settlement is paid. Nothing of it can be kept.',
  kept: 'The settlement is kept already.',
};
