import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp } from '../schema.ts';

/** One way in which money comes in or goes out. */
export const Capability = Type.Object({
  id: Type.String({ description: 'The rail or the chain: `sepa`, `mpesa`, `stellar` …', examples: ['sepa'] }),
  type: OneOf(['card', 'bank_transfer', 'crypto', 'bank_account', 'mobile_money', 'crypto_wallet'], {
    description: 'A payment method of money that comes in, or the type of destination of money that goes out.',
  }),
  state: OneOf(['on', 'off', 'unreachable'], {
    description: '`off`: nobody can use it. `unreachable`: it is set up, and its network does not answer now.',
  }),
  simulated: Type.Boolean({ description: 'Whether the sandbox stands in for it, so that no real money moves.' }),
  accepts: Type.Array(Type.String(), {
    description:
      'Brands of cards, currencies of bank accounts and operators, or assets of chains, where the rail names them.',
    examples: [['EUR']],
  }),
  arrives_at: Nullable(Timestamp, 'When a payout that is sent now arrives; null for money that comes in.'),
  settlement_days: Nullable(Type.Integer({ minimum: 0 }), 'Bank days until a transfer to the service arrives.'),
  confirmations: Nullable(Type.Integer({ minimum: 0 }), 'Confirmations until a deposit on a chain is final.'),
  reason: Nullable(Type.String(), 'Why it is not on.'),
  unreachable_since: Nullable(
    Timestamp,
    'Since when its network does not answer; null while it does. `accepts` is then from its last answer.',
  ),
  settings: Type.Array(Type.String(), {
    description:
      'Settings of the server that lack for real money. Only people and keys of the operator’s merchant see them.',
    examples: [['PAY_BANK_IBAN']],
  }),
});
export type Capability = Static<typeof Capability>;

/** The ways in which the service receives and sends money, in the mode of the caller (test or live). */
export const Capabilities = Type.Object({
  object: Type.Literal('capabilities'),
  network: OneOf(['sandbox', 'testnet', 'public'], { description: 'The Stellar network of the server.' }),
  pay_in: Type.Array(Capability, { description: 'Ways in which payers pay.' }),
  pay_out: Type.Array(Capability, { description: 'Ways in which payouts leave.' }),
  settlement_assets: Type.Array(Type.String(), {
    description: 'Assets that the operator lists: merchants may settle and convert into them (`PAY_ASSETS`).',
    examples: [['XLM', 'USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN']],
  }),
  livemode: Type.Boolean(),
});
export type Capabilities = Static<typeof Capabilities>;
