import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import { maxWireAmount } from '../../../core/money.ts';
import type { Chain, Deposit } from '../../chains/chain.ts';
import { move } from '../../ledger/posting.ts';
import { type Merchant, toleranceOf } from '../../platform/merchant.ts';
import { paymentMachine } from '../payment.ts';
import type { PaymentRow, ViewContext } from '../payment.view.ts';
import { type PaymentChange, type PlannedPayment, plannedPayment, planPaymentChange } from '../payment-change.ts';
import { planCredit } from '../payment-credit.ts';
import { sessionEnded } from '../payment-session.ts';
import { receivedPart } from '../receipts/received-part.ts';
import { type NewTransfer, unpricedDust } from '../transfers/transfer.store.ts';
import {
  chosenAsset,
  countedUnder,
  cryptoAction,
  type OfferRow,
  offerFor,
  type TargetRow,
  valueUnder,
} from './crypto-offer.ts';

/** A payment with new deposits, its target and its prices. */
export interface AwaitedPayment {
  readonly payment: PaymentRow;
  readonly target: TargetRow;
  readonly offers: readonly OfferRow[];
  readonly merchant: Merchant;
  /** The current time on the merchant's clock. */
  readonly now: Date;
}

/** All rows to write for one payment's deposits. */
export interface PlannedDeposits {
  readonly payment: PlannedPayment;
  readonly offers: readonly OfferRow[];
  readonly transfers: readonly NewTransfer[];
}

export interface DepositContext extends ViewContext {
  readonly chain: Chain;
}

/** The planned state of a payment after some of its deposits. */
interface Draft {
  plan: PlannedPayment;
  offers: readonly OfferRow[];
  readonly transfers: NewTransfer[];
}

/** Plans the booking of a payment's deposits in memory, oldest first. Throws if a deposit cannot be booked. */
export function planDeposits(
  context: DepositContext,
  awaited: AwaitedPayment,
  deposits: readonly Deposit[],
): PlannedDeposits {
  const { payment, offers, now } = awaited;
  const draft: Draft = { plan: plannedPayment(payment, now), offers, transfers: [] };
  for (const deposit of deposits) planDeposit(context, awaited, draft, deposit);
  const changedOffers = draft.offers.filter((offer, index) => offer !== offers[index]);
  return { payment: draft.plan, offers: changedOffers, transfers: draft.transfers };
}

function planDeposit(context: DepositContext, awaited: AwaitedPayment, draft: Draft, deposit: Deposit): void {
  const arrivedAt = arrivalOf(deposit, awaited);
  const { session_expires_at: end, status, phase } = draft.plan.after;
  const isInTime = arrivedAt < end;
  if (status === 'pending' && !isInTime && paymentMachine.can(phase, 'expired')) {
    change(context, draft, sessionEnded(draft.plan.after, awaited.now));
  }
  const offer = offerFor(draft.offers, deposit.asset, arrivedAt);
  if (offer === null) planWrongAsset(context, awaited, draft, { deposit, arrivedAt });
  else planCounted(context, awaited, draft, { deposit, arrivedAt, isInTime, offer });
}

/** When the deposit reached the chain, on the merchant's clock. A test clock may run ahead of the chain's clock. */
function arrivalOf({ at }: Deposit, { merchant, payment, now }: AwaitedPayment): Date {
  const moved = payment.livemode ? at : new Date(at.getTime() + merchant.testClockOffsetMs);
  return moved < now ? moved : now;
}

interface Arrival {
  readonly deposit: Deposit;
  readonly arrivedAt: Date;
}

interface CountedDeposit extends Arrival {
  readonly isInTime: boolean;
  readonly offer: OfferRow;
}

function planCounted(context: DepositContext, awaited: AwaitedPayment, draft: Draft, counted: CountedDeposit): void {
  const { deposit, arrivedAt, isInTime, offer } = counted;
  const { merchant, now, target } = awaited;
  const { chain } = context;
  const payment = draft.plan.after;
  const value = valueUnder(offer, deposit.amount);
  if (payment.amount_received + value > maxWireAmount) {
    throw new PayError('invalid_amount', 'The received amount of the payment would exceed the maximum amount.');
  }
  draft.offers = draft.offers.map(other => (other === offer ? countedUnder(offer, deposit.amount) : other));
  const { amount, transactionHash: txHash, block: ledger } = deposit;
  const direct = target.custodial ? null : { txHash, ledger, settled: amount };
  const credit = { ...partOf(context, counted), value, from: `clearing.${chain.id}` as const, isInTime, direct };
  const plan = planCredit(payment, credit, toleranceOf(merchant), now);
  draft.transfers.push({ ...transferOf(context, awaited, deposit, arrivedAt), ...plan.counted, problem: null });
  const instructions = { chain, target, merchant, offers: draft.offers, asset: chosenAsset(payment.next_action) };
  const action = plan.due === null ? null : cryptoAction({ ...instructions, due: plan.due });
  const bookings = [{ kind: 'crypto_deposit', postings: plan.postings }];
  change(context, draft, { ...plan.change(action), bookings });
}

/** Plans a deposit in an asset without a price for the payment. It has no value and waits for a refund. */
function planWrongAsset(context: DepositContext, awaited: AwaitedPayment, draft: Draft, arrival: Arrival): void {
  const { deposit, arrivedAt } = arrival;
  const { now, target } = awaited;
  const uncounted = { amount_applied: 0n, amount_excess: 0n, problem: 'wrong_asset' } as const;
  draft.transfers.push({ ...transferOf(context, awaited, deposit, arrivedAt), ...uncounted });
  const postings = move(`clearing.${context.chain.id}`, 'merchant.suspense', deposit.asset, deposit.amount);
  const bookings = target.custodial ? [{ kind: 'wrong_asset', postings }] : [];
  const { exception, received } = draft.plan.after;
  const part = receivedPart({ ...partOf(context, arrival), value: 0n });
  if (deposit.amount <= unpricedDust) {
    change(context, draft, { bookings, now });
    return;
  }
  const set = { exception: exception ?? ('wrong_asset' as const), received: [...(received ?? []), part] };
  change(context, draft, { set, events: ['payment.unrecognized_asset'], bookings, now });
}

/** The deposit as a part of the received money, without its value. */
function partOf({ chain }: DepositContext, { deposit, arrivedAt }: Arrival) {
  const { amount, asset: currency, transactionHash: txHash } = deposit;
  const arrived = { rail: null, chain: chain.id, txHash, card: null, at: arrivedAt };
  return { ...({ method: 'crypto', amount, currency } as const), arrived };
}

function change(context: DepositContext, draft: Draft, next: PaymentChange): void {
  draft.plan = planPaymentChange(context, draft.plan, next);
}

function transferOf(context: DepositContext, awaited: AwaitedPayment, deposit: Deposit, arrivedAt: Date) {
  const { payment, target, now } = awaited;
  return {
    ...chainColumns(context.chain, deposit),
    ...{ merchant_id: payment.merchant_id, livemode: payment.livemode, payment_id: payment.id },
    ...({ status: 'matched', custodial: target.custodial, arrived_at: arrivedAt, created_at: now } as const),
  };
}

/** Columns of a transfer that come from the chain. */
export function chainColumns(chain: Chain, deposit: Deposit) {
  return {
    id: newId('transfer'),
    rail: chain.id,
    rail_reference: deposit.railReference,
    amount: deposit.amount,
    currency: deposit.asset,
    reference: null,
    sender: deposit.sender,
    chain: chain.id,
    tx_hash: deposit.transactionHash,
    op_index: deposit.operationIndex,
    ledger: BigInt(deposit.block),
    account: deposit.account,
    ...{ memo: deposit.memo, memo_type: deposit.memoType, failure_code: null, failure_message: null },
  };
}
