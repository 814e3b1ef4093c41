import { type Static, Type } from 'typebox';
import { Domain } from './dashboard/domain.ts';
import { SettlementDestination } from './payout.ts';
import { RampSettings, UpdateRampSettings } from './ramps/ramp-settings.ts';
import { Closed, Currency, Nullable, OneOf, PostalAddress, Sum, Timestamp } from './schema.ts';

/**
 * Appearance of the merchant's pages. Colours are `#rrggbb`. Images are PNG, JPEG or WebP, as `data:` or https URLs. An
 * SVG in a `data:` URL is converted to PNG.
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

/** How the money of a completed payment is used. */
const SettlementSchedule = OneOf(['automatic', 'manual'], {
  description:
    '`automatic`: each completed payment is settled. `manual`: its money stays in the available balance, with that of ' +
    'settlements in a currency that are still open.',
});

/** How completed payments become payouts to the settlement destination. */
export const SettlementBatch = OneOf(['payment', 'daily'], {
  description:
    'For settlement in a currency. `payment`: one payout for each payment. `daily`: one payout for all payments of a ' +
    'day, at `settlement.hour`, on days on which the destination’s rail pays.',
});
export type SettlementBatch = Static<typeof SettlementBatch>;

const SettlementHour = Type.Integer({
  minimum: 0,
  maximum: 23,
  description: 'The hour of daily settlement, in the account’s time zone.',
  examples: [17],
});

const settlementAsset = {
  description: 'A Stellar asset, or an ISO 4217 currency that `settlement.destination` can receive.',
  examples: ['EUR'],
};

/** What happens with crypto that arrives after its quote has ended. */
const LateMoney = OneOf(['wait', 'market'], {
  description:
    '`wait`: crypto that arrives after the quote and its grace waits for your decision. `market`: it counts at the market rate of its arrival.',
});

const ApprovalLimit = Closed(
  { amount: Sum, currency: Currency },
  {
    description:
      'Within 24 hours, at most this amount, at market rates, leaves without a second person. It counts payout batches, ' +
      'withdrawals, refunds and returns to a destination that is not the sender’s, and conversions. What would exceed it ' +
      'waits until another person approves it. A key counts as the person who made it.',
  },
);

/** The person whom buyers may ask about an invoice (BG-6). */
export const InvoiceContact = Type.Object({
  name: Type.String(),
  phone: Nullable(Type.String()),
  email: Nullable(Type.String()),
});
export type InvoiceContact = Static<typeof InvoiceContact>;

/** The merchant's account, `GET /v1/account`. */
export const Account = Type.Object({
  id: Type.String(),
  object: Type.Literal('account'),
  name: Type.String(),
  support_email: Nullable(Type.String()),
  support_url: Nullable(Type.String()),
  branding: Branding,
  custom_domain: Nullable(
    Domain,
    'The domain in new addresses of your pages: your newest active one. Without an active one, your newest, with the ' +
      '`dns_records` to create; until it is active, addresses have the service’s own name.',
  ),
  settlement: Type.Object({
    asset: Type.String(settlementAsset),
    stellar_address: Nullable(Type.String()),
    schedule: SettlementSchedule,
    destination: Nullable(SettlementDestination, 'The bank account or wallet that receives settlements in a currency.'),
    destination_change: Type.Optional(
      Type.Object(
        {
          id: Type.String({ description: 'Id of its approval.' }),
          destination: Nullable(SettlementDestination, 'The new destination; null removes it.'),
          requested_by: Nullable(Type.String(), 'Id of the key or person that asked for the change.'),
          livemode: Type.Boolean({ description: 'The mode in which it was asked for, and is approved or canceled.' }),
          created_at: Timestamp,
        },
        {
          description:
            'A change of the destination that waits for another person. Until then, settlements go to `destination`. ' +
            'Absent: none waits.',
        },
      ),
    ),
    batch: SettlementBatch,
    hour: SettlementHour,
  }),
  allowed_origins: Type.Array(Type.String()),
  redirect_origins: Type.Array(Type.String()),
  client_amounts: Type.Boolean({
    description: 'Whether callers with a publishable key may choose the amount of a new payment.',
  }),
  tolerance: Type.Object({ percent: Type.Number(), units: Type.Integer() }),
  quote_seconds: Type.Integer({ description: 'Validity of a quote, in seconds.' }),
  session_seconds: Type.Integer({ description: 'Time to pay a payment, in seconds.' }),
  quote_grace_seconds: Type.Integer(),
  late_money: LateMoney,
  match_bank_credits_by_amount: Type.Boolean(),
  locale: Type.String(),
  receipts: Type.Boolean({ description: 'The default of `receipts` of new payments.' }),
  timezone: Type.String({ description: 'IANA time zone in which the days of invoices begin.' }),
  address: Nullable(PostalAddress),
  tax_id: Nullable(Type.String()),
  legal_registration: Nullable(Type.String(), 'Entry in the commercial register (BT-30).'),
  contact: Nullable(InvoiceContact, 'The person whom buyers may ask about an invoice.'),
  bank_account: Nullable(
    Type.Object({ iban: Type.String(), bic: Nullable(Type.String()) }),
    'The account that invoices name for bank transfers.',
  ),
  invoice_prefix: Type.String(),
  payouts: Type.Object({
    approval_above: Nullable(ApprovalLimit),
    approval_change: Type.Optional(
      Type.Object(
        {
          id: Type.String({ description: 'Id of its approval.' }),
          approval_above: Nullable(ApprovalLimit, 'The new limit; null removes it.'),
          requested_by: Nullable(Type.String(), 'Id of the key or person that asked for the change.'),
          livemode: Type.Boolean({ description: 'The mode in which it was asked for, and is approved or canceled.' }),
          created_at: Timestamp,
        },
        { description: 'A change of the limit that waits for another person. Absent: none waits.' },
      ),
    ),
  }),
  ramps: RampSettings,
  livemode: Type.Boolean(),
  created_at: Timestamp,
});
export type Account = Static<typeof Account>;

/** Body of `PATCH /v1/account`. Only given fields change. */
export const UpdateAccount = Closed({
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  support_email: Type.Optional(Nullable(Type.String({ maxLength: 254 }))),
  support_url: Type.Optional(Nullable(Type.String({ maxLength: 2048 }))),
  custom_domain: Type.Optional(
    Nullable(
      Type.String({ minLength: 1, maxLength: 300, examples: ['pay.shop.example.com'] }),
      'A host name for your pages, as in `POST /v1/domains`. It is used once its records were found. Null removes your domains.',
    ),
  ),
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
      asset: Type.Optional(Type.String({ maxLength: 70, ...settlementAsset })),
      stellar_address: Type.Optional(Nullable(Type.String({ maxLength: 80 }))),
      schedule: Type.Optional(SettlementSchedule),
      destination: Type.Optional(
        Nullable(
          SettlementDestination,
          'The first destination applies at once. Another one, or null, waits until a second person approves it.',
        ),
      ),
      batch: Type.Optional(SettlementBatch),
      hour: Type.Optional(SettlementHour),
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
  quote_grace_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400 })),
  late_money: Type.Optional(LateMoney),
  match_bank_credits_by_amount: Type.Optional(Type.Boolean()),
  locale: Type.Optional(Type.String({ maxLength: 35 })),
  receipts: Type.Optional(Type.Boolean()),
  timezone: Type.Optional(Type.String({ maxLength: 60, description: 'IANA name, for example Europe/Berlin.' })),
  address: Type.Optional(Nullable(PostalAddress)),
  tax_id: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 60 }))),
  legal_registration: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 60 }))),
  contact: Type.Optional(
    Nullable(
      Closed({
        name: Type.String({ minLength: 1, maxLength: 100 }),
        phone: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 40 }))),
        email: Type.Optional(Nullable(Type.String({ maxLength: 254 }))),
      }),
      'The person whom buyers may ask about an invoice.',
    ),
  ),
  bank_account: Type.Optional(
    Nullable(
      Closed({
        iban: Type.String({ minLength: 1, maxLength: 50 }),
        bic: Type.Optional(Nullable(Type.String({ maxLength: 11 }))),
      }),
    ),
  ),
  payouts: Type.Optional(Closed({ approval_above: Type.Optional(Nullable(ApprovalLimit)) })),
  ramps: Type.Optional(UpdateRampSettings),
  invoice_prefix: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9/_-]{0,19}$',
      description: 'Prefix of invoice numbers.',
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

/** An API key. `key` is shown only on creation. */
export const ApiKey = Type.Object({
  id: Type.String(),
  object: Type.Literal('api_key'),
  type: OneOf(['secret', 'publishable']),
  name: Nullable(Type.String()),
  key: Type.Optional(Type.String()),
  hint: Type.String({ description: 'Prefix and last four characters.' }),
  scopes: Type.Array(Type.String()),
  api_version: Type.String({
    description: 'The version of the API that calls with this key get, unless they name one in `Pay-Version`.',
  }),
  livemode: Type.Boolean(),
  created_by: Nullable(
    Type.String(),
    'The person who made the key, also by means of another key. Null: the machine or an owner made it.',
  ),
  created_at: Timestamp,
});
export type ApiKey = Static<typeof ApiKey>;
