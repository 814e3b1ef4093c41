import { type Static, Type } from 'typebox';
import { AssetAmount } from './crypto.ts';
import { Nullable, Timestamp } from './schema.ts';

const Money = Type.Union([
  Type.Object({ currency: Type.String(), amount: Type.Integer() }),
  Type.Object({ asset: Type.String(), amount: AssetAmount }),
]);

/**
 * The merchant's money with the service. `pending`: paid and not settled yet. `reserved`: being sent. `suspense`: kept
 * until the merchant decides. `receivable`: owed by the merchant for refunds of settled payments.
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
  livemode: Type.Boolean(),
  created_at: Timestamp,
});
export type BalanceEntry = Static<typeof BalanceEntry>;
