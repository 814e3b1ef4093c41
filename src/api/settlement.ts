import { type Static, Type } from 'typebox';
import { SettlementBatch } from './merchant.ts';
import { PayoutStatus, SettlementDestination } from './payout.ts';
import { Nullable, OneOf, Timestamp } from './schema.ts';

/** Status of a settlement. The state machine is in `server/settlement/fiat/settlement.ts`. */
export const SettlementStatus = OneOf(['open', 'paying', 'paid', 'failed', 'returned', 'kept'], {
  description:
    '`open`: payments are still added, or it waits for its time. `paying`: its payout is on its way. `paid`: the payout ' +
    'arrived. `failed` and `returned`: the money is in the available balance; a person may send it again, or keep it. ' +
    '`kept`: the money stays in the available balance for good.',
});
export type SettlementStatus = Static<typeof SettlementStatus>;

/** A payout of a settlement, in short. */
export const SettlementPayout = Type.Object({
  id: Type.String({ description: 'po_…', examples: ['po_3kTMd0PpC1hJ6nLq2uXs9B'] }),
  status: PayoutStatus,
  amount: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'In the settlement’s currency.',
    examples: [118_40],
  }),
  failure: Nullable(Type.Object({ code: Type.String(), message: Type.String() }), 'Why it did not arrive.'),
  created_at: Timestamp,
  completed_at: Nullable(Timestamp, 'When it ended; null before.'),
});
export type SettlementPayout = Static<typeof SettlementPayout>;

/**
 * The settlement of completed payments in a currency: one payout to the account's `settlement.destination`.
 * `amount` = `gross` − `deducted` + `carried`, in the currency's smallest unit.
 */
export const Settlement = Type.Object({
  id: Type.String({ description: 'set_…', examples: ['set_3kTMd0PpC1hJ6nLq2uXs9B'] }),
  object: Type.Literal('settlement'),
  status: SettlementStatus,
  batch: SettlementBatch,
  currency: Type.String({ description: 'ISO 4217: the currency that is paid out.', examples: ['EUR'] }),
  amount: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'What the payout pays; of an open settlement, the sum so far.',
    examples: [118_40],
  }),
  gross: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The payments, each at the rate of its quote.',
    examples: [128_40],
  }),
  deducted: Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Refunds and disputes of payments that were settled before. Each is deducted once.',
    examples: [10_00],
  }),
  carried: Type.Integer({
    description:
      'Positive: taken over from an earlier settlement. Negative: left for the next, because it exceeds the rail’s largest ' +
      'transfer or is less than its smallest step.',
    examples: [0],
  }),
  payments: Type.Integer({ minimum: 0, description: 'Number of its payments.', examples: [12] }),
  destination: Nullable(SettlementDestination, 'Where the payout goes; null while the settlement is open.'),
  payout: Nullable(Type.String(), 'Id of its newest payout; null before, and if there is nothing to pay.'),
  payouts: Type.Optional(
    Type.Array(SettlementPayout, {
      description:
        'All its payouts, newest first: one more for each time it was sent again. In answers, not in events.',
    }),
  ),
  scheduled_at: Nullable(Timestamp, 'When an open settlement is paid out next; null after.'),
  failure: Nullable(
    Type.Object({ code: Type.String(), message: Type.String() }),
    'Why it was not paid: of the payout, or why an open settlement waits longer (`below_minimum`, `no_route` …).',
  ),
  livemode: Type.Boolean(),
  created_at: Timestamp,
  closed_at: Nullable(Timestamp, 'When its newest payout was created, or its money was kept.'),
  paid_at: Nullable(Timestamp, 'When its payout arrived.'),
});
export type Settlement = Static<typeof Settlement>;

/** Events of settlements, and the object that each carries. Their payments and payouts have events of their own. */
export interface SettlementEvents {
  'settlement.kept': Settlement;
}
