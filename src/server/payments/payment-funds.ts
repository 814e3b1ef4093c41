import type { Selectable } from 'kysely';
import { divideRounded } from '../../core/money.ts';
import { move, type Posting } from '../ledger/posting.ts';
import type { PaymentsTable } from './tables.ts';

type Kept = Pick<
  Selectable<PaymentsTable>,
  'amount_received' | 'amount_refunded' | 'amount_refunding' | 'amount_suspense'
>;

/** The columns that divide a payment's money, in minor units of its currency. */
export type Funds = Kept & Pick<Selectable<PaymentsTable>, 'amount_settling' | 'amount_settled' | 'amount_receivable'>;

/** The part of the received amount that the merchant keeps. */
export function keptOf(funds: Kept): bigint {
  return funds.amount_received - funds.amount_suspense - givenBack(funds);
}

/** Refunds that were paid or are on their way. */
export function givenBack(funds: Pick<Funds, 'amount_refunded' | 'amount_refunding'>): bigint {
  return funds.amount_refunded + funds.amount_refunding;
}

/** The part of the kept amount that is neither settled nor being settled. Negative: the amount that the merchant owes. */
export function unsettled(funds: Funds, disputed: bigint): bigint {
  return keptOf(funds) - disputed - funds.amount_settled - funds.amount_settling;
}

/** The balance of the payment in the account `merchant.pending`. */
export function pendingFunds(funds: Funds, disputed: bigint): bigint {
  return unsettled(funds, disputed) + funds.amount_receivable;
}

/** An amount taken from the merchant: from the payment's pending balance, and the rest as the merchant's debt. */
export interface Taken {
  readonly pending: bigint;
  readonly receivable: bigint;
}

/** Takes an amount from the payment's pending balance. A missing part was settled already and becomes the merchant's debt. */
export function takeOwned(funds: Funds, disputed: bigint, amount: bigint): Taken {
  const there = pendingFunds(funds, disputed);
  const pending = amount < there ? amount : there > 0n ? there : 0n;
  return { pending, receivable: amount - pending };
}

/** Returns an amount to the merchant: it reduces the debt first. */
export function returnOwned(funds: Pick<Funds, 'amount_receivable'>, amount: bigint): Taken {
  const receivable = amount < funds.amount_receivable ? amount : funds.amount_receivable;
  return { pending: amount - receivable, receivable };
}

/** Postings that move a taken amount to another account. */
export function takenPostings(taken: Taken, to: Posting['account'], currency: string): Posting[] {
  return [
    ...move('merchant.pending', to, currency, taken.pending),
    ...move('merchant.receivable', to, currency, taken.receivable),
  ];
}

/** Postings that move a returned amount back from another account. */
export function returnedPostings(returned: Taken, from: Posting['account'], currency: string): Posting[] {
  return [
    ...move(from, 'merchant.pending', currency, returned.pending),
    ...move(from, 'merchant.receivable', currency, returned.receivable),
  ];
}

/**
 * Converts `amount` of the payment to stroops of its settlement asset at the quoted rate. `before` was settled earlier.
 * The shares of a payment always sum to the quoted amount.
 */
export function settlementShare(
  payment: Pick<Selectable<PaymentsTable>, 'amount' | 'quote_amount'>,
  before: bigint,
  amount: bigint,
): bigint {
  const upTo = (part: bigint) => divideRounded(payment.quote_amount * part, payment.amount);
  return upTo(before + amount) - upTo(before);
}
