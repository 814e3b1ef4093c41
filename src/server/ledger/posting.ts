import { PayError } from '../../core/error.ts';

/**
 * Accounts of the ledger. `merchant.*` is money that the service owes the merchant:
 * - `pending`: paid, not settled; `available`: free to pay out; `reserved`: being paid out;
 * - `suspense`: received, not assigned yet; `receivable`: owed by the merchant after refunds (never above zero).
 *
 * `clearing.<rail>` is money that the rail owes the service. `treasury.<rail>` is money that left the
 * service's own account on the chain. `fx` holds open conversions, and `exchange_difference` their gains (losses are negative). `losses` holds
 * clawbacks by issuers, and `funding` test money.
 *
 * `ramps.fee` takes the fees of delivered ramps, and gives them to the merchant's available balance (its sum is zero).
 *
 * `invoices.*` are the merchant's own books of sent invoices. They sum to zero and hold no money:
 * - `receivable`: what customers owe (never above zero); `losses`: what they never paid;
 * - `revenue` and `tax`: what was invoiced, less credit notes; `credit`: unused credit of customers;
 * - `received`: money for invoices, less refunds and disputes (negative); `refunded`: refunds without a credit note;
 * - `tolerated`: what payments lacked and the merchant's tolerance forgave.
 */
export type LedgerAccount =
  | 'merchant.pending'
  | 'merchant.available'
  | 'merchant.reserved'
  | 'merchant.suspense'
  | 'merchant.receivable'
  | `treasury.${string}`
  | 'fx'
  | 'exchange_difference'
  | 'losses'
  | 'funding'
  | 'ramps.fee'
  | `invoices.${'receivable' | 'losses' | 'revenue' | 'tax' | 'credit' | 'received' | 'refunded' | 'tolerated'}`
  | `clearing.${string}`;

/** One line of a transaction, in smallest units. A positive amount is added to the account. */
export interface Posting {
  readonly account: LedgerAccount;
  readonly currency: string;
  readonly amount: bigint;
}

/** Moves `amount` from one account to another by two lines that sum to zero. */
export function move(from: LedgerAccount, to: LedgerAccount, currency: string, amount: bigint): Posting[] {
  return [
    { account: from, currency, amount: -amount },
    { account: to, currency, amount },
  ];
}

/** Exchanges money: `given` moves from `from` to `fx`, `taken` moves from `fx` to `to`. Equal money moves directly. */
export function exchange(
  from: LedgerAccount,
  given: { readonly currency: string; readonly amount: bigint },
  to: LedgerAccount,
  taken: { readonly currency: string; readonly amount: bigint },
): Posting[] {
  if (given.currency === taken.currency && given.amount === taken.amount)
    return move(from, to, given.currency, given.amount);
  return [...move(from, 'fx', given.currency, given.amount), ...move('fx', to, taken.currency, taken.amount)];
}

/** Removes lines of zero. Throws if a currency's lines do not sum to zero, as the database does, too. */
export function balanced(postings: readonly Posting[]): Posting[] {
  const sums = new Map<string, bigint>();
  for (const { currency, amount } of postings) sums.set(currency, (sums.get(currency) ?? 0n) + amount);
  for (const [currency, sum] of sums) {
    if (sum !== 0n) throw new PayError('internal_error', `Postings in ${currency} do not sum to zero.`);
  }
  return postings.filter(posting => posting.amount !== 0n);
}
