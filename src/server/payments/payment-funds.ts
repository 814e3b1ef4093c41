import type { Selectable } from 'kysely';
import { divideRounded } from '../../core/money.ts';
import { move, type Posting } from '../ledger/posting.ts';
import type { PaymentsTable } from './tables.ts';

/** The columns that say where a payment's money is. Minor units of its currency. */
export type Funds = Pick<
  Selectable<PaymentsTable>,
  | 'amount_received'
  | 'amount_refunded'
  | 'amount_refunding'
  | 'amount_suspense'
  | 'amount_settling'
  | 'amount_settled'
  | 'amount_receivable'
>;

/** What the merchant keeps of the received amount. */
export function keptOf(funds: Omit<Funds, 'amount_settling' | 'amount_settled' | 'amount_receivable'>): bigint {
  return funds.amount_received - funds.amount_suspense - givenBack(funds);
}

/** Refunds that were paid or are on their way. */
export function givenBack(funds: Pick<Funds, 'amount_refunded' | 'amount_refunding'>): bigint {
  return funds.amount_refunded + funds.amount_refunding;
}

/**
 * What of the payment is the merchant's and neither settled nor on its way. Below zero where more went back to the payer
 * after it had been settled: the merchant owes that. `disputed` is what the card's bank took back.
 */
export function unsettled(funds: Funds, disputed: bigint): bigint {
  return keptOf(funds) - disputed - funds.amount_settled - funds.amount_settling;
}

/** What the books hold of the payment in `merchant.pending`. */
export function pendingFunds(funds: Funds, disputed: bigint): bigint {
  return unsettled(funds, disputed) + funds.amount_receivable;
}

/** Money of the merchant that is to go elsewhere: what is there of it, and what the merchant comes to owe. */
export interface Taken {
  readonly pending: bigint;
  readonly receivable: bigint;
}

/** Takes money of the merchant out of a payment: what is still there first; the rest is a debt, since it was settled. */
export function takeOwned(funds: Funds, disputed: bigint, amount: bigint): Taken {
  const there = pendingFunds(funds, disputed);
  const pending = amount < there ? amount : there > 0n ? there : 0n;
  return { pending, receivable: amount - pending };
}

/** Gives money back to the merchant: a debt of the payment first. */
export function returnOwned(funds: Pick<Funds, 'amount_receivable'>, amount: bigint): Taken {
  const receivable = amount < funds.amount_receivable ? amount : funds.amount_receivable;
  return { pending: amount - receivable, receivable };
}

/** The lines by which what was taken goes to another account. */
export function takenPostings(taken: Taken, to: Posting['account'], currency: string): Posting[] {
  return [
    ...move('merchant.pending', to, currency, taken.pending),
    ...move('merchant.receivable', to, currency, taken.receivable),
  ];
}

/** The lines by which what is given back comes from another account. */
export function returnedPostings(returned: Taken, from: Posting['account'], currency: string): Posting[] {
  return [
    ...move(from, 'merchant.pending', currency, returned.pending),
    ...move(from, 'merchant.receivable', currency, returned.receivable),
  ];
}

/**
 * What `amount` more of a payment is worth of its settlement asset (stroops), at the quoted rate, after `before` of it
 * was settled: the shares of a payment sum to the quote to the stroop, however it is divided.
 */
export function settlementShare(
  payment: Pick<Selectable<PaymentsTable>, 'amount' | 'quote_amount'>,
  before: bigint,
  amount: bigint,
): bigint {
  const upTo = (part: bigint) => divideRounded(payment.quote_amount * part, payment.amount);
  return upTo(before + amount) - upTo(before);
}
