import type { NextAction } from '../../../api/payment.ts';
import { PayError } from '../../../core/error.ts';
import { maxWireAmount } from '../../../core/money.ts';
import { post } from '../../ledger/ledger.store.ts';
import { move } from '../../ledger/posting.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Caller } from '../../platform/http/access/caller.ts';
import { toleranceOf } from '../../platform/merchant.ts';
import { type ArrivalRates, atArrivalRate, valueAtRate, valueOfBankMoney } from '../arrival-quote.ts';
import { nextBankAction } from '../bank/payment-bank.service.ts';
import {
  chosenAsset,
  countedUnder,
  cryptoAction,
  heldOffer,
  lastOffer,
  type OfferRow,
  valueUnder,
} from '../crypto/crypto-offer.ts';
import { findOffers, findTarget, saveCounted } from '../crypto/deposit.store.ts';
import { keyOf, lockPayment } from '../payment.store.ts';
import { changePayment } from '../payment-change.ts';
import { type DirectMoney, planCredit } from '../payment-credit.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import type { PaymentRow, TransferRow } from '../tables.ts';
import { findInstructions, lockTransfer, updateTransfer } from '../transfer.store.ts';
import { reportTransfer, requireTransfer } from './transfer-return.service.ts';

interface Assignment {
  readonly transferId: string;
  readonly paymentId: string;
  readonly rates: ArrivalRates;
}

/**
 * Credits an unmatched transfer to the merchant's chosen payment, at the price or rate of the payer's instructions. A
 * transfer that arrived after the end of that price counts at the market rate (`rates`). After the end of the quote, it
 * also settles at the market rate. Throws `resource_missing` for an unknown payment. Throws `illegal_state` if the transfer is not unmatched, or if the
 * payment has no price in the transfer's asset or currency.
 */
export async function assignTransfer(
  deps: PaymentDeps,
  tx: Tx,
  caller: Caller,
  { transferId, paymentId, rates }: Assignment,
): Promise<TransferRow> {
  const { merchant, now } = caller;
  const transfer = await requireTransfer(tx, caller, transferId);
  if (transfer.payment_id === paymentId && transfer.status === 'matched') return transfer;
  if (transfer.status !== 'unmatched' || !transfer.custodial) {
    throw new PayError('illegal_state', 'Only an unmatched transfer can be assigned to a payment.');
  }
  const payment = await lockPayment(tx, { merchantId: merchant.id, paymentId });
  await countTransfer(deps, tx, caller, payment, transfer, rates);
  const assigned = await lockTransfer(tx, { merchantId: merchant.id, livemode: transfer.livemode }, transfer.id);
  if (assigned === null) throw new Error(`the transfer ${transfer.id} does not exist`);
  await reportTransfer(tx, assigned, 'transfer.assigned', { status: 'unmatched', payment: null }, now);
  return assigned;
}

/**
 * Counts a stored transfer for a locked payment, at the price or rate of the payer's instructions. After the end of
 * that price, the market rate counts (`rates`). The transfer must not have counted before. Returns the changed payment.
 * Throws `illegal_state` if the payment has no such price.
 */
export async function countTransfer(
  deps: PaymentDeps,
  tx: Tx,
  caller: Caller,
  payment: PaymentRow,
  transfer: TransferRow,
  rates: ArrivalRates,
): Promise<PaymentRow> {
  const { merchant, now } = caller;
  const worth = await worthOf(tx, payment, transfer, { merchant, rates });
  if (worth === null || payment.amount_received + worth.value > maxWireAmount) {
    throw new PayError('illegal_state', 'This payment was never quoted in the currency or asset of the transfer.');
  }
  const credit = {
    method: transfer.chain === null ? ('bank_transfer' as const) : ('crypto' as const),
    direct: directOf(transfer),
    amount: transfer.amount,
    currency: transfer.currency,
    value: worth.value,
    from: `clearing.${transfer.rail}` as const,
    arrived: {
      rail: transfer.chain === null ? transfer.rail : null,
      chain: transfer.chain,
      txHash: transfer.tx_hash,
      card: null,
      at: transfer.arrived_at ?? transfer.created_at,
    },
    isInTime: transfer.arrived_at !== null && transfer.arrived_at < payment.session_expires_at,
  };
  const plan = planCredit(payment, credit, toleranceOf(merchant), now);
  const books = { merchantId: merchant.id, livemode: transfer.livemode, now };
  // Reverses the posting of the uncounted transfer. The credit below posts the money for the payment.
  const reversal = move('merchant.suspense', `clearing.${transfer.rail}`, transfer.currency, transfer.amount);
  if (transfer.custodial) await post(tx, [{ ...books, kind: 'assigned', postings: reversal }]);
  if (worth.offer !== null) await saveCounted(tx, [countedUnder(worth.offer, transfer.amount)]);
  const nextAction =
    plan.due === null ? null : await nextActionFor(deps, tx, { caller, payment, transfer, rates }, plan.due);
  const bookings = [{ kind: 'assigned', postings: plan.postings }];
  const isAtMarket = transfer.chain !== null && worth.offer === null;
  const matched = { payment_id: payment.id, status: 'matched', problem: null, at_market: isAtMarket } as const;
  await updateTransfer(tx, transfer, { ...matched, ...plan.counted });
  const change = { ...plan.change(nextAction), bookings };
  if (plan.isDust || !transfer.custodial) return await changePayment(tx, deps, payment, change);
  const graceSeconds = merchant.quoteGraceSeconds;
  const arrival = { merchant, rates, arrivedAt: arrivalOf(transfer), now, graceSeconds };
  return await changePayment(tx, deps, payment, atArrivalRate(change, payment, arrival));
}

/** The transfer as direct money, which is in the merchant's own account. Null for money in the service's custody. */
function directOf({ custodial, tx_hash: hash, ledger, amount }: TransferRow): DirectMoney | null {
  return custodial ? null : { txHash: hash ?? '', ledger: Number(ledger), settled: amount };
}

/** When the transfer reached its chain, or when the bank reported it. */
function arrivalOf({ arrived_at: onChain, created_at: reported }: TransferRow): Date {
  return onChain ?? reported;
}

/**
 * The value of a transfer in the payment's currency, at the price in its asset or currency, or after the end of that
 * price at the market rate. Money in the merchant's own account keeps the last price, because it is not exchanged. Null
 * for an asset or currency that was never quoted.
 */
async function worthOf(
  tx: Tx,
  payment: PaymentRow,
  transfer: TransferRow,
  { merchant, rates }: Pick<Caller, 'merchant'> & { readonly rates: ArrivalRates },
): Promise<{ readonly value: bigint; readonly offer: OfferRow | null } | null> {
  const key = keyOf(payment);
  if (transfer.chain !== null) {
    const offers = await findOffers(tx, key, transfer.chain);
    const at = arrivalOf(transfer);
    const held = heldOffer(offers, transfer.currency, at, merchant.quoteGraceSeconds);
    const offer = held ?? lastOffer(offers, transfer.currency, at);
    const rate = held === null && offer !== null && transfer.custodial ? rates.of(payment, transfer.currency) : null;
    if (rate !== null) return { value: valueAtRate(transfer.amount, rate), offer: null };
    return offer === null ? null : { value: valueUnder(offer, transfer.amount), offer };
  }
  if (transfer.currency === payment.currency) return { value: transfer.amount, offer: null };
  const instructions = await findInstructions(tx, key, transfer.rail);
  if (instructions === null || instructions.currency !== transfer.currency) return null;
  const money = { amount: transfer.amount, currency: transfer.currency, arrivedAt: arrivalOf(transfer) };
  return { value: valueOfBankMoney(money, instructions, payment, { merchant, rates }), offer: null };
}

/** A transfer that counts for a payment. */
interface CountedTransfer {
  readonly caller: Caller;
  readonly payment: PaymentRow;
  readonly transfer: TransferRow;
  readonly rates: ArrivalRates;
}

/** The payer's next action. If the transfer pays only a part, the instructions for the rest by the same method. */
async function nextActionFor(
  deps: PaymentDeps,
  tx: Tx,
  { caller: { merchant, now }, payment, transfer, rates }: CountedTransfer,
  due: bigint,
): Promise<NextAction | null> {
  if (transfer.chain === null) {
    const arrivedAt = arrivalOf(transfer);
    return await nextBankAction(deps, tx, { merchant, payment, rates, arrivedAt, now }, due);
  }
  const key = keyOf(payment);
  const rail = deps.crypto.find(({ chain, livemode }) => chain.id === transfer.chain && livemode === payment.livemode);
  const target = await findTarget(tx, key, transfer.chain);
  if (rail === undefined || target === null) return payment.next_action;
  const offers = await findOffers(tx, key, transfer.chain);
  return cryptoAction({ chain: rail.chain, target, offers, merchant, due, asset: chosenAsset(payment.next_action) });
}
