import { PayError } from '../../core/error.ts';

/**
 * Accounts of the books. `merchant.*` is what the service owes the merchant: `pending` (paid, not settled),
 * `available` (free to pay out), `reserved` (on its way out), `suspense` (arrived, not the merchant's yet), `receivable`
 * (never above zero: what the merchant owes, since more went back to payers than was left unsettled).
 * `clearing.<rail>` is what the rail owes the service; `treasury` is what left the service's own account on Stellar; `fx`
 * holds what conversions leave open, `exchange_difference` what they turned out to have gained (or lost, below zero); `losses` is what issuers took back; `funding` is test money.
 */
export type LedgerAccount =
  | 'merchant.pending'
  | 'merchant.available'
  | 'merchant.reserved'
  | 'merchant.suspense'
  | 'merchant.receivable'
  | 'treasury'
  | 'fx'
  | 'exchange_difference'
  | 'losses'
  | 'funding'
  | `clearing.${string}`;

/** One line of a transaction. Positive: the account is owed more. Minor units. */
export interface Posting {
  readonly account: LedgerAccount;
  readonly currency: string;
  readonly amount: bigint;
}

/** Moves `amount` from one account to another, as two lines that sum to zero. */
export function move(from: LedgerAccount, to: LedgerAccount, currency: string, amount: bigint): Posting[] {
  return [
    { account: from, currency, amount: -amount },
    { account: to, currency, amount },
  ];
}

/**
 * Moves money that changes currency on the way: `given` leaves `from`, `taken` reaches `to`, and `fx` stands between.
 * With one currency it is a plain move.
 */
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

/** Lines without effect taken out; throws when a currency does not sum to zero. The database checks it once more. */
export function balanced(postings: readonly Posting[]): Posting[] {
  const sums = new Map<string, bigint>();
  for (const { currency, amount } of postings) sums.set(currency, (sums.get(currency) ?? 0n) + amount);
  for (const [currency, sum] of sums) {
    if (sum !== 0n) throw new PayError('internal_error', `Postings in ${currency} do not sum to zero.`);
  }
  return postings.filter(posting => posting.amount !== 0n);
}
