import type { ResolvePayment } from '../../../api/payment.ts';
import { PayError } from '../../../core/error.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import { findPayment, lockPayment } from '../payment.store.ts';
import type { PaymentRow } from '../payment.view.ts';
import { changePayment } from '../payment-change.ts';
import { acceptMoney, remainingException } from '../payment-credit.service.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { isUndecided } from '../payment-funds.ts';
import { startRefund } from '../refunds/refund.service.ts';
import { findProblems } from '../transfers/transfer.store.ts';
import { returnTransfer } from '../transfers/transfer-return.service.ts';
import { canceled } from './payment-lifecycle.service.ts';

/**
 * Applies the merchant's decision about missing, late or excess money, or money in a wrong asset, and clears the
 * exception. Throws `illegal_state` without such money or exception.
 */
export async function resolvePayment(
  deps: PaymentDeps,
  tx: Tx,
  caller: Caller,
  paymentId: string,
  action: ResolvePayment['action'],
): Promise<PaymentRow> {
  const { now } = caller;
  const key = { merchantId: caller.merchant.id, paymentId };
  const payment = await lockPayment(tx, key);
  if (!isUndecided(payment)) return await resolveWithoutMoney(deps, tx, caller, payment, action);
  if (action === 'accept') return await acceptMoney(tx, deps, payment, now);
  const underpaid = canceled('underpaid', 'Too little arrived, and it was sent back.', now);
  const exception = await remainingException(tx, payment);
  const ended = await changePayment(tx, deps, payment, {
    ...(payment.status === 'pending' ? underpaid : { now }),
    set: { ...(payment.status === 'pending' && underpaid.set), exception },
  });
  const request = { reason: reasonOf(payment) };
  await startRefund(tx, deps, { payment: ended, request, suspenseOnly: true, now });
  return (await findPayment(tx, key)) ?? ended;
}

function reasonOf(payment: PaymentRow): 'paid_late' | 'overpayment' | 'underpayment' {
  if (payment.exception === 'paid_late') return 'paid_late';
  return payment.exception === 'underpaid' ? 'underpayment' : 'overpayment';
}

/**
 * Clears an exception that no money of the payment explains: its money was refunded, or never came through the service,
 * or arrived in a wrong asset. `refund` also returns money in a wrong asset; its errors are those of `returnTransfer`.
 */
async function resolveWithoutMoney(
  deps: PaymentDeps,
  tx: Tx,
  caller: Caller,
  payment: PaymentRow,
  action: ResolvePayment['action'],
): Promise<PaymentRow> {
  if (payment.exception === null) {
    throw new PayError('illegal_state', 'This payment has no money that waits for a decision.');
  }
  if (payment.exception === 'wrong_asset' && action === 'refund') {
    const problems = await findProblems(tx, payment.merchant_id, payment.id);
    for (const { id } of problems.filter(({ custodial }) => custodial)) {
      await returnTransfer(deps, tx, caller, id, {});
    }
  }
  const set = { exception: await remainingException(tx, payment) };
  return await changePayment(tx, deps, payment, { set, now: caller.now });
}
