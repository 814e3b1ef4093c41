import { divideRounded } from '../../../core/money.ts';
import type { PaymentRow } from '../tables.ts';

/** The columns that a deduction reads. */
export type Indebted = Pick<
  PaymentRow,
  | 'amount'
  | 'quote_amount'
  | 'amount_settled'
  | 'amount_settling'
  | 'amount_receivable'
  | 'settlement_amount'
  | 'settling_amount'
  | 'settlement_id'
>;

/** A deducted debt: `value` in the payment's currency, `share` of it in the settlement currency, and the new columns. */
export interface Deduction {
  readonly value: bigint;
  readonly share: bigint;
  readonly columns: Partial<Indebted>;
}

/**
 * Deducts a payment's debt from a settlement, at most `room` of the settlement currency. Lowers the debt and the settled
 * amount by the same part. A debt can therefore be deducted only once. The settled amount falls below zero if refunds and
 * disputes took more than the merchant got for the payment. Null: nothing can be deducted.
 */
export function deductDebt(payment: Indebted, settlementId: string, room: bigint): Deduction | null {
  const settling = payment.settlement_id === settlementId ? payment.amount_settling : 0n;
  const total = payment.amount_settled + settling;
  const upTo = (part: bigint) => divideRounded(payment.quote_amount * part, payment.amount);
  const shareOf = (value: bigint) => upTo(total) - upTo(total - value);
  const value = room > 0n ? greatest(payment.amount_receivable, part => shareOf(part) <= room) : 0n;
  if (value <= 0n) return null;
  const share = shareOf(value);
  // Money that did not leave yet shrinks first.
  const fromSettling = value < settling ? value : settling;
  const settlingShare = value < settling ? share : settling === 0n ? 0n : payment.settling_amount;
  return {
    value,
    share,
    columns: {
      amount_receivable: payment.amount_receivable - value,
      amount_settling: payment.amount_settling - fromSettling,
      settling_amount: payment.settling_amount - settlingShare,
      amount_settled: payment.amount_settled - (value - fromSettling),
      settlement_amount: payment.settlement_amount - (share - settlingShare),
    },
  };
}

/** The greatest part of `most` that fits, by bisection: a larger part never has a smaller share. */
function greatest(most: bigint, fits: (part: bigint) => boolean): bigint {
  if (fits(most)) return most;
  let [low, high] = [0n, most];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}
