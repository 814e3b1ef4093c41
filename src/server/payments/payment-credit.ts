import type { EventType } from '../../api/event.ts';
import type { NextAction, PaymentMethod } from '../../api/payment.ts';
import { least } from '../../core/money.ts';
import type { LedgerAccount, Posting } from '../ledger/posting.ts';
import { type CountedMoney, isDust, type Judgement, judgeReceived, statusOf, type Tolerance } from './payment.ts';
import type { PaymentChange } from './payment-change.ts';
import { isTimeOver } from './payment-session.ts';
import { type Arrived, receivedPart } from './receipts/received-part.ts';
import type { PaymentRow } from './tables.ts';

/** Money that the payer sent to the merchant's own account, without passing the service. */
export interface DirectMoney {
  readonly txHash: string;
  readonly ledger: number | null;
  /** Smallest units of the settlement asset, or 0 for another asset. */
  readonly settled: bigint;
}

/** Received money for a payment. `value` is in minor units of the payment's currency. */
export interface Credit {
  readonly method: PaymentMethod;
  /** In the smallest unit of the received currency or asset. */
  readonly amount: bigint;
  readonly currency: string;
  readonly value: bigint;
  /** The ledger account that is debited. */
  readonly from: LedgerAccount;
  /** Whether the money arrived before the session's end. The booking may follow later. */
  readonly isInTime: boolean;
  /** The merchant captured a part of an authorized card. The part completes an open payment. */
  readonly isCaptured?: boolean;
  readonly direct: DirectMoney | null;
  readonly arrived: Arrived;
}

interface PlannedCredit {
  /** The part of the value that counts for the payment, and the late or excess part. */
  readonly counted: { readonly amount_applied: bigint; readonly amount_excess: bigint };
  readonly postings: readonly Posting[];
  /** The remaining amount for new instructions to the payer. Null if no instructions follow. */
  readonly due: bigint | null;
  /** Whether the money is dust, which changes nothing but the received amount. */
  readonly isDust: boolean;
  /** The change of the payment, with the payer's next action. */
  change(nextAction: NextAction | null): PaymentChange;
}

/** Plans the credit of received money. Money for an ended or fully paid payment waits for the merchant's decision. */
export function planCredit(payment: PaymentRow, credit: Credit, tolerance: Tolerance, now: Date): PlannedCredit {
  const received = payment.amount_received + credit.value;
  // Money that arrived in time can complete a payment that ended only by expiry.
  const isOpen = statusOf[payment.phase] === 'pending' || (isTimeOver(payment) && credit.isInTime);
  const judgement = isOpen ? judge(payment.amount, received, credit, tolerance) : null;
  const isPaid = judgement?.phase === 'paid';
  const excess = judgement === null ? credit.value : least(judgement.excess, credit.value);
  const suspense = suspenseAfter(payment, credit, judgement);
  const isLate = judgement === null || (payment.phase === 'expired' && !isPaid);
  const isLateDust = isLate && isDust(payment.amount, credit.value, suspense, tolerance);
  const isOpenDust = judgement?.phase === null;
  // Dust does not replace the payer's current step, such as 3-D Secure or a transfer by another method.
  const isShown = !isOpenDust || (payment.phase === 'awaiting_funds' && payment.method === credit.method);
  const parts = payment.received ?? [];
  const set = {
    amount_received: received,
    amount_suspense: suspense,
    // Worthless money for an ended payment is not listed. Otherwise strangers could make the list long.
    received: isLateDust && credit.value === 0n ? parts : [...parts, receivedPart(credit)],
    ...directColumns(payment, credit, isPaid, now),
  };
  return {
    counted: { amount_applied: credit.value - excess, amount_excess: excess },
    postings: creditPostings(payment, credit, suspense - payment.amount_suspense),
    due: isLate || isPaid || payment.phase === 'authorized' || !isShown ? null : payment.amount - received,
    isDust: isLateDust || isOpenDust,
    change: nextAction =>
      isLateDust
        ? { set, now }
        : isLate
          ? lateChange(payment, set, judgement, now)
          : judgement.phase === null
            ? { set: { ...set, ...(isShown && { next_action: nextAction }) }, now }
            : judgedChange(payment, credit, judgement, { ...set, next_action: nextAction }, now),
  };
}

function judge(amount: bigint, received: bigint, { isCaptured }: Credit, tolerance: Tolerance): Judgement {
  const judgement = judgeReceived(amount, received, tolerance);
  return isCaptured && judgement.phase !== 'paid' ? { phase: 'paid', exception: null, excess: 0n } : judgement;
}

/**
 * The amount in suspense after the credit: all money of an incomplete payment, or the excess of a completed payment.
 * Direct money is never in suspense.
 */
function suspenseAfter(payment: PaymentRow, credit: Credit, judgement: Judgement | null): bigint {
  const held = payment.amount_suspense + (credit.direct === null ? credit.value : 0n);
  if (judgement?.phase !== 'paid') return held;
  return credit.direct === null ? least(judgement.excess, held) : 0n;
}

/** Postings of the credit: one part changes the suspense, and the rest goes to the merchant. */
function creditPostings(payment: PaymentRow, credit: Credit, intoSuspense: bigint): Posting[] {
  const { currency } = payment;
  const value = credit.direct === null ? credit.value : 0n;
  const out: Posting[] = [
    { account: 'merchant.suspense', currency, amount: intoSuspense },
    { account: 'merchant.pending', currency, amount: value - intoSuspense },
  ];
  if (credit.direct !== null) return out;
  const { from, amount } = credit;
  const given: Posting = { account: from, currency: credit.currency, amount: -amount };
  if (credit.currency === currency && amount === value) return [given, ...out];
  return [
    given,
    { account: 'fx', currency: credit.currency, amount },
    { account: 'fx', currency, amount: -value },
    ...out,
  ];
}

/** Columns of direct money, which is settled on arrival. A completed payment with only direct money is settled. */
function directColumns(payment: PaymentRow, { direct, value }: Credit, isPaid: boolean, now: Date) {
  const amountDirect = payment.amount_direct + (direct === null ? 0n : value);
  const received = payment.amount_received + value;
  return {
    ...(isPaid && completion({ amount_received: received, amount_direct: amountDirect }, now)),
    ...(direct !== null && {
      amount_direct: amountDirect,
      amount_settled: payment.amount_settled + value,
      settlement_amount: payment.settlement_amount + direct.settled,
      settlement_tx_hash: direct.txHash,
      settlement_ledger: direct.ledger,
    }),
  };
}

/** Columns that a completion sets. It also settles a payment with only direct money. */
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
  judgement: CountedMoney,
  set: Columns,
  now: Date,
): PaymentChange {
  const isPaid = judgement.phase === 'paid';
  const { phase } = payment;
  // A partial amount leaves the card authorized, so that the merchant can capture the rest.
  const staysAuthorized = phase === 'authorized' && !isPaid;
  const isAgain = phase === judgement.phase || staysAuthorized;
  const again: EventType[] = isAgain ? ['payment.partially_paid'] : [];
  const over: EventType[] = judgement.exception === 'overpaid' ? ['payment.overpaid'] : [];
  const settled: EventType[] = set.settlement_status === 'settled' ? ['payment.settled'] : [];
  // Earlier money in a wrong asset, or earlier late money, still waits for a decision after this credit.
  const isLateBeside = payment.exception === 'paid_late' && payment.status === 'pending';
  const waiting = payment.exception === 'wrong_asset' || isLateBeside ? payment.exception : null;
  const changed = {
    ...set,
    ...(!staysAuthorized && { method: credit.method }),
    // Other money has paid, so the payment no longer shows the authorized card.
    ...(phase === 'authorized' && isPaid && { card: null }),
    exception: judgement.exception ?? waiting,
  };
  return { to: staysAuthorized ? phase : judgement.phase, set: changed, events: [...again, ...over, ...settled], now };
}
