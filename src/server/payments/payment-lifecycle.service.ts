import type { PaymentPhase, UpdatePayment } from '../../api/payment.ts';
import { PayError } from '../../core/error.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Caller } from '../platform/http/access/caller.ts';
import { runEach } from '../platform/jobs/sweeper.ts';
import { merchantNow } from '../platform/merchant.ts';
import { endOpenAttempt, giveUpOpenAttempt } from './attempts/attempt-follow.service.ts';
import { type DuePayment, findExpired, findPayment, lockPayment, paymentMissing } from './payment.store.ts';
import { changePayment, type PaymentChange } from './payment-change.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { canCancel, hasPrompt } from './payment-funds.ts';
import { findPendingIn } from './payment-owner.store.ts';
import type { MoneyRefusal, PaymentOwner } from './payment-purpose.ts';
import { endOverdueSession } from './payment-session.ts';
import type { PaymentRow } from './tables.ts';

/**
 * Reads a payment. First expires a payment whose session is over. Throws `resource_missing` with `param`, the field of
 * the id.
 */
export async function readPayment(
  deps: PaymentDeps,
  caller: Caller,
  paymentId: string,
  param = 'id',
): Promise<PaymentRow> {
  const key = { merchantId: caller.merchant.id, paymentId };
  const payment = await findPayment(deps.db, key);
  if (payment === null || payment.livemode !== caller.livemode) throw paymentMissing(paymentId, param);
  if (payment.status !== 'pending' || caller.now < payment.session_expires_at) return payment;
  await expirePayment(deps, { ...key, livemode: payment.livemode });
  return (await findPayment(deps.db, key)) ?? payment;
}

/** Changes description and metadata of a payment. Throws `resource_missing`. */
export async function updatePayment(
  deps: PaymentDeps,
  caller: Caller,
  paymentId: string,
  { description, metadata }: UpdatePayment,
): Promise<PaymentRow> {
  await readPayment(deps, caller, paymentId);
  const set = { ...(description !== undefined && { description }), ...(metadata !== undefined && { metadata }) };
  return await deps.db.transaction().execute(async tx => {
    const payment = await lockPayment(tx, { merchantId: caller.merchant.id, paymentId });
    return await changePayment(tx, deps, payment, { set, now: caller.now });
  });
}

/** Prepares the cancellation of a payment. Throws `payment_in_flight` if money was received or may still arrive. */
export async function cancelPayment(
  deps: PaymentDeps,
  caller: Caller,
  paymentId: string,
): Promise<(tx: Tx) => Promise<PaymentRow>> {
  await readPayment(deps, caller, paymentId);
  await endOpenAttempt(deps, caller, paymentId);
  return async tx => {
    const locked = await lockPayment(tx, { merchantId: caller.merchant.id, paymentId });
    if (locked.status === 'pending' && !canCancel(locked, caller.merchant)) {
      throw new PayError('payment_in_flight', hasPrompt(locked) ? promptOpen : moneyComing);
    }
    return await changePayment(tx, deps, locked, canceled('canceled', 'The payment was canceled.', caller.now));
  };
}

const moneyComing = 'Money is on its way for this payment, or a part of it has arrived. It cannot be canceled now.';
const promptOpen =
  'A prompt is open on the payer’s phone and may still be approved. Cancel the payment after the prompt has ended.';

export function canceled(code: string, message: string, now: Date): PaymentChange {
  return { to: 'canceled', set: { failure_code: code, failure_message: message, next_action: null }, now };
}

/** Expires payments whose session is over. Returns their number. */
export async function expirePayments(deps: PaymentDeps): Promise<number> {
  const keys = await findExpired(deps.db, deps.clock.now(), 100);
  return await runEach(keys, key => expirePayment(deps, key));
}

/** Expires one payment, after ending its open attempt. */
async function expirePayment(deps: PaymentDeps, key: DuePayment): Promise<void> {
  const merchant = await deps.findMerchant(key.merchantId);
  const now = merchantNow(merchant, key.livemode, deps.clock.now());
  await giveUpOpenAttempt(deps, { merchant, now }, key.paymentId);
  await deps.db.transaction().execute(async tx => {
    await endOverdueSession(tx, deps, await lockPayment(tx, key), now);
  });
}

/** Maximum number of a closed owner's payments that one query reads. */
const closingBatch = 50;

/** Cancels the unpaid payments of a closed link or invoice in the given phases. Their payers see `reason`. */
export async function closePayments(
  deps: PaymentDeps,
  caller: Pick<Caller, 'merchant' | 'now'>,
  owner: PaymentOwner,
  { phases, reason }: { readonly phases: readonly PaymentPhase[]; readonly reason: MoneyRefusal },
): Promise<void> {
  const key = { ...owner, merchantId: caller.merchant.id };
  for (;;) {
    let closed = 0;
    await runEach(await findPendingIn(deps.db, key, phases, closingBatch), async paymentId => {
      if (await closePayment(deps, caller, paymentId, reason)) closed++;
    });
    if (closed === 0) return;
  }
}

/** Cancels a payment. Returns false without a change if money was received or may still arrive. */
async function closePayment(
  deps: PaymentDeps,
  caller: Pick<Caller, 'merchant' | 'now'>,
  paymentId: string,
  reason: MoneyRefusal,
): Promise<boolean> {
  await giveUpOpenAttempt(deps, caller, paymentId);
  return await deps.db.transaction().execute(async tx => {
    const payment = await lockPayment(tx, { merchantId: caller.merchant.id, paymentId });
    if (payment.status !== 'pending' || !canCancel(payment, caller.merchant)) return false;
    await changePayment(tx, deps, payment, canceled(reason.code, reason.message, caller.now));
    return true;
  });
}
