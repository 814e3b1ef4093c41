import { type Static, Type } from 'typebox';
import { AssetAmount } from '../crypto.ts';
import { Closed, Metadata, Nullable, OneOf, Timestamp } from '../schema.ts';
import { BalanceAmount, balanceSum } from './balance.ts';

const Destination = Closed({
  address: Type.String({ minLength: 1, maxLength: 120, description: 'Stellar account (G…) or muxed account (M…).' }),
  memo: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        'For the types `hash` and `return`: 32 bytes in hexadecimal or base64; answers show lower-case hexadecimal.',
    }),
  ),
  memo_type: Type.Optional(OneOf(['text', 'id', 'hash', 'return'])),
});

/** Body of `POST /v1/balance/withdrawals`. Default of currency and asset: the account's settlement asset. */
export const CreateWithdrawal = Closed({
  ...balanceSum,
  destination: Type.Optional(Destination),
  metadata: Type.Optional(Metadata),
});
export type CreateWithdrawal = Static<typeof CreateWithdrawal>;

/**
 * Money of the balance that is paid to a Stellar account, by default to the merchant's own. An asset is paid without
 * conversion. A currency is converted to the settlement asset, at the market rate at the time of the request.
 */
export const Withdrawal = Type.Object({
  id: Type.String({ description: 'wd_…' }),
  object: Type.Literal('withdrawal'),
  status: OneOf(['awaiting_approval', 'pending', 'completed', 'failed'], {
    description:
      '`awaiting_approval`: another person must approve it (`/v1/approvals`); its money is reserved, and it is priced ' +
      'again then. `failed`: the money is available again.',
  }),
  amount: BalanceAmount,
  currency: Nullable(Type.String()),
  asset: Nullable(Type.String(), 'XLM or CODE:ISSUER.'),
  paid: Type.Object({ asset: Type.String(), amount: AssetAmount }, { description: 'Delivered on Stellar.' }),
  destination: Type.Object({
    address: Type.String(),
    memo: Nullable(Type.String()),
    memo_type: Nullable(Type.String()),
  }),
  delivery: OneOf(['payment', 'claimable_balance'], {
    description: '`claimable_balance` (CAP-23) for an account that cannot hold the asset yet.',
  }),
  tx_hash: Nullable(Type.String()),
  ledger: Nullable(Type.Integer()),
  failure: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  metadata: Metadata,
  livemode: Type.Boolean(),
  created_at: Timestamp,
  completed_at: Nullable(Timestamp),
});
export type Withdrawal = Static<typeof Withdrawal>;

/** Events of withdrawals, and the object that each carries. */
export interface WithdrawalEvents {
  'withdrawal.created': Withdrawal;
  'withdrawal.approved': Withdrawal;
  'withdrawal.completed': Withdrawal;
  'withdrawal.failed': Withdrawal;
}
