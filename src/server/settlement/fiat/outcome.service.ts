import type { EndedPayout, PayoutOwner } from '../../payouts/payout-owner.ts';
import type { Tx } from '../../platform/db/database.ts';
import { type Change, planChange, planned, writeChanges } from '../../platform/events/change.ts';
import { lockSettlements } from './settlement.store.ts';
import { settlementResource } from './settlement.ts';
import type { SettlementRow } from './tables.ts';

/** Ends settlements with their payouts. A sweep then marks their payments. */
export const settlementOwner: PayoutOwner = {
  type: 'settlement',
  ended: async (tx: Tx, payouts: readonly EndedPayout[]) => {
    const bySettlement = new Map(payouts.map(payout => [payout.ownerId, payout]));
    const rows = await lockSettlements(tx, payouts[0]?.merchantId ?? '', [...bySettlement.keys()]);
    const plans = rows.flatMap(row => {
      const payout = bySettlement.get(row.id);
      // A settlement that was sent again has another payout.
      if (payout === undefined || payout.payoutId !== row.payout_id) return [];
      return [planChange(settlementResource, null, planned(row), changeOf(payout))];
    });
    await writeChanges(tx, settlementResource, plans);
  },
};

function changeOf({ status, failure, now }: EndedPayout): Change<SettlementRow, SettlementRow['status']> {
  const marks = { due_at: now, marked_after: null };
  if (status === 'completed') {
    return { to: 'paid', set: { ...marks, failure_code: null, failure_message: null, paid_at: now }, now };
  }
  const set = { ...marks, failure_code: failure.code, failure_message: failure.message };
  return { to: status === 'returned' ? 'returned' : 'failed', set, now };
}
