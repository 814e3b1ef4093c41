import type { Payment } from '../../../api/payment.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import { viewFor } from '../payment.view.ts';
import type { PaymentRouteDeps } from '../payment-deps.ts';
import type { PaymentRow } from '../tables.ts';

/**
 * The view of payments that this caller has read. The merchant's view names the settlement in a currency that contains
 * the payment's money, and when it is paid out. One query for all payments, and none if no money waits.
 */
export async function readingsFor(
  deps: PaymentRouteDeps,
  caller: Caller,
  rows: readonly PaymentRow[],
): Promise<(row: PaymentRow) => Payment> {
  if (caller.kind !== 'secret') return row => viewFor(deps, caller, row);
  const waiting = rows.filter(row => row.settlement_status === 'submitted').flatMap(row => row.settlement_id ?? []);
  const ids = [...new Set(waiting)];
  const times = ids.length === 0 ? null : await deps.openSettlementTimes(deps.db, caller.merchant.id, ids);
  return row => {
    const payment = viewFor(deps, caller, row);
    const { settlement_id: id } = row;
    if (id === null) return payment;
    const member = { settlement: id, due_at: times?.get(id)?.toISOString() ?? null };
    return { ...payment, settlement: { ...payment.settlement, ...member } };
  };
}
