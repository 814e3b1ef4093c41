import type { BegunPortion } from '../../payments/settling/fiat-settlement.service.ts';
import type { DueFiatSettlement } from '../../payments/settling/fiat-settlement.store.ts';
import type { Tx } from '../../platform/db/database.ts';
import { changeRow } from '../../platform/events/change.ts';
import type { Merchant, MerchantScope } from '../../platform/merchant.ts';
import { type FiatDeps, routeTo } from './fiat-deps.ts';
import { insertSettlements, lockOpen } from './settlement.store.ts';
import { newSettlement, nextClose, payableOf, settlementResource } from './settlement.ts';
import type { SettlementRow } from './tables.ts';

/** Due payments of one merchant and mode in one currency. */
export interface DueGroup extends MerchantScope {
  readonly currency: string;
  readonly payments: readonly DueFiatSettlement[];
  readonly now: Date;
}

/**
 * Begins to settle due payments of one merchant. With `batch: payment`, each gets a settlement and a payout at once.
 * All payments of the run join the open settlement if there is one, if debts must be deducted, or if one of them cannot
 * be paid alone.
 */
export async function beginGroup(deps: FiatDeps, group: DueGroup): Promise<void> {
  const merchant = await deps.findMerchant(group.merchantId);
  await deps.db.transaction().execute(async tx => {
    // All transactions lock a settlement before its payments, so they cannot deadlock.
    const open = await lockOpen(tx, group, group.currency);
    const mayPayEach =
      merchant.settlementBatch === 'payment' && open === null && !(await deps.fiatSettlements.hasDebts(tx, group));
    const route = mayPayEach ? routeTo(deps, merchant, group.currency) : null;
    const shared = open ?? newSettlement(group, sharedTerms(deps, merchant, group), group.now);
    const own = new Map<string, SettlementRow>();
    const keys = group.payments;
    const begun = await deps.fiatSettlements.begin(tx, keys, group.now, portions => {
      const isPayable = ({ amount }: BegunPortion) => route !== null && payableOf(amount, route) === amount;
      const eachAlone = portions.every(isPayable);
      for (const portion of eachAlone ? portions : []) own.set(portion.paymentId, ownSettlement(group, portion));
      return new Map(portions.map(({ paymentId }) => [paymentId, own.get(paymentId)?.id ?? shared.id]));
    });
    if (own.size > 0) await payEach(deps, tx, merchant, group, [...own.values()]);
    else if (begun.length > 0) await join(tx, merchant, { group, open, shared, begun });
  });
  deps.ownedPayouts.wake();
}

function sharedTerms(deps: FiatDeps, merchant: Merchant, { currency, now }: DueGroup) {
  const { settlementBatch: batch } = merchant;
  return { batch, currency, scheduled_at: batch === 'daily' ? closeOf(deps, merchant, currency, now) : now };
}

/** When the next daily settlement closes. */
export function closeOf(deps: Pick<FiatDeps, 'ownedPayouts'>, merchant: Merchant, currency: string, now: Date): Date {
  return nextClose(merchant, routeTo(deps, merchant, currency)?.paysOn ?? (() => true), now);
}

function ownSettlement(group: DueGroup, { amount }: BegunPortion): SettlementRow {
  const fields = { batch: 'payment' as const, currency: group.currency, scheduled_at: null };
  return newSettlement(group, { ...fields, gross: amount, payments: 1 }, group.now);
}

async function payEach(
  deps: FiatDeps,
  tx: Tx,
  merchant: Merchant,
  { livemode, currency, now }: DueGroup,
  rows: readonly SettlementRow[],
): Promise<void> {
  const route = routeTo(deps, merchant, currency);
  const { settlementDestination: destination } = merchant;
  if (route === null || destination === null) throw new Error('a settlement without a route was closed');
  const orders = rows.map(({ id, gross }) => ({
    owner: { type: 'settlement' as const, id },
    amount: gross,
    currency,
    destination,
    rail: route.rail,
  }));
  const payouts = await deps.ownedPayouts.create(tx, { merchant, livemode, now }, orders);
  await insertSettlements(
    tx,
    rows.map(row => ({
      ...row,
      status: 'paying' as const,
      destination,
      payout_id: payouts.get(row.id) ?? null,
      closed_at: now,
    })),
  );
}

interface Joining {
  readonly group: DueGroup;
  readonly open: SettlementRow | null;
  readonly shared: SettlementRow;
  readonly begun: readonly BegunPortion[];
}

async function join(tx: Tx, merchant: Merchant, { group, open, shared, begun }: Joining) {
  const { now } = group;
  const sums = {
    gross: begun.reduce((sum, { amount }) => sum + amount, shared.gross),
    payments: shared.payments + begun.length,
  };
  if (open === null) return await insertSettlements(tx, [{ ...shared, ...sums }]);
  // Without daily settlement, new money may be what the waiting settlement lacked.
  const isAtOnce = merchant.settlementBatch === 'payment';
  await changeRow(tx, settlementResource, null, open, { set: { ...sums, ...(isAtOnce && { due_at: now }) }, now });
}
