import type { PaymentPhase } from '../../api/payment.ts';
import type { Tx } from '../platform/db/database.ts';
import { changePayment } from './payment.store.ts';
import { paymentMachine } from './payment.ts';
import type { PaymentRow } from './payment.view.ts';
import { type ChangeContext, ownerOf } from './payment-follower.ts';

/**
 * Asks those for whom the payment was made whether money that has come for it may be counted. One that refuses ends the
 * payment: what came is then late, and goes the way of late money. Returns the payment as it is then; call it with the
 * payment locked, before its money is thought through.
 */
export async function admitMoney(tx: Tx, context: ChangeContext, payment: PaymentRow, now: Date): Promise<PaymentRow> {
  const mayComplete = payment.status === 'pending' || payment.phase === 'expired';
  if (!mayComplete || ownerOf(payment) === null) return payment;
  for (const follower of context.followers) {
    const refusal = (await follower.refuseMoney?.(tx, payment, now)) ?? null;
    if (refusal === null) continue;
    return await changePayment(tx, context, payment, {
      ...(payment.status === 'pending' && { to: refusedPhase(payment) }),
      set: { failure_code: refusal.code, failure_message: refusal.message, next_action: null },
      now,
    });
  }
  return payment;
}

/** A payment whose money was on its way until now was not called off: its money is declined. */
function refusedPhase({ phase }: PaymentRow): PaymentPhase {
  return paymentMachine.can(phase, 'canceled') ? 'canceled' : 'declined';
}
