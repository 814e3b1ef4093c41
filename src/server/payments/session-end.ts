import type { Tx } from '../platform/db/database.ts';
import { changePayment } from './payment.store.ts';
import { paymentMachine } from './payment.ts';
import type { PaymentRow } from './payment.view.ts';
import type { PaymentChange } from './payment-change.ts';
import type { ChangeContext } from './payment-follower.ts';

/** The failure of a payment that was not paid in time. */
export const sessionExpired = 'session_expired';

/** The end of a payment whose session is over. */
export function sessionEnded(now: Date): PaymentChange {
  return {
    to: 'expired',
    set: { failure_code: sessionExpired, failure_message: 'The time to pay ran out.', next_action: null },
    now,
  };
}

/**
 * Ends a payment that the transaction holds locked if its session is over, unless money is in flight for it: then the
 * outcome decides. The clock decides, not when somebody came by: a transfer that arrives later is late. Returns the
 * payment as it is then.
 */
export async function endOverdueSession(
  tx: Tx,
  context: ChangeContext,
  payment: PaymentRow,
  now: Date,
): Promise<PaymentRow> {
  const isOver = payment.status === 'pending' && now >= payment.session_expires_at;
  if (!isOver || !paymentMachine.can(payment.phase, 'expired')) return payment;
  return await changePayment(tx, context, payment, sessionEnded(now));
}
