import { type Static, Type } from 'typebox';
import { AssetAmount } from '../crypto.ts';
import { InstructionField } from '../payment.ts';
import { Amount, Closed, Metadata, Nullable, OneOf, Sum, Timestamp } from '../schema.ts';
import { BalanceAmount, balanceUnit } from './balance.ts';

/** Body of `POST /v1/balance/top-ups`: the currency or asset to add, and the expected amount if it is known. */
export const CreateTopUp = Closed({
  ...balanceUnit,
  amount: Type.Optional(BalanceAmount),
  metadata: Type.Optional(Metadata),
});
export type CreateTopUp = Static<typeof CreateTopUp>;

/** Instructions for sending an asset on a chain. */
const CryptoInstructions = Type.Object({
  type: Type.Literal('crypto_transfer'),
  chain: Type.String(),
  asset: Type.String(),
  address: Type.String({ description: 'Muxed address (M…, SEP-23) of this top-up alone.' }),
  base_address: Type.String({
    description: 'The account of `address`, for wallets without muxed addresses. Requires `memo`.',
  }),
  memo: Nullable(
    Type.String(),
    'Required with `base_address`; not needed with `address`. Null on chains without memos.',
  ),
  memo_type: Nullable(OneOf(['id', 'text', 'destination_tag'])),
  amount: Nullable(AssetAmount, 'The expected amount, or null.'),
  uri: Type.String({ description: 'Signed SEP-7 link (web+stellar:pay?…).' }),
  qr: Type.Object({ format: Type.String({ description: '`sep7`.' }), payload: Type.String() }),
});

/** The bank account that receives the transfer. */
const BankAccountInstructions = Type.Object({
  type: Type.Literal('bank_instructions'),
  rail: Type.String(),
  fields: Type.Array(InstructionField),
  reference: Type.String({ description: 'Write it into the remittance text of the transfer.' }),
  currency: Type.String(),
  amount: Nullable(Amount, 'The expected amount, or null.'),
  qr: Nullable(Type.Object({ format: Type.String(), payload: Type.String() })),
});

/**
 * Instructions for transfers into the balance. They do not expire. Each transfer is credited in full, even if it
 * differs from the expected amount.
 */
export const TopUp = Type.Object({
  id: Type.String({ description: 'tu_…' }),
  object: Type.Literal('top_up'),
  status: OneOf(['awaiting_funds', 'received'], {
    description: '`received`: at least the expected amount arrived, or anything where no amount was named.',
  }),
  currency: Nullable(Type.String()),
  asset: Nullable(Type.String(), 'XLM or CODE:ISSUER.'),
  amount: Nullable(BalanceAmount, 'The expected amount, or null.'),
  amount_received: Type.Union([Sum, AssetAmount]),
  instructions: Nullable(
    Type.Union([CryptoInstructions, BankAccountInstructions]),
    'Null when the server no longer has the rail.',
  ),
  metadata: Metadata,
  livemode: Type.Boolean(),
  created_at: Timestamp,
});
export type TopUp = Static<typeof TopUp>;

/** Events of top-ups. Each received transfer causes `top_up.received`. */
export interface TopUpEvents {
  'top_up.created': TopUp;
  'top_up.received': TopUp;
}
