import { type Static, Type } from 'typebox';
import { CryptoAssetOption, CryptoTransfer, PayerWallet } from './crypto.ts';
import { LineItem } from './line-item.ts';
import { PaymentSettlement } from './payments/payment-settlement.ts';
import { OpenPrompt, PhonePrompt } from './payments/prompt.ts';
import { Amount, Closed, Currency, CustomerOrId, Metadata, Nullable, OneOf, Sum, Timestamp } from './schema.ts';

export const PaymentMethod = OneOf(['card', 'bank_transfer', 'crypto', 'mobile_money']);
export type PaymentMethod = Static<typeof PaymentMethod>;

/** The four statuses of a payment. `phase` has the details. */
export const PaymentStatus = OneOf(['pending', 'completed', 'failed', 'refunded']);
export type PaymentStatus = Static<typeof PaymentStatus>;

const captureMethods = ['automatic', 'manual'] as const;
const aboutCapture =
  '`automatic`: the card pays at once. `manual`: the card is authorized, and `POST /v1/payments/:id/capture` takes the ' +
  'money within 7 days. Bank transfers and crypto always pay at once.';

/** When a card's money is captured. */
export const CaptureMethod = OneOf(captureMethods, { description: aboutCapture });
export type CaptureMethod = Static<typeof CaptureMethod>;

/** The detailed state behind `status`. The state machine is in `server/payments/payment.ts`. */
export const PaymentPhase = OneOf([
  'awaiting_payer',
  'requires_action',
  'awaiting_funds',
  'partially_paid',
  'confirming',
  'processing',
  'authorized',
  'paid',
  'partially_refunded',
  'declined',
  'expired',
  'canceled',
  'refunded',
]);
export type PaymentPhase = Static<typeof PaymentPhase>;

/** Why the received money differs from a regular payment. */
export const PaymentException = OneOf(['underpaid', 'overpaid', 'paid_late', 'wrong_asset', 'wrong_network']);
export type PaymentException = Static<typeof PaymentException>;

/** Body of `POST /v1/payments`. */
export const CreatePayment = Closed({
  amount: Amount,
  currency: Currency,
  settlement_asset: Type.String({
    minLength: 1,
    maxLength: 70,
    description: 'XLM, CODE:ISSUER, or a well-known code.',
  }),
  settlement_network: Type.String({ description: 'Only `stellar`.' }),
  payment_methods: Type.Array(PaymentMethod, { minItems: 1, maxItems: 4, uniqueItems: true }),
  capture_method: Type.Optional(
    OneOf(captureMethods, {
      description: `${aboutCapture} \`manual\` needs a secret key, and \`card\` in \`payment_methods\`.`,
    }),
  ),
  customer: CustomerOrId,
  metadata: Type.Optional(Metadata),
  redirect_url: Type.Optional(Type.String({ maxLength: 2048 })),
  cancel_url: Type.Optional(
    Type.String({ maxLength: 2048, description: 'The shop’s page for a payer who goes back before paying.' }),
  ),
  description: Type.Optional(Type.String({ maxLength: 1000 })),
  reference: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  line_items: Type.Optional(Type.Array(LineItem, { minItems: 1, maxItems: 100 })),
  receipts: Type.Optional(
    Type.Boolean({
      description:
        'Mails a receipt to `customer.email` once the payment is completed. Default: the account’s `receipts`. Invoices ' +
        'mail their own receipts.',
    }),
  ),
  locale: Type.Optional(
    Type.String({
      maxLength: 35,
      pattern: '^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$',
      description: 'A language tag, or `auto` (default): the language of the payer’s browser.',
    }),
  ),
  settlement_address: Type.Optional(Type.String({ maxLength: 80 })),
  settlement_mode: Type.Optional(OneOf(['custodial', 'direct'])),
});
export type CreatePayment = Static<typeof CreatePayment>;

/** Body of `PATCH /v1/payments/:id`. Absent fields stay unchanged. `metadata` replaces all keys. */
export const UpdatePayment = Closed({
  description: Type.Optional(Nullable(Type.String({ maxLength: 1000 }))),
  metadata: Type.Optional(Metadata),
});
export type UpdatePayment = Static<typeof UpdatePayment>;

/** A price that is fixed until `expires_at`: the asset amount that the merchant receives for the payment. */
export const PaymentQuote = Type.Object({
  id: Type.String(),
  settlement_asset: Type.String(),
  settlement_amount: Type.String({ description: 'Decimal text, 7 decimals.' }),
  rate: Type.String({ description: 'Settlement asset per whole unit of currency.' }),
  created_at: Timestamp,
  expires_at: Timestamp,
});
export type PaymentQuote = Static<typeof PaymentQuote>;

/** One row of bank instructions. */
export const InstructionField = Type.Object({
  name: Type.String({
    description: 'Stable key: iban, bic, account_holder, routing_number, account_number, reference, amount …',
  }),
  label: Type.String(),
  value: Type.String(),
  copyable: Type.Boolean(),
});

/** The payer's next step. */
export const NextAction = Type.Union([
  Type.Object({ type: Type.Literal('redirect'), url: Type.String() }),
  Type.Object({
    type: Type.Literal('bank_instructions'),
    rail: Type.String(),
    fields: Type.Array(InstructionField),
    reference: Type.String(),
    amount: Sum,
    currency: Type.String(),
    qr: Nullable(Type.Object({ format: Type.String(), payload: Type.String() })),
  }),
  CryptoTransfer,
  PhonePrompt,
]);
export type NextAction = Static<typeof NextAction>;
export type BankInstructions = Extract<NextAction, { type: 'bank_instructions' }>;

/** The card that paid or is authorized. */
export const PaymentCard = Type.Object({
  brand: Type.String({ description: '`visa`, `mastercard`, `amex` …' }),
  last4: Type.String({ description: 'The last four digits of the number.' }),
  three_d_secure: OneOf(['authenticated', 'not_requested'], {
    description: '`authenticated`: the cardholder confirmed with the bank. `not_requested`: the bank did not ask.',
  }),
});
export type PaymentCard = Static<typeof PaymentCard>;

/** The mobile-money wallet that paid. */
export const PaymentWallet = Type.Object({
  provider: Type.String({ description: 'The operator: `mtn`, `mpesa` …' }),
  number: Type.String({ description: 'Phone number (E.164). Payers see only its last three digits.' }),
});
export type PaymentWallet = Static<typeof PaymentWallet>;

/** One part of the money that a payment received: a card charge, a bank credit, a crypto deposit or a phone prompt. */
export const ReceivedPart = Type.Object({
  method: PaymentMethod,
  rail: Nullable(Type.String(), 'The card or bank rail, for example `sepa`; null on a chain.'),
  chain: Nullable(Type.String()),
  asset: Type.String({ description: 'What arrived: a currency code, or on a chain XLM or CODE:ISSUER.' }),
  amount: Type.String({ description: 'Decimal text in units of `asset`: `64.20`.' }),
  credited: Type.Integer({
    minimum: 0,
    description:
      'What the part counts, in the payment’s currency; 0 for an asset that was not asked for. The parts sum to ' +
      '`amount_received`.',
  }),
  card: Nullable(Type.Object({ brand: Type.String(), last4: Type.String() })),
  tx_hash: Nullable(Type.String()),
  at: Timestamp,
});
export type ReceivedPart = Static<typeof ReceivedPart>;

/**
 * The payment in the merchant's view. Payers (publishable key and client secret) get no `metadata` and no `customer`.
 */
export const Payment = Type.Object({
  id: Type.String(),
  object: Type.Literal('payment'),
  status: PaymentStatus,
  phase: PaymentPhase,
  exception: Nullable(PaymentException),
  requires_decision: Type.Boolean({
    description: 'Money waits for `POST /v1/payments/:id/resolve`: too little, too much, or late. Dust does not wait.',
  }),
  checkout_url: Type.String(),
  client_secret: Type.Optional(
    Type.String({ description: 'Only in the answer to the request that created the payment.' }),
  ),
  amount: Amount,
  currency: Type.String(),
  amount_received: Sum,
  amount_refunded: Sum,
  amount_disputed: Sum,
  amount_capturable: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The most that can be captured now. 0 unless the phase is `authorized`.',
  }),
  capture_before: Nullable(
    Timestamp,
    'End of the card’s authorization, 7 days after the charge. An uncaptured payment then ends as `expired`. Null unless the ' +
      'phase is `authorized`.',
  ),
  amount_refundable: Type.Optional(Sum),
  can_cancel: Type.Optional(Type.Boolean()),
  received: Type.Array(ReceivedPart, { description: 'Each part of the received money, in order of arrival.' }),
  expires_at: Timestamp,
  session_expires_at: Type.String({
    format: 'date-time',
    description:
      'When the payment expires. Choosing a bank transfer extends it permanently by the rail’s settlement days, without ' +
      'Saturdays and Sundays. An authorized card sets it to `capture_before`.',
  }),
  description: Nullable(Type.String()),
  reference: Nullable(Type.String()),
  line_items: Type.Array(LineItem),
  locale: Nullable(Type.String()),
  settlement_asset: Type.String(),
  settlement_network: Type.Literal('stellar'),
  settlement_address: Nullable(Type.String()),
  settlement_mode: OneOf(['custodial', 'direct', 'balance']),
  payment_methods: Type.Array(PaymentMethod),
  capture_method: CaptureMethod,
  customer: Type.Optional(Type.Object({ id: Type.String(), email: Type.String(), name: Nullable(Type.String()) })),
  receipts: Type.Boolean({ description: 'Whether a receipt is mailed once the payment is completed.' }),
  metadata: Type.Optional(Metadata),
  redirect_url: Nullable(Type.String()),
  cancel_url: Nullable(Type.String()),
  method: Nullable(PaymentMethod),
  card: Nullable(PaymentCard, 'The card that paid or is authorized; null before, and for other methods.'),
  mobile_money: Nullable(PaymentWallet, 'The mobile-money wallet that paid; null before, and for other methods.'),
  next_action: Nullable(NextAction),
  open_prompt: Nullable(
    OpenPrompt,
    'The prompt that the payer may still approve on the phone, also after another method was chosen. Null: none is open. ' +
      'Before the payer pays in another way, show it.',
  ),
  last_attempt: Nullable(Type.Object({ method: PaymentMethod, code: Type.String(), message: Type.String() })),
  quote: PaymentQuote,
  settlement: PaymentSettlement,
  failure: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  merchant: Type.Optional(
    Type.Object(
      {
        name: Type.String(),
        support_email: Nullable(Type.String()),
        support_url: Nullable(Type.String()),
        logo: Nullable(Type.String()),
        primary_color: Nullable(Type.String()),
      },
      { description: 'The merchant that is paid. In API answers, not in events.' },
    ),
  ),
  payment_link: Nullable(Type.String(), 'Id of the payment link that was paid.'),
  success_message: Type.Optional(
    Type.String({
      description:
        'The link’s `success_message`, only when a completed payment of the link is read by its id. For a link paid in ' +
        'parts, only once the full amount of the use has arrived.',
    }),
  ),
  invoice: Nullable(Type.String(), 'Id of the invoice that was paid.'),
  ramp: Nullable(Type.String(), 'Id of the ramp that was paid.'),
  created_via: OneOf(['server', 'client']),
  livemode: Type.Boolean(),
  created_at: Timestamp,
  completed_at: Nullable(Timestamp),
});
export type Payment = Static<typeof Payment>;

/** An operator in one country that can collect the payment now. */
export const MobileMoneyOption = Type.Object({
  provider: Type.String({ description: 'The operator: `mtn`, `mpesa` …' }),
  name: Type.String({ description: 'The operator’s name, for people.' }),
  country: Type.String({ description: 'ISO 3166-1 alpha-2.' }),
  calling_code: Type.String({ description: 'Without `+`: `256`.' }),
  prefixes: Type.Array(Type.String(), {
    description: 'Beginnings of the operator’s national numbers, without the leading zero. Numbers may be ported.',
  }),
  amount: Amount,
  currency: Type.String({
    description: 'The currency of the prompt. The amount is rounded up to the operator’s step.',
  }),
  min: Sum,
  max: Sum,
});
export type MobileMoneyOption = Static<typeof MobileMoneyOption>;

/** Query of `GET /v1/payments/:id/options`. With the payer's Stellar account, `crypto.wallet` lists its assets. */
export const PaymentOptionsQuery = Closed({ payer_address: Type.Optional(Type.String({ maxLength: 120 })) });
export type PaymentOptionsQuery = Static<typeof PaymentOptionsQuery>;

/** Answer of `GET /v1/payments/:id/options`: the methods that the payment allows and that are available now. */
export const PaymentOptions = Type.Object({
  object: Type.Literal('payment_options'),
  card: Type.Optional(
    Type.Object({
      brands: Type.Array(Type.String()),
      frame_url: Type.String(),
      amount: Amount,
      currency: Type.String(),
    }),
  ),
  bank_transfer: Type.Optional(
    Type.Object({
      rails: Type.Array(
        Type.Object({
          rail: Type.String(),
          currency: Type.String(),
          amount: Amount,
          settlement_days: Type.Integer({ minimum: 0 }),
        }),
      ),
    }),
  ),
  crypto: Type.Optional(
    Type.Object({
      assets: Type.Array(CryptoAssetOption),
      wallet: Type.Optional(PayerWallet),
    }),
  ),
  mobile_money: Type.Optional(Type.Object({ operators: Type.Array(MobileMoneyOption) })),
});
export type PaymentOptions = Static<typeof PaymentOptions>;

/** Answer of `POST /v1/payments/:id/quotes`: the payment with its new quote, and the previous quote. */
export const RefreshedQuote = Type.Intersect([Payment, Type.Object({ previous_quote: PaymentQuote })]);

/**
 * Body of `POST /v1/checkout/open` and `/v1/checkout/stream`. A browser may send it as `text/plain`, which needs no
 * preflight request. Without `api_key`, the client secret alone authenticates.
 */
export const CheckoutAccess = Closed({
  api_key: Type.Optional(Type.String({ maxLength: 200 })),
  payment: Type.String({ maxLength: 64 }),
  client_secret: Type.String({ maxLength: 200 }),
  last_event_id: Type.Optional(Type.String({ maxLength: 20, description: 'For the stream: the last message seen.' })),
});
export type CheckoutAccess = Static<typeof CheckoutAccess>;

/** Answer of `POST /v1/checkout/open`. */
export const OpenedCheckout = Type.Object({
  payment: Payment,
  options: PaymentOptions,
  answered_at: Type.String({ format: 'date-time', description: 'The service’s time. The element counts down by it.' }),
});
export type OpenedCheckout = Static<typeof OpenedCheckout>;

/** Body of `POST /v1/payments/:id/capture`. Without `amount`: the whole authorized amount. */
export const CapturePayment = Closed({ amount: Type.Optional(Amount) });
export type CapturePayment = Static<typeof CapturePayment>;

/** Body of `POST /v1/payments/:id/resolve`. */
export const ResolvePayment = Closed({ action: OneOf(['accept', 'refund']) });
export type ResolvePayment = Static<typeof ResolvePayment>;

/** Events of payments, and the object that each carries. */
export interface PaymentEvents {
  'payment.created': Payment;
  'payment.completed': Payment;
  'payment.failed': Payment;
  'payment.refunded': Payment;
  'payment.requires_action': Payment;
  'payment.authorized': Payment;
  'payment.confirming': Payment;
  'payment.partially_paid': Payment;
  'payment.overpaid': Payment;
  'payment.paid_late': Payment;
  'payment.unrecognized_asset': Payment;
  'payment.quote_refreshed': Payment;
  'payment.settled': Payment;
  'payment.settlement_failed': Payment;
}
