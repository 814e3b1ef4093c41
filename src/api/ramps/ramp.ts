import { type Static, Type } from 'typebox';
import { KycStatus, KycTier } from '../kyc/kyc.ts';
import { SettlementDestination } from '../payout.ts';
import { CreateRefund } from '../refund.ts';
import { Amount, Closed, Currency, CustomerOrId, Metadata, Nullable, OneOf, Sum, Timestamp } from '../schema.ts';
import { RampMethod } from './ramp-settings.ts';

/** `on`: the customer pays money and gets coins. `off`: the customer sends coins and gets money. */
const Direction = OneOf(['on', 'off'], {
  description: '`on`: the customer buys coins. `off`: the customer sells coins.',
});
export type RampDirection = Static<typeof Direction>;

/** States of a ramp, by their names in SEP-24. The state machine is in `server/ramps/ramp.ts`. */
export const RampStatus = OneOf(
  [
    'incomplete',
    'pending_user_transfer_start',
    'pending_anchor',
    'pending_stellar',
    'pending_external',
    'pending_trust',
    'on_hold',
    'completed',
    'refunded',
    'expired',
  ],
  {
    description:
      '`incomplete`: an identity check is needed (`kyc`). `pending_user_transfer_start`: the customer pays `payment`. ' +
      '`pending_anchor`: the money or the coins are here. `pending_stellar`: the coins are on their way. ' +
      '`pending_external`: the payout is on its way. `pending_trust`: the wallet cannot hold the asset yet. `on_hold`: ' +
      'you decide about the money. `completed`: the customer has the coins or the money.',
  },
);
export type RampStatus = Static<typeof RampStatus>;

const CoinAmount = Type.String({
  maxLength: 40,
  description: 'Decimal text in whole units of the asset.',
  examples: ['25.0000000'],
});

const terms = {
  asset: Type.String({
    minLength: 1,
    maxLength: 70,
    description: 'The asset that is bought or sold.',
    examples: ['USDC'],
  }),
  method: RampMethod,
};

/** Money in minor units, or coins as decimal text. */
const AnyAmount = Type.Union([Amount, CoinAmount], {
  description: 'Money: integer minor units. Coins: decimal text in whole units.',
});

/** One side of a quote: money or coins. Exactly one of the two sides has an amount. */
const side = {
  currency: Type.Optional(Currency),
  asset: Type.Optional(terms.asset),
  amount: Type.Optional(AnyAmount),
};

/** Body of `POST /v1/ramps/quotes`. */
export const CreateRampQuote = Closed({
  direction: Direction,
  sell: Closed(side, { description: 'What the customer gives: `currency` (fee included), or `asset`.' }),
  buy: Closed(side, { description: 'What the customer gets: `asset`, or `currency` (after the fee).' }),
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

const QuotedMoney = Type.Object({ currency: Type.String({ examples: ['EUR'] }), amount: Amount });
const QuotedCoins = Type.Object({ asset: Type.String({ examples: ['XLM'] }), amount: CoinAmount });

/**
 * A firm price until `expires_at`. For a purchase, the coins are reserved, and `sell.amount` = `price` × `buy.amount` +
 * `fee.total`. For a sale, `buy.amount` = `price` × `sell.amount` − `fee.total`.
 */
export const RampQuote = Type.Object({
  id: Type.String({ description: 'quote_…', examples: ['quote_3kTMd0PpC1hJ6nLq2uXs9B'] }),
  object: Type.Literal('ramp_quote'),
  direction: Direction,
  sell: Type.Union([QuotedMoney, QuotedCoins], { description: 'What the customer gives.' }),
  buy: Type.Union([QuotedCoins, QuotedMoney], { description: 'What the customer gets.' }),
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
  fiat_amount: Type.Optional({
    ...Amount,
    description: 'Minor units: what the customer pays, fee included, or gets after the fee.',
  }),
  asset: Type.Optional(terms.asset),
  asset_amount: Type.Optional(CoinAmount),
  chain: Type.Optional(OneOf(['stellar'])),
  method: Type.Optional(RampMethod),
  wallet: Type.Optional({ ...Wallet, description: 'Where bought coins go. Required for `on`.' }),
  payout_destination: Type.Optional(
    Type.Union(SettlementDestination.anyOf, {
      description: 'Where the money for sold coins goes, as for payouts. Required for `off`.',
    }),
  ),
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

/** Where a seller sends the coins. */
const CoinDeposit = Type.Object({
  chain: Type.String({ examples: ['stellar'] }),
  asset: Type.String({ examples: ['XLM'] }),
  amount: CoinAmount,
  address: Type.String({ description: 'On Stellar a muxed address (M…) of this ramp alone.' }),
  base_address: Nullable(Type.String(), 'The account of `address`, which needs `memo`.'),
  memo: Nullable(Type.String()),
  memo_type: Nullable(Type.String()),
  uri: Nullable(Type.String(), 'For wallets and QR codes.'),
  checkout_url: Type.String({ description: 'The page that shows the address.' }),
});
export type CoinDeposit = Static<typeof CoinDeposit>;

/**
 * A purchase or a sale of coins. A purchase: `amount_out` = (`amount_in` − `amount_fee` − `refunds.amount_refunded`) ÷
 * `price`. A sale: `amount_out` = `amount_in` × `price` − `amount_fee` − `refunds.amount_refunded`.
 */
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
  wallet: Nullable(
    Type.Object({
      address: Type.String({ examples: ['GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ'] }),
      memo: Nullable(Type.String()),
      memo_type: Nullable(Type.String()),
    }),
    'Where bought coins go; null for a sale.',
  ),
  payout_destination: Nullable(SettlementDestination, 'Where the money for sold coins goes; null for a purchase.'),
  claimable: Type.Boolean({ description: 'Whether the coins may wait in a claimable balance.' }),
  fiat_currency: Type.String({ description: 'The currency of the money: ISO 4217.', examples: ['EUR'] }),
  asset: Type.String({ examples: ['XLM'] }),
  amount_in: Type.Union([Sum, CoinAmount], {
    description: 'What is to be paid, then what was received: minor units, or decimal text of sold coins.',
  }),
  amount_fee: { ...Sum, description: 'The fee, in minor units: a part of `amount_in`, or of what sold coins bring.' },
  amount_out: Type.Union([CoinAmount, Sum], {
    description: 'What the customer gets: decimal text of bought coins, or minor units.',
  }),
  price: Type.String({
    description: 'Whole units of currency for one unit of the asset, without the fee.',
    examples: ['0.92'],
  }),
  quote_id: Nullable(Type.String(), 'The quote that the ramp used; null: it was priced by itself.'),
  price_expires_at: Timestamp,
  payment: Nullable(Type.String(), 'Id of the payment that the customer pays; null while the ramp is incomplete.'),
  deposit: Nullable(
    Type.Union([
      Type.Object({
        amount: Amount,
        currency: Type.String(),
        checkout_url: Type.String({ description: 'The page on which the customer pays.' }),
      }),
      CoinDeposit,
    ]),
    'What the customer pays or sends, and where; null before and after.',
  ),
  refunds: Type.Object(
    { amount_refunded: { ...Sum, description: 'Sent back or being sent back, in minor units.' } },
    { description: 'What went back to the customer.' },
  ),
  amount_disputed: { ...Sum, description: 'Taken back by the bank of the card, in minor units.' },
  payout: Nullable(Type.String(), 'Id of the payout that brings the money for sold coins.'),
  delivery: Nullable(OneOf(['payment', 'claimable_balance']), 'How bought coins were sent.'),
  tx_hash: Nullable(Type.String(), 'The transaction that delivered bought coins, or brought sold ones.'),
  ledger: Nullable(Type.Integer(), 'The ledger that delivered bought coins.'),
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

/** The money and the coins of a ramp: what is paid and bought, or what is sold and paid out. */
export function sidesOf({ direction, amount_in: given, amount_out: got }: Sides): { money: number; coins: string } {
  const [money, coins] = direction === 'on' ? [given, got] : [got, given];
  return { money: Number(money), coins: String(coins) };
}

type Sides = Pick<Ramp, 'direction' | 'amount_in' | 'amount_out'>;

const PaymentSecret = Type.Optional(
  Type.String({
    description: 'For `<pay-checkout payment-id client-secret>`. Absent while the ramp is incomplete.',
    examples: ['pay_3kTMd0PpC1hJ6nLq2uXs9B_secret_4f8a'],
  }),
);

const WidgetUrl = Type.String({
  description: 'The page on which the customer continues a purchase, on any device, for 7 days. Absent for a sale.',
  examples: ['https://pay.example.com/ramp/4f8a'],
});

const { customer_id: _customer, client_reference: _reference, metadata: _metadata, ...shown } = Ramp.properties;

/** A ramp as its customer sees it, with its client secret. */
export const CustomerRamp = Type.Object({
  ...shown,
  tx_url: Nullable(Type.String(), 'A public page about `tx_hash`, if the network has an explorer.'),
  payment_client_secret: PaymentSecret,
});
export type CustomerRamp = Static<typeof CustomerRamp>;

/** The answer of `POST /v1/ramps`. With a publishable key, it is the customer's view. */
export const CreatedRamp = Type.Object({
  ...Ramp.properties,
  client_secret: Type.String({
    description: 'For `<pay-ramp ramp-id client-secret>`. With it, a page reads and continues this ramp.',
    examples: ['ramp_3kTMd0PpC1hJ6nLq2uXs9B_secret_4f8a'],
  }),
  widget_url: Type.Optional(WidgetUrl),
  payment_client_secret: PaymentSecret,
});
export type CreatedRamp = Static<typeof CreatedRamp>;

/** The answer of `POST /v1/ramps/:id/resume`. */
export const ResumedRamp = Type.Object({ ...Ramp.properties, widget_url: WidgetUrl });
export type ResumedRamp = Static<typeof ResumedRamp>;

/** What customers of the account can buy, and how. The answer of `GET /v1/ramps/options`. */
export const RampOptions = Type.Object({
  object: Type.Literal('ramp_options'),
  currency: Type.String({ examples: ['EUR'] }),
  assets: Type.Array(Type.String({ examples: ['XLM'] }), { description: 'Empty: the account offers no ramps.' }),
  methods: Type.Array(RampMethod, { description: 'The methods by which the server takes `currency`.' }),
  merchant: Type.Object(
    {
      name: Type.String(),
      logo: Nullable(Type.String()),
      primary_color: Nullable(Type.String()),
      support_email: Nullable(Type.String()),
      support_url: Nullable(Type.String()),
    },
    { description: 'Who sells.' },
  ),
  livemode: Type.Boolean(),
});
export type RampOptions = Static<typeof RampOptions>;

/** Body of `POST /v1/ramps/:id/refunds`. Default of `amount`: all that is left. Sold coins go back to their sender. */
export const CreateRampRefund = Closed({
  amount: CreateRefund.properties.amount,
  destination: CreateRefund.properties.destination,
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
