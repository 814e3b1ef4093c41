import { type Static, Type } from 'typebox';
import { Day, Nullable, OneOf, Timestamp } from '../schema.ts';

const Count = Type.Integer({ minimum: 0 });
/** An amount of a report, in the smallest unit of its currency. */
const ReportAmount = Type.Integer({ description: 'Integer in the smallest unit of the currency.' });

/** The query of `GET /v1/reports/overview`. */
export const OverviewQuery = Type.Object({
  from: Type.Optional({ ...Day, description: 'The first day, YYYY-MM-DD. Default: 29 days before `to`.' }),
  to: Type.Optional({ ...Day, description: 'The last day, YYYY-MM-DD, included. Default: today.' }),
  interval: Type.Optional(
    OneOf(['hour', 'day', 'week', 'month'], {
      description: 'The length of a point of `series`. Default: `day`. Weeks begin on Monday. At most 800 points.',
    }),
  ),
  timezone: Type.Optional(
    Type.String({
      maxLength: 60,
      description:
        'The IANA time zone in which days begin. Default: the account’s. Figures are kept by half an hour: where the ' +
        'offset is no multiple of that (Nepal), the first 15 minutes of a day count for the day before.',
    }),
  ),
});
export type OverviewQuery = Static<typeof OverviewQuery>;

const paid = {
  paid: { ...Count, description: 'Payments completed in the period.' },
  volume: { ...ReportAmount, description: 'Received by these payments.' },
  refunded_amount: { ...ReportAmount, description: 'Refunded of it, whenever that was.' },
};

const statuses = {
  created: { ...Count, description: 'Payments created in the period. The other counts say what became of them.' },
  pending: Count,
  completed: Count,
  failed: Count,
  refunded: Count,
};

const success = {
  success_rate: Nullable(
    Type.Number({ minimum: 0, maximum: 1 }),
    'Completed and refunded payments, as a part of all created in the period that ended. Null: none ended.',
  ),
};

/** A kind of work that waits for a person, and its count. */
export const AttentionItem = Type.Object({
  kind: Type.String({ description: 'For example `payments_overpaid` or `transfers_unmatched`.' }),
  count: Count,
  has_more: Type.Boolean({ description: 'There are more than `count`: counting ends at 100.' }),
  url: Type.String({ description: 'The list that has these objects.' }),
});
export type AttentionItem = Static<typeof AttentionItem>;

/** The figures of a merchant's payments in a period, and the work that waits for a person. */
export const Overview = Type.Object({
  object: Type.Literal('overview'),
  from: Day,
  to: Day,
  interval: OneOf(['hour', 'day', 'week', 'month']),
  timezone: Type.String(),
  counts: Type.Object({ ...statuses, ...success }),
  amounts: Type.Array(Type.Object({ currency: Type.String(), ...paid }), {
    description: 'One element for each currency.',
  }),
  by_method: Type.Array(
    Type.Object({
      method: Type.String({ description: '`none`: the payer has chosen no method yet.' }),
      ...statuses,
      ...success,
      amounts: Type.Array(Type.Object({ currency: Type.String(), ...paid })),
    }),
  ),
  by_asset: Type.Array(
    Type.Object({
      settlement_asset: Type.String(),
      amounts: Type.Array(Type.Object({ currency: Type.String(), ...paid })),
    }),
  ),
  series: Type.Array(
    Type.Object({
      start: Timestamp,
      ...statuses,
      amounts: Type.Array(Type.Object({ currency: Type.String(), ...paid })),
    }),
    { description: 'One point for each interval of the period, oldest first.' },
  ),
  money: Type.Array(
    Type.Object({
      currency: Type.String(),
      settled: { ...ReportAmount, description: 'Delivered to the account on Stellar.' },
      in_balance: { ...ReportAmount, description: 'Moved to the available balance.' },
      waiting: { ...ReportAmount, description: 'Paid, and on its way to one of both.' },
    }),
    { description: 'Where the money of all completed payments is now, whenever they were paid.' },
  ),
  attention: Type.Array(AttentionItem, { description: 'What waits for a person; kinds without any are left out.' }),
  livemode: Type.Boolean(),
  generated_at: Timestamp,
});
export type Overview = Static<typeof Overview>;
