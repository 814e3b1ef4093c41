import { type Static, Type } from 'typebox';
import { AssetAmount } from '../crypto.ts';
import { Amount, Currency, Nullable, Timestamp } from '../schema.ts';

/** Money of the balance: an integer in minor units with `currency`, or decimal text with `asset`. */
export const Money = Type.Union([
  Type.Object({ currency: Type.String(), amount: Type.Integer() }),
  Type.Object({ asset: Type.String(), amount: AssetAmount }),
]);

/** Fields of a request that name a currency or an asset of the balance. */
export const balanceUnit = {
  currency: Type.Optional(Currency),
  asset: Type.Optional(
    Type.String({ minLength: 1, maxLength: 70, description: 'XLM, a well-known code, or CODE:ISSUER.' }),
  ),
};

/** An amount in a request. */
export const BalanceAmount = Type.Union([Amount, Type.String({ minLength: 1, maxLength: 30 })], {
  description: 'Integer in the smallest unit beside `currency`; decimal text beside `asset`.',
});

/** Fields of a request that name an amount of the balance. */
export const balanceSum = { ...balanceUnit, amount: BalanceAmount };

/**
 * The merchant's money with the service. `pending`: paid, not settled yet. `reserved`: being sent. `suspense`:
 * received, but waits for the merchant's decision. `receivable`: owed by the merchant for refunds and disputes of
 * settled payments.
 */
export const Balance = Type.Object({
  object: Type.Literal('balance'),
  available: Type.Array(Money),
  pending: Type.Array(Money),
  reserved: Type.Array(Money),
  suspense: Type.Array(Money),
  receivable: Type.Array(Money),
  livemode: Type.Boolean(),
});
export type Balance = Static<typeof Balance>;

/** One entry of the merchant's balance. */
export const BalanceEntry = Type.Object({
  id: Type.String(),
  object: Type.Literal('balance_entry'),
  account: Type.String(),
  kind: Type.String(),
  amount: Nullable(Type.Integer(), 'Signed amount; null for an asset.'),
  currency: Nullable(Type.String()),
  asset: Nullable(Type.String()),
  asset_amount: Nullable(Type.String(), 'Signed amount, decimal text.'),
  payment: Nullable(Type.String()),
  refund: Nullable(Type.String()),
  source: Nullable(
    Type.String(),
    'The settlement, payout, payout batch, top-up, withdrawal or conversion that the entry books.',
  ),
  livemode: Type.Boolean(),
  created_at: Timestamp,
});
export type BalanceEntry = Static<typeof BalanceEntry>;
