import { move } from '../../ledger/posting.ts';
import type { Tx } from '../../platform/db/database.ts';
import { runEach, runTogether } from '../../platform/jobs/sweeper.ts';
import { scopeKeyOf } from '../../platform/merchant.ts';
import { claimManualPayments, keyOf, lockPayments, type PaymentKey } from '../payment.store.ts';
import { type ChangedPayment, changePayments, type PaymentChange } from '../payment-change.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { pendingFunds, unsettled } from '../payment-funds.ts';
import type { ChangeContext } from '../payment-purpose.ts';
import type { PaymentRow } from '../tables.ts';

/** Maximum number of payments per run. */
const mostAtOnce = 200;

/**
 * Moves completed payments of merchants with the schedule `manual` to their available balance. Returns their number.
 */
export async function makePaymentsAvailable(deps: PaymentDeps): Promise<number> {
  const due = await claimManualPayments(deps.db, { now: deps.clock.now(), limit: mostAtOnce });
  const groups = Map.groupBy(due, scopeKeyOf);
  await runEach([...groups.values()], group =>
    runTogether(group, some =>
      deps.db.transaction().execute(tx => makeAvailable(deps, tx, some.map(keyOf), some[0]?.clock ?? deps.clock.now())),
    ),
  );
  return due.length;
}

/**
 * Moves payments of one merchant and mode to the available balance. Skips payments with a running settlement, which are
 * due again after that settlement.
 */
export async function makeAvailable(
  deps: ChangeContext,
  tx: Tx,
  keys: readonly PaymentKey[],
  now: Date,
): Promise<void> {
  const locked = await lockPayments(tx, keys);
  const changes = locked.flatMap((payment): ChangedPayment[] =>
    payment.amount_settling > 0n ? [] : [{ payment, change: availabilityChange(payment, now) }],
  );
  await changePayments(tx, deps, changes);
}

/** The pending money first reduces the merchant's debt for this payment. The rest becomes available. */
function availabilityChange(payment: PaymentRow, now: Date): PaymentChange {
  const left = unsettled(payment);
  const value = left > 0n ? left : 0n;
  const offset = pendingFunds(payment) - value;
  const postings = [
    ...move('merchant.pending', 'merchant.available', payment.currency, value),
    ...move('merchant.pending', 'merchant.receivable', payment.currency, offset),
  ];
  return {
    set: {
      settlement_status: payment.amount_settled > 0n ? 'settled' : 'none',
      settlement_due_at: null,
      settlement_tries: 0,
      settlement_failure_code: null,
      settlement_failure_message: null,
      amount_available: payment.amount_available + value,
      amount_receivable: payment.amount_receivable - offset,
    },
    bookings: [{ kind: 'kept', postings }],
    now,
  };
}
