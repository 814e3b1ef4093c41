import type { NextAction } from '../../../api/payment.ts';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import { maxWireAmount } from '../../../core/money.ts';
import type { Chain } from '../../chains/chain.ts';
import { move } from '../../ledger/posting.ts';
import { type Merchant, toleranceOf } from '../../platform/merchant.ts';
import { type ArrivalRates, atArrivalRate, valueAtRate } from '../arrival-quote.ts';
import { isDust, isPart, paymentMachine } from '../payment.ts';
import type { ViewContext } from '../payment.view.ts';
import { type PaymentChange, type PlannedPayment, planPaymentChange, unchangedPayment } from '../payment-change.ts';
import { planCredit } from '../payment-credit.ts';
import { sessionEnded } from '../payment-session.ts';
import { receivedPart } from '../receipts/received-part.ts';
import type { PaymentRow } from '../tables.ts';
import type { NewTransfer } from '../transfer.store.ts';
import {
  chosenAsset,
  countedUnder,
  cryptoAction,
  heldOffer,
  lastOffer,
  type OfferRow,
  type TargetRow,
  valueUnder,
} from './crypto-offer.ts';
import type { Deposit, ScannedDeposit } from './deposit.ts';

/** A payment with new deposits, its target and its prices. */
export interface AwaitedPayment {
  readonly payment: PaymentRow;
  readonly target: TargetRow;
  readonly offers: readonly OfferRow[];
  readonly merchant: Merchant;
  /** Market rates, for late crypto. */
  readonly rates: ArrivalRates;
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

/**
 * Plans the booking of a payment's final deposits in memory, oldest first, and shows the open ones. Throws if a deposit
 * cannot be booked.
 */
export function planDeposits(
  context: DepositContext,
  awaited: AwaitedPayment,
  deposits: readonly ScannedDeposit[],
): PlannedDeposits {
  const { payment, offers, now } = awaited;
  const draft: Draft = { plan: unchangedPayment(payment, now), offers, transfers: [] };
  for (const deposit of deposits) if (deposit.state === 'final') planDeposit(context, awaited, draft, deposit);
  planConfirming(context, awaited, draft, deposits);
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
  const arrival = { deposit, arrivedAt };
  const held = heldOffer(draft.offers, deposit.asset, arrivedAt, awaited.merchant.quoteGraceSeconds);
  const last = lastOffer(draft.offers, deposit.asset, arrivedAt);
  if (held !== null) planCounted(context, awaited, draft, { ...arrival, isInTime, ...atOffer(held, deposit) });
  else if (last === null) planWrongAsset(context, awaited, draft, arrival);
  else planLate(context, awaited, draft, { ...arrival, isInTime, ...atOffer(last, deposit) });
}

/**
 * Shows money that is seen and not final: the payment is `confirming`. When the last of it became final without paying
 * the payment, or was dropped, the payment waits for the payer again. A chain whose blocks are final has no such money.
 */
function planConfirming(
  context: DepositContext,
  { merchant, now }: AwaitedPayment,
  draft: Draft,
  deposits: readonly ScannedDeposit[],
): void {
  const open = deposits.filter(({ state }) => state === 'seen');
  const { phase, next_action: action, amount_received: received } = draft.plan.after;
  const isConfirming = phase === 'confirming';
  const [first, ...others] = open;
  if (first === undefined) {
    if (!isConfirming || !deposits.some(({ wasOpen }) => wasOpen)) return;
    const to = isPart(received, toleranceOf(merchant)) ? 'partially_paid' : 'awaiting_funds';
    change(context, draft, { to, set: { next_action: confirmedBy(context, action, null) }, now });
    return;
  }
  if (!isConfirming && !paymentMachine.can(phase, 'confirming')) return;
  const least = others.reduce((low, each) => (each.confirmations < low.confirmations ? each : low), first);
  const set = { method: 'crypto' as const, next_action: confirmedBy(context, action, least) };
  change(context, draft, { ...(!isConfirming && { to: 'confirming' as const }), set, now });
}

/** The payer's instructions with the confirmations of a deposit. */
function confirmedBy(
  { chain }: DepositContext,
  action: NextAction | null,
  deposit: Pick<ScannedDeposit, 'confirmations' | 'required'> | null,
): NextAction | null {
  if (action?.type !== 'crypto_transfer' || action.chain !== chain.id) return action;
  const { confirmations, required } = deposit ?? { confirmations: 0, required: action.required_confirmations };
  return { ...action, confirmations, required_confirmations: required };
}

function atOffer(offer: OfferRow, { amount }: Deposit) {
  return { offer, value: valueUnder(offer, amount) };
}

/**
 * Plans a deposit for which no price held. For an account with `late_money: "market"` it counts at the market rate.
 * Otherwise it waits for the merchant's decision: uncounted while the payment is open, and at the market rate when the
 * payment has ended.
 */
function planLate(context: DepositContext, awaited: AwaitedPayment, draft: Draft, late: CountedDeposit): void {
  const { merchant, rates, target } = awaited;
  const isOver = draft.plan.after.status !== 'pending';
  const isAtMarket = merchant.lateMoney === 'market';
  // Money in the merchant's own account is not exchanged. For an ended payment it keeps the last price.
  const asks = isAtMarket || (isOver && target.custodial);
  const rate = asks ? rates.of(draft.plan.after, late.deposit.asset) : null;
  const priced = rate === null ? late : { ...late, value: valueAtRate(late.deposit.amount, rate), offer: null };
  if ((isAtMarket && rate !== null) || isOver) {
    const isInTime = isAtMarket && rate !== null && late.isInTime;
    planCounted(context, awaited, draft, { ...priced, isInTime });
    return;
  }
  const { amount } = draft.plan.after;
  const isReported = !isDust(amount, late.value, late.value, toleranceOf(merchant));
  planUncounted(context, awaited, draft, { ...late, problem: 'late', isReported });
}

/** When the deposit reached the chain, on the merchant's clock; at most now, because the chain's clock may be ahead. */
function arrivalOf({ at }: Deposit, { merchant, payment, now }: AwaitedPayment): Date {
  const moved = payment.livemode ? at : new Date(at.getTime() + merchant.testClockOffsetMs);
  return moved < now ? moved : now;
}

interface Arrival {
  readonly deposit: Deposit;
  readonly arrivedAt: Date;
}

/** A deposit with its value in minor units of the payment's currency, at the price of `offer` or at a market rate. */
interface CountedDeposit extends Arrival {
  readonly isInTime: boolean;
  readonly offer: OfferRow | null;
  readonly value: bigint;
}

function planCounted(context: DepositContext, awaited: AwaitedPayment, draft: Draft, counted: CountedDeposit): void {
  const { deposit, arrivedAt, isInTime, offer, value } = counted;
  const { merchant, now, target } = awaited;
  const { chain } = context;
  const payment = draft.plan.after;
  if (payment.amount_received + value > maxWireAmount) {
    throw new PayError('invalid_amount', 'The received amount of the payment would exceed the maximum amount.');
  }
  draft.offers = draft.offers.map(other => (other === offer ? countedUnder(other, deposit.amount) : other));
  const { amount, transactionHash: txHash } = deposit;
  const ledger = deposit.block?.height ?? null;
  const direct = target.custodial ? null : { txHash, ledger, settled: amount };
  const credit = { ...partOf(context, counted), value, from: `clearing.${chain.id}` as const, isInTime, direct };
  const plan = planCredit(payment, credit, toleranceOf(merchant), now);
  draft.transfers.push({
    ...transferOf(context, awaited, deposit, arrivedAt),
    ...plan.counted,
    problem: null,
    at_market: offer === null,
    is_dust: false,
  });
  const instructions = { chain, target, merchant, offers: draft.offers, asset: chosenAsset(payment.next_action) };
  const action = plan.due === null ? null : cryptoAction({ ...instructions, due: plan.due });
  const bookings = [{ kind: 'crypto_deposit', postings: plan.postings }];
  const counting = { ...plan.change(action), bookings };
  const isAtMarket = offer === null && direct === null && !plan.isDust;
  const { rates } = awaited;
  const graceSeconds = merchant.quoteGraceSeconds;
  const late = { merchant, rates, arrivedAt, now, graceSeconds };
  change(context, draft, isAtMarket ? atArrivalRate(counting, payment, late) : counting);
}

/** Plans a deposit in an asset without a price. The deposit has no value and waits for the merchant's decision. */
function planWrongAsset(context: DepositContext, awaited: AwaitedPayment, draft: Draft, arrival: Arrival): void {
  const isReported = arrival.deposit.amount > context.chain.dust;
  planUncounted(context, awaited, draft, { ...arrival, problem: 'wrong_asset', isReported });
}

/** A deposit that does not count, at least before the merchant's decision. `isReported`: it is more than dust. */
interface UncountedDeposit extends Arrival {
  readonly problem: 'wrong_asset' | 'late';
  readonly isReported: boolean;
}

function planUncounted(context: DepositContext, awaited: AwaitedPayment, draft: Draft, kept: UncountedDeposit): void {
  const { deposit, arrivedAt, problem, isReported } = kept;
  const { now, target } = awaited;
  const uncounted = { amount_applied: 0n, amount_excess: 0n, problem, at_market: false, is_dust: !isReported };
  draft.transfers.push({ ...transferOf(context, awaited, deposit, arrivedAt), ...uncounted });
  const postings = move(`clearing.${context.chain.id}`, 'merchant.suspense', deposit.asset, deposit.amount);
  const bookings = target.custodial ? [{ kind: problem, postings }] : [];
  const { exception, received } = draft.plan.after;
  if (!isReported) {
    change(context, draft, { bookings, now });
    return;
  }
  const part = receivedPart({ ...partOf(context, kept), value: 0n });
  const isLate = problem === 'late';
  const set = {
    exception: isLate ? ('paid_late' as const) : (exception ?? ('wrong_asset' as const)),
    received: [...(received ?? []), part],
  };
  const events = [isLate ? ('payment.paid_late' as const) : ('payment.unrecognized_asset' as const)];
  change(context, draft, { set, events, bookings, now });
}

/** The deposit as a part of the received money, without its value. */
function partOf({ chain }: DepositContext, { deposit, arrivedAt }: Arrival) {
  const { amount, asset: currency, transactionHash: txHash } = deposit;
  const arrived = { rail: null, chain: chain.id, txHash, card: null, at: arrivedAt };
  return { method: 'crypto' as const, amount, currency, arrived };
}

function change(context: DepositContext, draft: Draft, next: PaymentChange): void {
  draft.plan = planPaymentChange(context, draft.plan, next);
}

function transferOf(context: DepositContext, awaited: AwaitedPayment, deposit: Deposit, arrivedAt: Date) {
  const { payment, target, now } = awaited;
  return {
    ...chainColumns(context.chain, deposit),
    merchant_id: payment.merchant_id,
    livemode: payment.livemode,
    payment_id: payment.id,
    status: 'matched' as const,
    custodial: target.custodial,
    arrived_at: arrivedAt,
    created_at: now,
  };
}

/** Columns of a transfer that come from the chain. */
export function chainColumns(chain: Chain, deposit: Deposit) {
  return {
    id: newId('transfer'),
    rail: chain.id,
    rail_reference: deposit.ref,
    amount: deposit.amount,
    currency: deposit.asset,
    reference: null,
    sender: deposit.sender,
    chain: chain.id,
    tx_hash: deposit.transactionHash,
    ledger: deposit.block === null ? null : BigInt(deposit.block.height),
    account: deposit.account,
    memo: deposit.memo,
    memo_type: deposit.memoType,
    failure_code: null,
    failure_message: null,
  };
}
