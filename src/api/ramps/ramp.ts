import { type Static, Type } from 'typebox';
import { KycStatus, KycTier } from '../kyc/kyc.ts';
import { CreateRefund } from '../refund.ts';
import { Amount, Closed, Currency, CustomerOrId, Metadata, Nullable, OneOf, Sum, Timestamp } from '../schema.ts';
import { RampMethod } from './ramp-settings.ts';

/** Ramps buy coins: the customer pays money, and the service sends the coins to the customer's wallet. */
const Direction = OneOf(['on'], { description: '`on`: money buys coins.' });

/** States of a ramp, by their names in SEP-24. The state machine is in `server/ramps/ramp.ts`. */
export const RampStatus = OneOf(
  [
    'incomplete',
    'pending_user_transfer_start',
    'pending_anchor',
    'pending_stellar',
    'pending_trust',
    'on_hold',
    'completed',
    'refunded',
    'expired',
  ],
  {
    description:
      '`incomplete`: an identity check is needed (`kyc`). `pending_user_transfer_start`: the customer pays `payment`. ' +
      '`pending_anchor`: the money is here. `pending_stellar`: the coins are on their way. `pending_trust`: the wallet ' +
      'cannot hold the asset yet. `on_hold`: you decide about the money. `completed`: the wallet has the coins.',
  },
);
export type RampStatus = Static<typeof RampStatus>;

const CoinAmount = Type.String({
  maxLength: 40,
  description: 'Decimal text in whole units of the asset.',
  examples: ['25.0000000'],
});

const terms = {
  asset: Type.String({ minLength: 1, maxLength: 70, description: 'The asset that is bought.', examples: ['USDC'] }),
  method: RampMethod,
};

/** One side of a quote. Exactly one of the two sides has an amount. */
const SellMoney = Closed(
  { currency: Currency, amount: Type.Optional(Amount) },
  { description: 'What the customer pays, fee included.' },
);
const BuyCoins = Closed(
  { asset: terms.asset, amount: Type.Optional(CoinAmount) },
  { description: 'What the customer gets.' },
);

/** Body of `POST /v1/ramps/quotes`. */
export const CreateRampQuote = Closed({
  direction: Direction,
  sell: SellMoney,
  buy: BuyCoins,
  method: RampMethod,
  customer_id: Type.Optional(Type.String({ maxLength: 64, description: 'Only this customer may use the quote.' })),
});
export type CreateRampQuote = Static<typeof CreateRampQuote>;

/** The fee, as SEP-38 itemizes it. Amounts are in minor units of `currency`. */
export const RampFeeView = Type.Object({
  total: Sum,
  currency: Type.String({ examples: ['EUR'] }),
  details: Type.Array(Type.Object({ name: Type.String({ examples: ['Service fee (1.5 %)'] }), amount: Sum }), {
    description: 'The parts of the fee.',
  }),
});

/** A firm price: until `expires_at`, the coins are reserved. `sell.amount` = `price` × `buy.amount` + `fee.total`. */
export const RampQuote = Type.Object({
  id: Type.String({ description: 'quote_…', examples: ['quote_3kTMd0PpC1hJ6nLq2uXs9B'] }),
  object: Type.Literal('ramp_quote'),
  direction: Direction,
  sell: Type.Object(
    { currency: Type.String({ examples: ['EUR'] }), amount: Amount },
    { description: 'What the customer pays, fee included.' },
  ),
  buy: Type.Object(
    { asset: Type.String({ examples: ['XLM'] }), amount: CoinAmount },
    { description: 'What the customer gets.' },
  ),
  method: RampMethod,
  price: Type.String({
    description: 'Whole units of currency for one unit of the asset, without the fee.',
    examples: ['0.92'],
  }),
  total_price: Type.String({ description: 'Like `price`, with the fee.', examples: ['0.95'] }),
  fee: RampFeeView,
  customer_id: Nullable(Type.String(), 'The only customer who may use the quote; null: everybody may.'),
  ramp: Nullable(Type.String(), 'Id of the ramp that used the quote.'),
  livemode: Type.Boolean(),
  created_at: Timestamp,
  expires_at: Timestamp,
});
export type RampQuote = Static<typeof RampQuote>;

const Wallet = Closed({
  address: Type.String({ minLength: 1, maxLength: 80, description: 'Stellar account (G…) or muxed account (M…).' }),
  memo: Type.Optional(Nullable(Type.String({ maxLength: 64 }))),
  memo_type: Type.Optional(Nullable(OneOf(['text', 'id', 'hash', 'return']))),
});

/** Body of `POST /v1/ramps`. Give `quote_id`, or exactly one of `fiat_amount` and `asset_amount` for a price of now. */
export const CreateRamp = Closed({
  direction: Direction,
  quote_id: Type.Optional(Type.String({ maxLength: 64, description: 'A quote with the same terms.' })),
  fiat_currency: Type.Optional(Currency),
  fiat_amount: Type.Optional(Amount),
  asset: Type.Optional(terms.asset),
  asset_amount: Type.Optional(CoinAmount),
  chain: Type.Optional(OneOf(['stellar'])),
  method: Type.Optional(RampMethod),
  wallet: Wallet,
  claimable: Type.Optional(
    Type.Boolean({
      description:
        'Whether the coins may wait in a claimable balance while the wallet has no trustline. Default: false, the ramp waits.',
    }),
  ),
  customer_id: Type.Optional(Type.String({ maxLength: 64, description: 'A customer of `/v1/customers`.' })),
  customer: Type.Optional(CustomerOrId),
  return_url: Type.Optional(Type.String({ maxLength: 2048, description: 'The page to which the customer returns.' })),
  client_reference: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Your own name of the ramp.' }),
  ),
  metadata: Type.Optional(Metadata),
});
export type CreateRamp = Static<typeof CreateRamp>;

/** A purchase of coins. `amount_out` = (`amount_in` − `amount_fee` − `refunds.amount_refunded`) ÷ `price`. */
export const Ramp = Type.Object({
  id: Type.String({ description: 'ramp_…', examples: ['ramp_3kTMd0PpC1hJ6nLq2uXs9B'] }),
  object: Type.Literal('ramp'),
  direction: Direction,
  status: RampStatus,
  kyc_status: { ...KycStatus, description: 'Status of the customer’s identity check.' },
  kyc_tier_needed: Nullable(KycTier, 'The identity check that the ramp waits for.'),
  customer_id: Type.String({ description: 'Id of the customer.', examples: ['cus_3kTMd0PpC1hJ6nLq2uXs9B'] }),
  method: RampMethod,
  chain: Type.Literal('stellar'),
  wallet: Type.Object({
    address: Type.String({ examples: ['GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ'] }),
    memo: Nullable(Type.String()),
    memo_type: Nullable(Type.String()),
  }),
  claimable: Type.Boolean({ description: 'Whether the coins may wait in a claimable balance.' }),
  fiat_currency: Type.String({ description: 'What the customer pays in: ISO 4217.', examples: ['EUR'] }),
  asset: Type.String({ examples: ['XLM'] }),
  amount_in: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Minor units: what is to be paid, then what was received.',
  }),
  amount_fee: { ...Sum, description: 'The fee, in minor units. `amount_in` includes it.' },
  amount_out: CoinAmount,
  price: Type.String({
    description: 'Whole units of currency for one unit of the asset, without the fee.',
    examples: ['0.92'],
  }),
  quote_id: Nullable(Type.String(), 'The quote that the ramp used; null: it was priced by itself.'),
  price_expires_at: Timestamp,
  payment: Nullable(Type.String(), 'Id of the payment that the customer pays; null while the ramp is incomplete.'),
  deposit: Nullable(
    Type.Object({
      amount: Amount,
      currency: Type.String(),
      checkout_url: Type.String({ description: 'The page on which the customer pays.' }),
    }),
    'What the customer pays, and where; null before and after.',
  ),
  refunds: Type.Object(
    { amount_refunded: { ...Sum, description: 'Sent back or being sent back, in minor units.' } },
    { description: 'What went back to the customer.' },
  ),
  amount_disputed: { ...Sum, description: 'Taken back by the bank of the card, in minor units.' },
  delivery: Nullable(OneOf(['payment', 'claimable_balance']), 'How the coins were sent.'),
  tx_hash: Nullable(Type.String(), 'The transaction that delivered the coins.'),
  ledger: Nullable(Type.Integer()),
  status_eta_at: Nullable(Timestamp, 'When the current state should end; null if it waits for a person.'),
  failure: Nullable(Type.Object({ code: Type.String(), message: Type.String() }), 'Why the ramp waits or ended.'),
  return_url: Nullable(Type.String()),
  client_reference: Nullable(Type.String(), 'Your own name of the ramp.'),
  metadata: Metadata,
  livemode: Type.Boolean(),
  created_at: Timestamp,
  paid_at: Nullable(Timestamp, 'When the money arrived.'),
  completed_at: Nullable(Timestamp),
});
export type Ramp = Static<typeof Ramp>;

/** The answer of `POST /v1/ramps`. */
export const CreatedRamp = Type.Object({
  ...Ramp.properties,
  payment_client_secret: Type.Optional(
    Type.String({
      description: 'For `<pay-checkout payment-id client-secret>`. Absent while the ramp is incomplete.',
      examples: ['pay_3kTMd0PpC1hJ6nLq2uXs9B_secret_4f8a'],
    }),
  ),
});
export type CreatedRamp = Static<typeof CreatedRamp>;

/** Body of `POST /v1/ramps/:id/refunds`. Default of `amount`: all that is left. */
export const CreateRampRefund = Closed({
  amount: CreateRefund.properties.amount,
  reason: CreateRefund.properties.reason,
  metadata: CreateRefund.properties.metadata,
});
export type CreateRampRefund = Static<typeof CreateRampRefund>;

/** Events of ramps, and the object that each carries. */
export interface RampEvents {
  'ramp.created': Ramp;
  'ramp.updated': Ramp;
  'ramp.completed': Ramp;
  'ramp.failed': Ramp;
  'ramp.refunded': Ramp;
}
