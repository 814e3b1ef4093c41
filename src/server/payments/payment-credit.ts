import type { EventType } from '../../api/event.ts';
import type { NextAction, PaymentMethod } from '../../api/payment.ts';
import { least } from '../../core/money.ts';
import type { LedgerAccount, Posting } from '../ledger/posting.ts';
import { type Judgement, judgeReceived, statusOf, type Tolerance } from './payment.ts';
import type { PaymentRow } from './payment.view.ts';
import type { PaymentChange } from './payment-change.ts';
import { sessionExpired } from './payment-session.ts';

/** Money in an account of the merchant's own: it is there already, and was never in custody. */
export interface DirectMoney {
  readonly txHash: string;
  readonly ledger: number;
  /** Of the settlement asset, in stroops; 0 where another asset came. */
  readonly settled: bigint;
}

/** Money for a payment. `value` is what it is worth in the payment's currency, in minor units. */
export interface Credit {
  readonly method: PaymentMethod;
  /** In the currency or asset that came. */
  readonly amount: bigint;
  readonly currency: string;
  readonly value: bigint;
  /** The account of the books it comes out of. */
  readonly from: LedgerAccount;
  /** It came before the session was over, though it is seen only now. */
  readonly isInTime: boolean;
  readonly direct: DirectMoney | null;
}

/** What a credit brings about. */
export interface PlannedCredit {
  /** Of the value: what counts towards the payment, and what came late or on top. */
  readonly counted: { readonly amount_applied: bigint; readonly amount_excess: bigint };
  readonly postings: readonly Posting[];
  /** What is still due, for the payer to be told; null when nobody is to be told anything. */
  readonly due: bigint | null;
  /** The change of the payment, once it is known what the payer is to do next. */
  change(nextAction: NextAction | null): PaymentChange;
}

/** Thinks through what money means for a payment. Money for one that is over or full waits for the merchant to decide. */
export function planCredit(payment: PaymentRow, credit: Credit, tolerance: Tolerance, now: Date): PlannedCredit {
  const received = payment.amount_received + credit.value;
  const isOpen = statusOf[payment.phase] === 'pending' || (isJustOver(payment) && credit.isInTime);
  const judgement = isOpen ? judgeReceived(payment.amount, received, tolerance) : null;
  const isPaid = judgement?.phase === 'paid';
  const excess = judgement === null ? credit.value : least(judgement.excess, credit.value);
  const suspense = suspenseAfter(payment, credit, judgement);
  const set = { amount_received: received, amount_suspense: suspense, ...directColumns(payment, credit, isPaid, now) };
  const isLate = judgement === null || (payment.phase === 'expired' && !isPaid);
  const isDust = received === 0n;
  return {
    counted: { amount_applied: credit.value - excess, amount_excess: excess },
    postings: creditPostings(payment, credit, suspense - payment.amount_suspense),
    due: isLate || isPaid ? null : payment.amount - received,
    change: nextAction =>
      isLate
        ? lateChange(payment, set, judgement, now)
        : isDust
          ? { set: { ...set, next_action: textOf(nextAction) }, now }
          : judgedChange(payment, credit, judgement, { ...set, next_action: textOf(nextAction) }, now),
  };
}

/** Whether nothing but time stands in the way of money that came before the session was over. */
function isJustOver({ phase, failure_code: code }: PaymentRow): boolean {
  return phase === 'expired' && code === sessionExpired;
}

/** Until a payment is full all of it waits in suspense; then only what is on top. Money that is not in custody waits nowhere. */
function suspenseAfter(payment: PaymentRow, credit: Credit, judgement: Judgement | null): bigint {
  const held = payment.amount_suspense + (credit.direct === null ? credit.value : 0n);
  if (judgement?.phase !== 'paid') return held;
  return credit.direct === null ? least(judgement.excess, held) : 0n;
}

/** The money enters; what was and is in suspense changes by the difference, the rest becomes the merchant's. */
function creditPostings(payment: PaymentRow, credit: Credit, intoSuspense: bigint): Posting[] {
  const { currency } = payment;
  const value = credit.direct === null ? credit.value : 0n;
  const out: Posting[] = [
    { account: 'merchant.suspense', currency, amount: intoSuspense },
    { account: 'merchant.pending', currency, amount: value - intoSuspense },
  ];
  if (credit.direct !== null) return out;
  const { from, amount } = credit;
  if (credit.currency === currency && amount === value) return [{ account: from, currency, amount: -amount }, ...out];
  return [
    { account: from, currency: credit.currency, amount: -amount },
    { account: 'fx', currency: credit.currency, amount },
    { account: 'fx', currency, amount: -value },
    ...out,
  ];
}

/** Money that went straight to the merchant is settled the moment it arrives; with it the payment, if all of it did. */
function directColumns(payment: PaymentRow, { direct, value }: Credit, isPaid: boolean, now: Date) {
  const amountDirect = payment.amount_direct + (direct === null ? 0n : value);
  const received = payment.amount_received + value;
  return {
    ...(isPaid ? completion({ amount_received: received, amount_direct: amountDirect }, now) : {}),
    ...(direct === null
      ? {}
      : {
          amount_direct: amountDirect,
          amount_settled: payment.amount_settled + value,
          settlement_amount: payment.settlement_amount + direct.settled,
          settlement_tx_hash: direct.txHash,
          settlement_ledger: direct.ledger,
        }),
  };
}

/** What becomes true the moment a payment completes. What was all paid straight to the merchant is settled by that. */
export function completion(payment: Pick<PaymentRow, 'amount_received' | 'amount_direct'>, now: Date) {
  const isSettled = payment.amount_direct === payment.amount_received;
  return {
    completed_at: now,
    settlement_status: isSettled ? ('settled' as const) : ('pending' as const),
    settlement_due_at: isSettled ? null : now,
    failure_code: null,
    failure_message: null,
  };
}

type Columns = NonNullable<PaymentChange['set']>;

function lateChange(payment: PaymentRow, set: Columns, judgement: Judgement | null, now: Date): PaymentChange {
  const isOver = statusOf[payment.phase] === 'failed';
  const exception = judgement?.exception ?? (isOver ? 'paid_late' : 'overpaid');
  return { set: { ...set, exception }, events: [isOver ? 'payment.paid_late' : 'payment.overpaid'], now };
}

function judgedChange(
  payment: PaymentRow,
  credit: Credit,
  judgement: Judgement,
  set: Columns,
  now: Date,
): PaymentChange {
  const again: EventType[] = payment.phase === judgement.phase ? ['payment.partially_paid'] : [];
  const over: EventType[] = judgement.exception === 'overpaid' ? ['payment.overpaid'] : [];
  const settled: EventType[] = set.settlement_status === 'settled' ? ['payment.settled'] : [];
  return {
    to: judgement.phase,
    // Money in a wrong asset still waits to be sent back, however the rest was paid.
    set: { ...set, method: credit.method, exception: judgement.exception ?? wrongAsset(payment) },
    events: [...again, ...over, ...settled],
    now,
  };
}

function wrongAsset(payment: PaymentRow): 'wrong_asset' | null {
  return payment.exception === 'wrong_asset' ? 'wrong_asset' : null;
}

function textOf(nextAction: NextAction | null): string | null {
  return nextAction === null ? null : JSON.stringify(nextAction);
}
