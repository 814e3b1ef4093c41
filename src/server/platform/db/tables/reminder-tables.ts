import type { ColumnType, Generated } from 'kysely';
import type { InvoiceTemplate } from '../../../../api/invoice/recurring.ts';
import type { Metadata } from '../../../../api/schema.ts';
import type { Json, Moment } from '../column.ts';

/** Columns of `invoice_reminders`; what they mean is said in the migration that makes them. */
export interface InvoiceRemindersTable {
  merchant_id: string;
  id: string;
  invoice_id: string;
  livemode: boolean;
  due_date: string;
  offset_days: number | null;
  status: 'planned' | 'paused' | 'sent' | 'skipped' | 'dropped';
  remind_at: Moment;
  sent_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
  amount: ColumnType<bigint | null, bigint | null | undefined, bigint | null>;
  sent_to: ColumnType<string | null, string | null | undefined, string | null>;
  failures: Generated<number>;
  held_until: ColumnType<Date | null, undefined, Date | null>;
}

/** Columns of `recurring_invoices`; what they mean is said in the migration that makes them. */
export interface RecurringInvoicesTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  status: 'active' | 'paused' | 'ended';
  rrule: string;
  timezone: string;
  starts_on: string;
  ends_on: string | null;
  count: number | null;
  template: Json<InvoiceTemplate>;
  auto_send: boolean;
  metadata: ColumnType<Metadata, string | undefined, string>;
  occurrences: Generated<number>;
  next_on: string | null;
  next_at: ColumnType<Date | null, Date | null, Date | null>;
  last_error: ColumnType<string | null, string | null | undefined, string | null>;
  created_at: Moment;
}

/** Columns of `recurring_occurrences`; what they mean is said in the migration that makes them. */
export interface RecurringOccurrencesTable {
  merchant_id: string;
  recurring_id: string;
  day: string;
  invoice_id: string;
  livemode: boolean;
  send_at: ColumnType<Date | null, Date | null, Date | null>;
  created_at: Moment;
}
