import { type Static, Type } from 'typebox';
import { AssetAmount } from './crypto.ts';
import { Amount, Closed, Nullable, OneOf, Timestamp } from './schema.ts';

/** Body of `POST /v1/transfers/:id/assign`: the payment that the transfer pays. */
export const AssignTransfer = Closed({ payment_id: Type.String({ maxLength: 64 }) });
export type AssignTransfer = Static<typeof AssignTransfer>;

/** Body of `POST /v1/transfers/:id/return`. Default of `destination`: the sender. */
export const ReturnTransfer = Closed({
  destination: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: 200 }), {
      maxProperties: 10,
      propertyNames: { type: 'string', maxLength: 40 },
      description:
        'On Stellar: `address`; `memo` and `memo_type` (text, id, hash, return) if the address needs a memo.',
    }),
  ),
});
export type ReturnTransfer = Static<typeof ReturnTransfer>;

/** Money that arrived at a bank or on a chain. It may be matched to a payment or a top-up. */
export const Transfer = Type.Object({
  id: Type.String(),
  object: Type.Literal('transfer'),
  rail: Type.String(),
  payment: Nullable(Type.String()),
  top_up: Nullable(Type.String(), 'The top-up that it was sent to.'),
  status: OneOf(['matched', 'unmatched', 'awaiting_approval', 'returning', 'returned'], {
    description:
      '`awaiting_approval`: it returns to a destination that you named, and another person must approve it (`/v1/approvals`).',
  }),
  amount: Nullable(Amount, 'Null on a chain.'),
  currency: Nullable(Type.String()),
  asset: Nullable(Type.String(), 'XLM or CODE:ISSUER on Stellar; null at a bank.'),
  asset_amount: Nullable(AssetAmount),
  reference: Nullable(Type.String()),
  sender: Nullable(Type.String(), 'On a chain: the sender’s address, muxed if the sender used a muxed address.'),
  chain: Nullable(Type.String()),
  address: Nullable(Type.String(), 'The address that received the transfer.'),
  tx_hash: Nullable(Type.String()),
  memo: Nullable(Type.String()),
  memo_type: Nullable(Type.String()),
  problem: Nullable(
    OneOf(['wrong_asset', 'late']),
    '`wrong_asset`: the payment was not quoted in this asset. `late`: the payment’s quote held no more. The transfer does not ' +
      'count until `resolve` accepts it; or return it.',
  ),
  failure: Nullable(
    Type.Object({ code: Type.String(), message: Type.String() }),
    'Why the return failed; you may try again.',
  ),
  amount_applied: Type.Integer({ minimum: 0, description: 'Amount that counts towards the payment, in its currency.' }),
  livemode: Type.Boolean(),
  created_at: Timestamp,
});
export type Transfer = Static<typeof Transfer>;

/** Events of transfers, and the object that each carries. */
export interface TransferEvents {
  'transfer.unmatched': Transfer;
  'transfer.assigned': Transfer;
  'transfer.returned': Transfer;
  'transfer.return_failed': Transfer;
}
