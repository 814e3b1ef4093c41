import type { ResolvePayment } from '../../../api/payment.ts';
import { PayError } from '../../../core/error.ts';
import type { Valuer } from '../../approvals/approval.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import { toleranceOf } from '../../platform/merchant.ts';
import type { ArrivalRates } from '../arrival-quote.ts';
import { findPayment, lockPayment } from '../payment.store.ts';
import { changePayment } from '../payment-change.ts';
import { acceptMoney, remainingException } from '../payment-credit.service.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { hasWaitingMoney } from '../payment-funds.ts';
import { canceled } from '../payment-lifecycle.service.ts';
import { startRefund } from '../refunds/refund.service.ts';
import type { PaymentRow, TransferRow } from '../tables.ts';
import { findProblems, lockTransfer } from '../transfer.store.ts';
import { countTransfer } from '../transfers/transfer-assign.service.ts';
import { returnTransfer } from '../transfers/transfer-return.service.ts';

/** A merchant's decision. `valuer`: the rates to the account's limit, of a refund. `rates`: those of late crypto. */
interface Decision {
  readonly action: ResolvePayment['action'];
  readonly valuer: Valuer | null;
  readonly rates: ArrivalRates;
}

/**
 * Applies the merchant's decision and clears the exception. Money to decide about is missing, late, in excess or in a
 * wrong asset. A refund to an unknown sender counts towards the account's limit, because every holder of the
 * refund's address can name the destination. Throws `illegal_state` without such money or exception.
 */
export async function resolvePayment(
  deps: PaymentDeps,
  tx: Tx,
  caller: Caller,
  paymentId: string,
  { action, valuer, rates }: Decision,
): Promise<PaymentRow> {
  const { now } = caller;
  const key = { merchantId: caller.merchant.id, paymentId };
  const tolerance = toleranceOf(caller.merchant);
  const locked = await lockPayment(tx, key);
  const payment = action === 'accept' ? await countLate(deps, tx, caller, locked, rates) : locked;
  if (payment !== locked && !hasWaitingMoney(payment, tolerance)) return payment;
  if (action === 'refund') await returnHeld(deps, tx, caller, payment);
  if (!hasWaitingMoney(payment, tolerance)) return await clearException(deps, tx, caller, payment);
  if (action === 'accept') return await acceptMoney(tx, deps, payment, now);
  const underpaid = canceled('underpaid', 'Too little arrived, and it was sent back.', now);
  const exception = await remainingException(tx, payment);
  const ended = await changePayment(tx, deps, payment, {
    ...(payment.status === 'pending' ? underpaid : { now }),
    set: { ...(payment.status === 'pending' && underpaid.set), exception },
  });
  const request = { reason: reasonOf(payment) };
  await startRefund(tx, deps, { payment: ended, request, suspenseOnly: true, asking: { caller, valuer }, now });
  return (await findPayment(tx, key)) ?? ended;
}

function reasonOf(payment: PaymentRow): 'paid_late' | 'overpayment' | 'underpayment' {
  if (payment.exception === 'paid_late') return 'paid_late';
  return payment.exception === 'underpaid' ? 'underpayment' : 'overpayment';
}

/** Counts late crypto of the payment at the market rate. Returns the changed payment. */
async function countLate(
  deps: PaymentDeps,
  tx: Tx,
  caller: Caller,
  locked: PaymentRow,
  rates: ArrivalRates,
): Promise<PaymentRow> {
  if (locked.exception !== 'paid_late') return locked;
  // Counting the money decides anew whether the payment has an exception.
  const set = { exception: await remainingException(tx, locked) };
  let payment = await changePayment(tx, deps, locked, { set, now: caller.now });
  const scope = { merchantId: locked.merchant_id, livemode: locked.livemode };
  for (const { id } of await findProblems(tx, locked.merchant_id, locked.id)) {
    // The locked row shows whether the transfer was returned at the same time.
    const transfer = await lockTransfer(tx, scope, id);
    if (transfer?.problem !== 'late' || transfer.status !== 'matched') continue;
    payment = await countTransfer(deps, tx, caller, withoutUncounted(payment, transfer), transfer, rates);
  }
  return payment;
}

/** The payment without the uncounted entry of this transfer in its received money. The counted entry replaces it. */
function withoutUncounted(payment: PaymentRow, { tx_hash: hash }: TransferRow): PaymentRow {
  const parts = payment.received ?? [];
  const found = parts.findIndex(part => part.tx_hash === hash && part.credited === '0');
  return { ...payment, received: parts.filter((_, index) => index !== found) };
}

/** Returns the payment's uncounted money to its senders: late money, or money in a wrong asset. */
async function returnHeld(deps: PaymentDeps, tx: Tx, caller: Caller, payment: PaymentRow): Promise<void> {
  if (payment.exception !== 'wrong_asset' && payment.exception !== 'paid_late') return;
  const problems = await findProblems(tx, payment.merchant_id, payment.id);
  for (const { id, custodial } of problems) if (custodial) await returnTransfer(deps, tx, caller, id, {});
}

/**
 * Clears an exception for which no money waits any more. The money was refunded, is being returned, never passed the
 * service, or is kept in a wrong asset.
 */
async function clearException(deps: PaymentDeps, tx: Tx, caller: Caller, payment: PaymentRow): Promise<PaymentRow> {
  if (payment.exception === null) {
    throw new PayError('illegal_state', 'This payment has no money that waits for a decision.');
  }
  const set = { exception: await remainingException(tx, payment) };
  return await changePayment(tx, deps, payment, { set, now: caller.now });
}
