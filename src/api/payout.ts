import { type Static, Type } from 'typebox';
import { Amount, Closed, Country, Currency, Metadata, Nullable, OneOf, Sum, Timestamp } from './schema.ts';

/** A mobile-money wallet. */
const MobileMoneyDestination = Closed({
  type: Type.Literal('mobile_money'),
  provider: Type.String({ minLength: 1, maxLength: 40, description: 'The operator: `mtn`, `mpesa` …' }),
  number: Type.String({ minLength: 1, maxLength: 30, description: 'Phone number in international format (E.164).' }),
});

/**
 * A bank account in one of three forms: `iban`; `account` and `country`, with the country's `routing` number if it has
 * one; or `bic`, `account` and `country` (SWIFT). Default of `country` in the second form: US.
 */
const BankAccountDestination = Closed({
  type: Type.Literal('bank_account'),
  iban: Type.Optional(Type.String({ minLength: 1, maxLength: 50 })),
  bic: Type.Optional(Type.String({ minLength: 1, maxLength: 11, description: 'ISO 9362.' })),
  routing: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 20,
      description: 'ABA routing number (US), sort code (GB), bank code (NG); `country` says which, US by default.',
    }),
  ),
  account: Type.Optional(Type.String({ minLength: 1, maxLength: 40, description: 'Account number, NUBAN or CLABE.' })),
  country: Type.Optional(Country),
  account_holder: Type.Optional(Type.String({ minLength: 1, maxLength: 140 })),
});

/** A wallet on a chain. */
const CryptoWalletDestination = Closed({
  type: Type.Literal('crypto_wallet'),
  chain: Type.String({ minLength: 1, maxLength: 40, description: '`stellar`, `ethereum`, `bitcoin` …' }),
  address: Type.String({ minLength: 1, maxLength: 150 }),
  memo: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        'For the types `hash` and `return`: 32 bytes in hexadecimal or base64; answers show lower-case hexadecimal.',
    }),
  ),
  memo_type: Type.Optional(
    OneOf(['text', 'id', 'hash', 'return'], { description: 'Default: `id` for digits, otherwise `text`.' }),
  ),
  asset: Type.String({ minLength: 1, maxLength: 80, description: 'XLM, a well-known code, or CODE:ISSUER.' }),
  claimable_balance: Type.Optional(
    Type.Boolean({
      description:
        'Stellar only: pay by a claimable balance when the account is missing or lacks the trustline. Default: no.',
    }),
  ),
});

/** The destination of a payout. */
export const PayoutDestination = Type.Union([MobileMoneyDestination, BankAccountDestination, CryptoWalletDestination]);
export type PayoutDestination = Static<typeof PayoutDestination>;

/** The bank account or mobile-money wallet that receives the merchant's settlements in a currency. */
export const SettlementDestination = Type.Union([MobileMoneyDestination, BankAccountDestination]);
export type SettlementDestination = Static<typeof SettlementDestination>;
export type MobileMoneyDestination = Static<typeof MobileMoneyDestination>;
export type BankAccountDestination = Static<typeof BankAccountDestination>;
export type CryptoWalletDestination = Static<typeof CryptoWalletDestination>;

/** A destination as one line of text, with the name of its holder. */
export function destinationText(destination: PayoutDestination): string {
  switch (destination.type) {
    case 'mobile_money':
      return `${destination.provider} ${destination.number}`;
    case 'bank_account': {
      const { iban, bic, routing, account, country, account_holder: holder } = destination;
      return [holder, iban, bic, routing, account, country].filter(Boolean).join(' ');
    }
    case 'crypto_wallet': {
      const { chain, address, memo, memo_type: type, asset } = destination;
      return [chain, address, memo && `memo ${type ?? ''} ${memo}`, asset].filter(Boolean).join(' ');
    }
  }
}

/** Status of a payout. The state machine is in `server/payouts/payout.ts`. */
export const PayoutStatus = OneOf([
  ...(['scheduled', 'queued', 'on_hold', 'processing', 'sent', 'completed', 'failed', 'returned', 'canceled'] as const),
]);
export type PayoutStatus = Static<typeof PayoutStatus>;

/** A payout of a bulk request. `recipient_id` without a destination means the recipient's default destination. */
export const CreatePayout = Closed({
  recipient_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  amount: Amount,
  currency: Currency,
  destination: Type.Optional(PayoutDestination),
  source_currency: Type.Optional(
    Type.String({ minLength: 3, maxLength: 80, description: 'The balance to debit: a currency or an asset.' }),
  ),
  reference: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Your own id of the payout, unique forever. Case and outer spaces do not count.',
    }),
  ),
  description: Type.Optional(
    Type.String({ maxLength: 140, description: 'Shown to the recipient if the rail supports it.' }),
  ),
  metadata: Type.Optional(Metadata),
});
export type CreatePayout = Static<typeof CreatePayout>;

/** When payouts are sent. */
export const PayoutSchedule = Type.Union([
  Closed({ type: Type.Literal('immediate') }),
  Closed({ type: Type.Literal('scheduled'), at: Timestamp }),
  Closed({
    type: Type.Literal('recurring'),
    rrule: Type.String({ minLength: 1, maxLength: 300, description: 'RFC 5545: `FREQ=MONTHLY;BYMONTHDAY=-1`.' }),
    starts_at: Timestamp,
    ends_at: Type.Optional(Timestamp),
    timezone: Type.Optional(
      Type.String({ minLength: 1, maxLength: 60, description: 'IANA name; the account’s time zone by default.' }),
    ),
  }),
]);
export type PayoutSchedule = Static<typeof PayoutSchedule>;

/** The fields of the body of `POST /v1/payouts/bulk` besides the rows. */
export const BulkOptions = Closed({
  schedule: Type.Optional(PayoutSchedule),
  on_error: Type.Optional(
    OneOf(['reject_all', 'skip_invalid'], {
      description: '`reject_all` (default): one wrong row refuses all. `skip_invalid`: the other rows are accepted.',
    }),
  ),
  dry_run: Type.Optional(Type.Boolean({ description: 'Checks all rows and totals, and writes nothing.' })),
  approval: Type.Optional(
    Closed({
      required: Type.Optional(Type.Boolean({ description: 'The batch waits for a second key.' })),
      above: Type.Optional(Closed({ amount: Sum, currency: Currency })),
    }),
  ),
  fx: Type.Optional(
    Closed({
      max_slippage_percent: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: 20,
          description: 'Percentage by which the rate may become worse before the money is sent; default 2.',
        }),
      ),
    }),
  ),
  description: Type.Optional(Type.String({ maxLength: 200 })),
  metadata: Type.Optional(Metadata),
});
export type BulkOptions = Static<typeof BulkOptions>;

/** Body of `POST /v1/payouts/bulk`: 1 to 10,000 rows, at most 16 MiB. */
export const CreatePayouts = Closed({
  payouts: Type.Array(CreatePayout, { minItems: 1, maxItems: 10_000 }),
  ...BulkOptions.properties,
});
export type CreatePayouts = Static<typeof CreatePayouts>;

/**
 * Body of `PATCH /v1/payout-batches/:id`, before the batch starts. `payouts` replaces the rows of a recurring batch.
 */
export const UpdatePayoutBatch = Closed({
  schedule: Type.Optional(PayoutSchedule),
  payouts: Type.Optional(Type.Array(CreatePayout, { minItems: 1, maxItems: 10_000 })),
  description: Type.Optional(Nullable(Type.String({ maxLength: 200 }))),
  metadata: Type.Optional(Metadata),
});
export type UpdatePayoutBatch = Static<typeof UpdatePayoutBatch>;

const Reason = Type.Object({ code: Type.String(), message: Type.String() });

export const Payout = Type.Object({
  id: Type.String(),
  object: Type.Literal('payout'),
  status: PayoutStatus,
  batch: Type.String({ description: 'Its `payout_batch`.' }),
  settlement: Nullable(Type.String(), 'Id of the settlement that it pays; null for other payouts.'),
  ramp: Nullable(Type.String(), 'Id of the ramp that it pays; null for other payouts.'),
  recipient_id: Nullable(Type.String()),
  amount: Amount,
  currency: Type.String(),
  destination: PayoutDestination,
  reference: Nullable(Type.String()),
  description: Nullable(Type.String()),
  failure: Nullable(Reason, 'Why it failed, or why its money came back.'),
  hold: Nullable(Reason, 'Why it waits (`on_hold`).'),
  fx: Nullable(
    Type.Object({
      rate: Nullable(
        Type.String({
          description: 'Amount of `currency` for one unit of `source_currency`; null until the payout is sent.',
        }),
      ),
      source_amount: Amount,
      source_currency: Type.String(),
      amount: Nullable(
        Type.String({
          description: 'Amount that the recipient receives, decimal text; null until the payout is sent.',
        }),
      ),
      currency: Type.String({ description: 'Currency or asset that the recipient receives.' }),
    }),
    'Conversion of the debited amount into the amount that the recipient receives; null without a conversion.',
  ),
  fee: Type.Object({ amount: Sum, currency: Type.String() }),
  returned: Type.Object(
    { amount: Sum, currency: Type.String({ description: 'The debited currency.' }) },
    {
      description:
        'Credited to the balance because money came back. The payout is `returned` once all of it is back, and stays ' +
        '`completed` while only a part is.',
    },
  ),
  trace: Type.Object({
    rail: Nullable(Type.String()),
    tx_hash: Nullable(Type.String()),
    provider_reference: Nullable(Type.String()),
    file_id: Nullable(Type.String()),
  }),
  attempt: Type.Integer({ minimum: 1, description: 'Grows with each retry.' }),
  eta_at: Nullable(Timestamp),
  metadata: Metadata,
  livemode: Type.Boolean(),
  created_at: Timestamp,
  scheduled_at: Nullable(Timestamp),
  completed_at: Nullable(Timestamp),
});
export type Payout = Static<typeof Payout>;

/** A refused row. `index` counts from 0. */
export const RowError = Type.Object({
  index: Type.Integer({ minimum: 0 }),
  param: Type.String(),
  code: Type.String(),
  message: Type.String(),
});
export type RowError = Static<typeof RowError>;

export const PayoutBatchStatus = OneOf([
  ...([
    'awaiting_approval',
    'scheduled',
    'processing',
    'completed',
    'partially_completed',
    'failed',
    'canceled',
  ] as const),
]);
export type PayoutBatchStatus = Static<typeof PayoutBatchStatus>;

/** A batch of payouts, or the answer of a dry run. A dry run's `id` is null. */
export const PayoutBatch = Type.Object({
  id: Nullable(Type.String()),
  object: Type.Literal('payout_batch'),
  status: PayoutBatchStatus,
  counts: Type.Object({
    total: Type.Integer(),
    accepted: Type.Integer(),
    rejected: Type.Integer(),
    pending: Type.Integer(),
    completed: Type.Integer(),
    failed: Type.Integer({ description: 'Failed, returned and canceled.' }),
  }),
  statuses: Nullable(
    Type.Record(Type.String(), Type.Integer()),
    'Number of payouts in each status; null in events and in answers where they are not counted.',
  ),
  totals: Type.Array(
    Type.Object({
      currency: Type.String({ description: 'The debited currency.' }),
      amount: Sum,
      fee: Sum,
      count: Type.Integer(),
    }),
  ),
  errors: Type.Array(RowError, { description: 'Refused rows; in lists and events the first 100.' }),
  holds: Type.Optional(
    Type.Array(RowError, {
      description: 'In a dry run: accepted rows whose payout would wait `on_hold`, because no rail can send it.',
    }),
  ),
  schedule: PayoutSchedule,
  next_runs: Type.Array(Timestamp, { description: 'The next runs of a recurring batch, at most five.' }),
  recurring_batch: Nullable(Type.String(), 'The recurring batch that created this batch.'),
  occurrence_at: Nullable(Timestamp, 'Time of the run of the recurring batch that created this batch.'),
  approval: Nullable(
    Type.Object({
      approved_at: Nullable(Timestamp),
      approved_by: Nullable(Type.String()),
      created_by: Nullable(Type.String()),
    }),
  ),
  dry_run: Type.Boolean(),
  eta_at: Type.Optional(
    Nullable(Timestamp, 'In a dry run: when the last payout would arrive; null if an approval or a rail decides that.'),
  ),
  payouts_url: Nullable(Type.String()),
  results_url: Nullable(Type.String(), 'The results of all rows as CSV.'),
  description: Nullable(Type.String()),
  metadata: Metadata,
  livemode: Type.Boolean(),
  created_at: Timestamp,
  completed_at: Nullable(Timestamp),
});
export type PayoutBatch = Static<typeof PayoutBatch>;

/** Events of payouts and their batches, and the object that each carries. */
export interface PayoutEvents {
  'payout.created': Payout;
  'payout.on_hold': Payout;
  'payout.processing': Payout;
  'payout.sent': Payout;
  'payout.completed': Payout;
  'payout.failed': Payout;
  'payout.partially_returned': Payout;
  'payout.returned': Payout;
  'payout.canceled': Payout;
  'payout.queued': Payout;
  'payout_batch.created': PayoutBatch;
  'payout_batch.updated': PayoutBatch;
  'payout_batch.approved': PayoutBatch;
  'payout_batch.completed': PayoutBatch;
  'payout_batch.canceled': PayoutBatch;
}
