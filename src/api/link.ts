import { type Static, Type } from 'typebox';
import { LineItem } from './line-item.ts';
import { Payment, PaymentMethod } from './payment.ts';
import { Amount, Closed, Currency, Metadata, Nullable, OneOf, PayingCustomer, Sum, Timestamp } from './schema.ts';

/** Status of a payment link. The state machine is in `server/links/link.ts`. */
export const LinkStatus = OneOf(['active', 'disabled', 'expired', 'completed']);
export type LinkStatus = Static<typeof LinkStatus>;

/** State of a link for a payer who opens it now. */
export const LinkState = OneOf(['open', 'not_started', 'disabled', 'expired', 'used'], {
  description: '`open`: the link can be paid. `used`: all its uses are paid.',
});
export type LinkState = Static<typeof LinkState>;

/** Bounds and presets for an amount that the payer chooses, in the smallest unit of the link's `currency`. */
export const CustomAmount = Closed(
  {
    min: Type.Optional(Amount),
    max: Type.Optional(Amount),
    preset: Type.Optional(Amount),
    presets: Type.Optional(Type.Array(Amount, { minItems: 1, maxItems: 6, uniqueItems: true })),
    currencies: Type.Optional(Type.Array(Currency, { minItems: 1, maxItems: 20, uniqueItems: true })),
  },
  {
    description:
      'The payer chooses an amount from `min` to `max`, both included. `preset` is filled in; `presets` are further ' +
      'suggestions. `currencies` are the currencies to choose from; the link’s own is always one of them. Bounds and ' +
      'presets are converted at the current rate. An amount outside the converted bounds is refused; the error states them.',
  },
);
export type CustomAmount = Static<typeof CustomAmount>;

const Description = Type.String({ maxLength: 1000 });
const SuccessMessage = Type.String({
  maxLength: 500,
  description:
    'Shown after payment when there is no `redirect_url`. Only a payer whose payment is completed gets it. With ' +
    '`allow_partial`, payers of parts get it once the full amount of the use has arrived.',
});
const RedirectUrl = Type.String({ maxLength: 2048 });

/** Body of `POST /v1/payment-links`. */
export const CreatePaymentLink = Closed({
  amount: Type.Optional(Amount),
  currency: Currency,
  custom_amount: Type.Optional(CustomAmount),
  description: Type.Optional(Description),
  reference: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  line_items: Type.Optional(Type.Array(LineItem, { minItems: 1, maxItems: 100 })),
  starts_at: Type.Optional(Timestamp),
  expires_at: Type.Optional(Timestamp),
  single_use: Type.Optional(Type.Boolean({ description: 'Same as `max_uses: 1`.' })),
  max_uses: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  allow_partial: Type.Optional(
    Type.Boolean({
      description:
        'The amount may be paid in parts, by one or several payers. One use is complete when the parts add up to the ' +
        'amount. Every received amount counts, even if it differs from the agreed part. The account’s tolerance ' +
        'applies once for each use, not to each part.',
    }),
  ),
  payment_methods: Type.Optional(Type.Array(PaymentMethod, { minItems: 1, maxItems: 4, uniqueItems: true })),
  settlement_asset: Type.Optional(Type.String({ minLength: 1, maxLength: 70 })),
  settlement_address: Type.Optional(Type.String({ maxLength: 80 })),
  redirect_url: Type.Optional(RedirectUrl),
  success_message: Type.Optional(SuccessMessage),
  locale: Type.Optional(
    Type.String({
      maxLength: 35,
      pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$',
      description: 'A language tag, or `auto` (default): the language of the payer’s browser.',
    }),
  ),
  metadata: Type.Optional(Metadata),
});
export type CreatePaymentLink = Static<typeof CreatePaymentLink>;

/** Body of `PATCH /v1/payment-links/:id`. A later `expires_at`, or null, reactivates an expired link. */
export const UpdatePaymentLink = Closed({
  status: Type.Optional(OneOf(['active', 'disabled'])),
  description: Type.Optional(Nullable(Description)),
  starts_at: Type.Optional(Nullable(Timestamp)),
  expires_at: Type.Optional(Nullable(Timestamp)),
  redirect_url: Type.Optional(Nullable(RedirectUrl)),
  success_message: Type.Optional(Nullable(SuccessMessage)),
  metadata: Type.Optional(Metadata),
});
export type UpdatePaymentLink = Static<typeof UpdatePaymentLink>;

/** A payment link, for its merchant. */
export const PaymentLink = Type.Object({
  id: Type.String(),
  object: Type.Literal('payment_link'),
  url: Type.String({ description: 'The hosted page of the link.' }),
  qr_code_url: Type.String({
    description:
      'QR code of the page’s address, as SVG. Replace `.svg` by `.png` for PNG (`?size=` in pixels, 128 to 4096).',
  }),
  poster_url: Type.String({ description: 'A poster with the QR code, as PDF.' }),
  status: LinkStatus,
  state: LinkState,
  amount: Nullable(Amount, 'Null: the payer chooses the amount.'),
  currency: Type.String(),
  custom_amount: Nullable(CustomAmount),
  description: Nullable(Type.String()),
  reference: Nullable(Type.String()),
  line_items: Type.Array(LineItem),
  starts_at: Nullable(Timestamp),
  expires_at: Nullable(Timestamp),
  single_use: Type.Boolean(),
  max_uses: Nullable(Type.Integer()),
  uses: Type.Integer({
    minimum: 0,
    description: 'Number of completed payments; with `allow_partial`, number of times the full amount was paid.',
  }),
  opens: Type.Integer({
    minimum: 0,
    description: 'Number of visits. A browser counts once a day, and a network at most five times a day.',
  }),
  allow_partial: Type.Boolean(),
  amount_remaining: Nullable(Sum, 'With `allow_partial`: remaining amount of the current use. Otherwise null.'),
  total_received: Type.Integer({
    minimum: 0,
    description:
      'Received amount in `currency`, before refunds. An overpayment counts once you accept it. Amounts in other ' +
      'currencies are in `received`.',
  }),
  received: Type.Array(Type.Object({ currency: Type.String(), amount: Sum })),
  payment_methods: Type.Array(PaymentMethod),
  settlement_asset: Type.String(),
  settlement_address: Nullable(Type.String()),
  redirect_url: Nullable(Type.String()),
  success_message: Nullable(Type.String()),
  locale: Nullable(Type.String()),
  metadata: Metadata,
  livemode: Type.Boolean(),
  created_at: Timestamp,
  completed_at: Nullable(Timestamp),
});
export type PaymentLink = Static<typeof PaymentLink>;

/** The amounts that a payer may choose in one currency, in its smallest unit. A null bound means no bound. */
export const LinkChoice = Type.Object({
  currency: Type.String(),
  min: Nullable(Amount),
  max: Nullable(Amount),
  preset: Nullable(Amount),
  presets: Type.Array(Amount),
});
export type LinkChoice = Static<typeof LinkChoice>;

/** A payment link, for callers who know its id and have no key. */
export const PublicPaymentLink = Type.Object({
  id: Type.String(),
  object: Type.Literal('payment_link'),
  url: Type.String(),
  state: LinkState,
  amount: Nullable(
    Amount,
    'Amount due; of a link paid in parts, the remaining amount. Null: the payer chooses the amount.',
  ),
  amount_total: Nullable(Amount, 'Full amount of a link paid in parts. Otherwise null.'),
  currency: Type.String(),
  choices: Type.Array(LinkChoice, {
    description: 'Amounts the payer may choose, one entry for each currency. Empty: the amount is fixed.',
  }),
  description: Nullable(Type.String()),
  reference: Nullable(Type.String()),
  line_items: Type.Array(LineItem),
  starts_at: Nullable(Timestamp),
  expires_at: Nullable(Timestamp),
  locale: Nullable(Type.String()),
  merchant: Payment.properties.merchant,
  livemode: Type.Boolean(),
});
export type PublicPaymentLink = Static<typeof PublicPaymentLink>;

/**
 * Body of `POST /v1/payment-links/:id/payments`. Rejected with `amount_out_of_range`: an amount outside the link's
 * bounds, or a fraction of the currency's smallest unit.
 */
export const PayPaymentLink = Closed({
  customer: PayingCustomer,
  amount: Type.Optional(
    Type.Number({
      description:
        'In the smallest unit of the currency. Required if the payer chooses it; else the amount due by default.',
    }),
  ),
  currency: Type.Optional(Currency),
});
export type PayPaymentLink = Static<typeof PayPaymentLink>;

/** Events of payment links, and the object that each carries. */
export interface LinkEvents {
  'payment_link.created': PaymentLink;
  'payment_link.updated': PaymentLink;
  'payment_link.opened': PaymentLink;
  'payment_link.paid': PaymentLink;
  'payment_link.expired': PaymentLink;
  'payment_link.completed': PaymentLink;
}
