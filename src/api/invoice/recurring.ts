import { type Static, Type } from 'typebox';
import { Closed, Day, Metadata, Nullable, OneOf, Timestamp } from '../schema.ts';
import { CreateInvoice } from './invoice.ts';

const { due_date, installments, delivery_date, period, ...repeatable } = CreateInvoice.properties;

/** The template of each invoice: a body of `POST /v1/invoices` without dates and instalments. Use `days_until_due`. */
export const InvoiceTemplate = Closed(repeatable);
export type InvoiceTemplate = Static<typeof InvoiceTemplate>;

const rruleText =
  'RFC 5545 rule by days: FREQ=DAILY, WEEKLY, MONTHLY or YEARLY with INTERVAL, BYDAY, BYMONTHDAY, BYMONTH, BYSETPOS, ' +
  'WKST, COUNT, UNTIL; for example FREQ=MONTHLY;BYMONTHDAY=-1 for the last day of each month. A day that a month lacks is ' +
  'skipped.';

const schedule = {
  rrule: Type.String({ minLength: 5, maxLength: 300, description: rruleText }),
  starts_on: Day,
  ends_on: Nullable(Day, 'Last day on which the schedule may create an invoice; null: no end.'),
  count: Nullable(Type.Integer({ minimum: 1, maximum: 10_000 }), 'Maximum number of invoices; null: no limit.'),
  timezone: Type.String({ minLength: 1, maxLength: 60, description: 'IANA name. Default: the account’s.' }),
  auto_send: Type.Boolean({
    description: 'Send each invoice when it is created (the default); false leaves it a draft.',
  }),
};

/** Body of `POST /v1/recurring-invoices`. */
export const CreateRecurringInvoice = Closed({
  rrule: schedule.rrule,
  starts_on: schedule.starts_on,
  ends_on: Type.Optional(schedule.ends_on),
  count: Type.Optional(schedule.count),
  timezone: Type.Optional(schedule.timezone),
  auto_send: Type.Optional(schedule.auto_send),
  invoice: InvoiceTemplate,
  metadata: Type.Optional(Metadata),
});
export type CreateRecurringInvoice = Static<typeof CreateRecurringInvoice>;

/** A schedule that creates an invoice at 09:00, in its time zone, on each day of its rule. */
export const RecurringInvoice = Type.Object({
  id: Type.String(),
  object: Type.Literal('recurring_invoice'),
  status: OneOf(['active', 'paused', 'ended']),
  ...schedule,
  invoice: Type.Unknown({ description: 'Template of each invoice.' }),
  occurrences: Type.Integer({ minimum: 0, description: 'Number of invoices created so far.' }),
  next_on: Nullable(Day, 'Day of the next invoice; null: no more will be created.'),
  last_error: Nullable(
    Type.String(),
    'Why an invoice could not be created or sent. The service tries again every hour.',
  ),
  metadata: Metadata,
  livemode: Type.Boolean(),
  created_at: Timestamp,
});
export type RecurringInvoice = Static<typeof RecurringInvoice>;

/** A day of the rule, with the invoice of that day. */
export const RecurringOccurrence = Type.Object({
  object: Type.Literal('recurring_occurrence'),
  day: Day,
  invoice: Type.String(),
  created_at: Timestamp,
});
export type RecurringOccurrence = Static<typeof RecurringOccurrence>;
