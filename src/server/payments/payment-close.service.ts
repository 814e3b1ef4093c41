import type { Tx } from '../platform/db/database.ts';
import type { Caller } from '../platform/http/access/caller.ts';
import { giveUpOpenAttempt } from './card/payment-card.service.ts';
import { changePayment, lockPayment, type PaymentKey } from './payment.store.ts';
import { paymentMachine } from './payment.ts';
import type { PaymentDeps } from './payment-deps.ts';
import type { MoneyRefusal } from './payment-follower.ts';

/**
 * Ends a payment that nobody is to pay any more, for a reason its payer is told. One that is over, or for which money
 * has come or is on its way, stays as it is. Returns whether it was ended.
 */
export async function closePayment(
  deps: PaymentDeps,
  caller: Pick<Caller, 'merchant' | 'now'>,
  paymentId: string,
  reason: MoneyRefusal,
): Promise<boolean> {
  const key: PaymentKey = { merchantId: caller.merchant.id, paymentId };
  await giveUpOpenAttempt(deps, caller, paymentId);
  return await deps.db.transaction().execute(async (tx: Tx) => {
    const payment = await lockPayment(tx, key);
    const isUntouched = payment.status === 'pending' && payment.amount_received === 0n;
    if (!isUntouched || !paymentMachine.can(payment.phase, 'canceled')) return false;
    await changePayment(tx, deps, payment, {
      to: 'canceled',
      set: { failure_code: reason.code, failure_message: reason.message, next_action: null },
      now: caller.now,
    });
    return true;
  });
}
