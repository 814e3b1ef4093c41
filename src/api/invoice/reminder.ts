import { type Static, Type } from 'typebox';
import { Amount, Closed, Email, Nullable, OneOf, Timestamp } from '../schema.ts';

/**
 * A reminder of an invoice. Each due date and offset has a reminder, and each request of the merchant adds a reminder.
 */
export const InvoiceReminder = Type.Object({
  id: Type.String(),
  object: Type.Literal('invoice_reminder'),
  invoice: Type.String(),
  status: OneOf(['planned', 'paused', 'sent', 'skipped', 'dropped'], {
    description:
      '`skipped`: the merchant skipped it, or it was paused at its time. `dropped`: no amount is ' +
      'due, or at its time none was due or no address was known.',
  }),
  due_date: Type.String({ description: 'Due date of the invoice or instalment that the reminder is about.' }),
  offset_days: Nullable(Type.Integer(), 'Days after (negative: before) the due date; null: the merchant asked for it.'),
  remind_at: Timestamp,
  sent_at: Nullable(Timestamp),
  amount: Nullable(Amount, 'Remaining amount when the mail was written, in the smallest unit.'),
  livemode: Type.Boolean(),
});
export type InvoiceReminder = Static<typeof InvoiceReminder>;

/** Body of `POST /v1/invoices/:id/remind`. */
export const RemindInvoice = Closed({
  email: Type.Optional(Type.String({ ...Email, description: 'Address for this mail only. Default: the customer’s.' })),
});
export type RemindInvoice = Static<typeof RemindInvoice>;
