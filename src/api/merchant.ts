import { type Static, Type } from 'typebox';
import { AssetAmount } from './crypto.ts';
import { Amount, Closed, Currency, Nullable, OneOf, PostalAddress, Timestamp } from './schema.ts';

/**
 * How the merchant's pages look. Colours are `#rrggbb`; images are PNG, JPEG or WebP, as `data:` or https
 * URLs; an SVG given as `data:` URL is drawn and kept as PNG.
 */
export const Branding = Type.Object({
  logo: Nullable(Type.String()),
  icon: Nullable(Type.String()),
  primary_color: Nullable(Type.String()),
  background_color: Nullable(Type.String()),
  font: OneOf(['system', 'serif', 'mono', 'rounded']),
  border_style: OneOf(['rounded', 'pill', 'square']),
});
export type Branding = Static<typeof Branding>;

/** The merchant's account, `GET /v1/account`. */
export const Account = Type.Object({
  id: Type.String(),
  object: Type.Literal('account'),
  name: Type.String(),
  support_email: Nullable(Type.String()),
  support_url: Nullable(Type.String()),
  branding: Branding,
  settlement: Type.Object({ asset: Type.String(), stellar_address: Nullable(Type.String()) }),
  allowed_origins: Type.Array(Type.String()),
  redirect_origins: Type.Array(Type.String()),
  client_amounts: Type.Boolean({
    description: 'Whether a publishable key may create payments with an amount of its own.',
  }),
  tolerance: Type.Object({ percent: Type.Number(), units: Type.Integer() }),
  quote_seconds: Type.Integer({ description: 'How long a price is offered, in seconds.' }),
  session_seconds: Type.Integer({ description: 'How long a payment may be paid, in seconds.' }),
  locale: Type.String(),
  timezone: Type.String({ description: 'IANA time zone in which the days of invoices begin.' }),
  address: Nullable(PostalAddress),
  tax_id: Nullable(Type.String()),
  bank_account: Nullable(
    Type.Object({ iban: Type.String(), bic: Nullable(Type.String()) }),
    'Where invoices ask for bank transfers.',
  ),
  invoice_prefix: Type.String(),
  livemode: Type.Boolean(),
  created_at: Timestamp,
});
export type Account = Static<typeof Account>;

/** Body of `PATCH /v1/account`: only what is given changes. */
export const UpdateAccount = Closed({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  support_email: Type.Optional(Nullable(Type.String({ maxLength: 254 }))),
  support_url: Type.Optional(Nullable(Type.String({ maxLength: 2048 }))),
  branding: Type.Optional(
    Closed({
      logo: Type.Optional(Nullable(Type.String({ maxLength: 400_000 }))),
      icon: Type.Optional(Nullable(Type.String({ maxLength: 200_000 }))),
      primary_color: Type.Optional(Nullable(Type.String({ maxLength: 40 }))),
      background_color: Type.Optional(Nullable(Type.String({ maxLength: 40 }))),
      font: Type.Optional(Branding.properties.font),
      border_style: Type.Optional(Branding.properties.border_style),
    }),
  ),
  settlement: Type.Optional(
    Closed({
      asset: Type.Optional(Type.String({ maxLength: 70 })),
      stellar_address: Type.Optional(Nullable(Type.String({ maxLength: 80 }))),
    }),
  ),
  allowed_origins: Type.Optional(Type.Array(Type.String({ maxLength: 300 }), { maxItems: 50 })),
  redirect_origins: Type.Optional(Type.Array(Type.String({ maxLength: 300 }), { maxItems: 50 })),
  client_amounts: Type.Optional(Type.Boolean()),
  tolerance: Type.Optional(
    Closed({
      percent: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
      units: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
    }),
  ),
  quote_seconds: Type.Optional(Type.Integer({ minimum: 30, maximum: 86_400 })),
  session_seconds: Type.Optional(Type.Integer({ minimum: 60, maximum: 2_592_000 })),
  locale: Type.Optional(Type.String({ maxLength: 35 })),
  timezone: Type.Optional(Type.String({ maxLength: 60, description: 'An IANA name: Europe/Berlin.' })),
  address: Type.Optional(Nullable(PostalAddress)),
  tax_id: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 60 }))),
  bank_account: Type.Optional(
    Nullable(
      Closed({
        iban: Type.String({ minLength: 1, maxLength: 50 }),
        bic: Type.Optional(Nullable(Type.String({ maxLength: 11 }))),
      }),
    ),
  ),
  invoice_prefix: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9/_-]{0,19}$',
      description: 'What the numbers of invoices start with.',
    }),
  ),
});
export type UpdateAccount = Static<typeof UpdateAccount>;

/** Body of `POST /v1/api-keys`. */
export const CreateApiKey = Closed({
  type: OneOf(['secret', 'publishable']),
  livemode: Type.Optional(Type.Boolean()),
  name: Type.Optional(Type.String({ maxLength: 100 })),
  scopes: Type.Optional(
    Type.Array(Type.String({ maxLength: 60 }), {
      minItems: 1,
      maxItems: 50,
      description: '`*` or `payments:read`, `payments:write` …',
    }),
  ),
});
export type CreateApiKey = Static<typeof CreateApiKey>;

/** An API key. `key` is shown when it is made, never again. */
export const ApiKey = Type.Object({
  id: Type.String(),
  object: Type.Literal('api_key'),
  type: OneOf(['secret', 'publishable']),
  name: Nullable(Type.String()),
  key: Type.Optional(Type.String()),
  hint: Type.String({ description: 'Prefix and last four characters.' }),
  scopes: Type.Array(Type.String()),
  livemode: Type.Boolean(),
  created_at: Timestamp,
});
export type ApiKey = Static<typeof ApiKey>;

const Money = Type.Union([
  Type.Object({ currency: Type.String(), amount: Type.Integer() }),
  Type.Object({ asset: Type.String(), amount: AssetAmount }),
]);

/** The merchant's money with the service. `pending`: paid, not settled yet; `reserved`: on its way out; `suspense`: kept until the merchant decides; `receivable`: what the merchant owes for refunds of payments that were settled before. */
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

/** One line of the merchant's account with the service. */
export const BalanceEntry = Type.Object({
  id: Type.String(),
  object: Type.Literal('balance_entry'),
  account: Type.String(),
  kind: Type.String(),
  amount: Nullable(Type.Integer(), 'Signed; null where it is an asset.'),
  currency: Nullable(Type.String()),
  asset: Nullable(Type.String()),
  asset_amount: Nullable(Type.String(), 'Signed decimal text.'),
  payment: Nullable(Type.String()),
  refund: Nullable(Type.String()),
  livemode: Type.Boolean(),
  created_at: Timestamp,
});
export type BalanceEntry = Static<typeof BalanceEntry>;

/** Answer of `GET /v1/rates?from=&to=`. */
export const RateAnswer = Type.Object({
  object: Type.Literal('rate'),
  from: Type.String(),
  to: Type.String(),
  rate: Type.String(),
  source: Type.String(),
  as_of: Timestamp,
});

/** Body of `POST /v1/transfers/:id/assign`: the payment that the money was meant for. */
export const AssignTransfer = Closed({ payment_id: Type.String({ maxLength: 64 }) });
export type AssignTransfer = Static<typeof AssignTransfer>;

/** Body of `POST /v1/transfers/:id/return`. Without `destination` the money goes to whoever sent it. */
export const ReturnTransfer = Closed({
  destination: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: 200 }), {
      maxProperties: 10,
      propertyNames: { type: 'string', maxLength: 40 },
      description: 'On Stellar: address, and if it takes one memo with memo_type (text, id, hash, return).',
    }),
  ),
});
export type ReturnTransfer = Static<typeof ReturnTransfer>;

/** Body of `POST /v1/test_helpers/bank_transfers`: money arrives at the sandbox bank. */
export const TestBankTransfer = Closed({
  reference: Type.String({ maxLength: 200 }),
  amount: Amount,
  currency: Currency,
  sender_name: Type.Optional(Type.String({ maxLength: 100 })),
  bank_reference: Type.Optional(
    Type.String({ maxLength: 100, description: "The bank's own id of the credit; the same one twice is one credit." }),
  ),
});

export type TestBankTransfer = Static<typeof TestBankTransfer>;

/** Body of `POST /v1/test_helpers/deposits`: somebody sends coins, by a real transaction on the sandbox ledger. */
export const TestDeposit = Closed({
  chain: Type.String({ maxLength: 40, description: '`stellar`.' }),
  address: Type.String({ maxLength: 120, description: 'G… or M….' }),
  memo: Type.Optional(Type.String({ maxLength: 64 })),
  memo_type: Type.Optional(OneOf(['text', 'id', 'hash', 'return'], { description: '`id` for digits, else `text`.' })),
  asset: Type.String({ maxLength: 80, description: 'XLM, a code of the sandbox, or CODE:ISSUER.' }),
  amount: Type.String({ maxLength: 30, description: 'Decimal text.' }),
  confirmations: Type.Optional(Type.Integer({ minimum: 1, maximum: 1, description: 'Ledgers of Stellar are final.' })),
});
export type TestDeposit = Static<typeof TestDeposit>;

/** Body of `POST /v1/test_helpers/cards/disputes`: the cardholder tells the bank that a charge is not right. */
export const TestDispute = Closed({
  payment: Type.String({ maxLength: 64 }),
  amount: Type.Optional(Amount),
  reason: Type.Optional(
    OneOf([
      'fraudulent',
      'duplicate',
      'product_not_received',
      'product_unacceptable',
      'credit_not_processed',
      'subscription_canceled',
      'unrecognized',
      'general',
    ]),
  ),
});
export type TestDispute = Static<typeof TestDispute>;

/** Body of `POST /v1/test_helpers/clock`. */
export const AdvanceClock = Closed({
  advance: Type.String({ maxLength: 40, description: 'ISO 8601 duration: P3D, PT15M.' }),
});
export type AdvanceClock = Static<typeof AdvanceClock>;

/** The merchant's test clock: the time by which its test mode objects expire and its webhooks are retried. */
export const TestClock = Type.Object({ object: Type.Literal('test_clock'), now: Timestamp });

/** Body of `POST /v1/test_helpers/fund`. */
export const FundBalance = Closed({ currency: Currency, amount: Amount });
export type FundBalance = Static<typeof FundBalance>;

/** Money that arrived at a bank or on a chain, matched to a payment or waiting to be. */
export const Transfer = Type.Object({
  id: Type.String(),
  object: Type.Literal('transfer'),
  rail: Type.String(),
  payment: Nullable(Type.String()),
  status: OneOf(['matched', 'unmatched', 'returning', 'returned']),
  amount: Nullable(Amount, 'Null on a chain.'),
  currency: Nullable(Type.String()),
  asset: Nullable(Type.String(), 'XLM or CODE:ISSUER on Stellar; null at a bank.'),
  asset_amount: Nullable(AssetAmount),
  reference: Nullable(Type.String()),
  sender: Nullable(Type.String(), 'On a chain the address, muxed where it was.'),
  chain: Nullable(Type.String()),
  address: Nullable(Type.String(), 'The account it arrived in.'),
  tx_hash: Nullable(Type.String()),
  memo: Nullable(Type.String()),
  memo_type: Nullable(Type.String()),
  problem: Nullable(
    OneOf(['wrong_asset']),
    'It names a payment but does not count towards it: the payment was not quoted in this asset. Return it.',
  ),
  failure: Nullable(
    Type.Object({ code: Type.String(), message: Type.String() }),
    'Why it could not be sent back; it may be tried again.',
  ),
  amount_applied: Type.Integer({ minimum: 0, description: 'What counts towards the payment, in its currency.' }),
  livemode: Type.Boolean(),
  created_at: Timestamp,
});
export type Transfer = Static<typeof Transfer>;

/** Answer of `POST /v1/test_helpers/deposits`. */
export const TestDepositMade = Type.Object({
  object: Type.Literal('test_deposit'),
  chain: Type.String(),
  tx_hash: Type.String(),
  ledger: Type.Integer(),
  transfer: Nullable(
    Transfer,
    'As the service sees it; null where it went to an account that is none of its business.',
  ),
});
