import type { InvoiceReminder } from '../../../api/invoice/reminder.ts';
import type { ReminderRow } from './reminder.store.ts';

/** The reminder in its wire form. */
export function reminderToWire(row: ReminderRow): InvoiceReminder {
  return {
    id: row.id,
    object: 'invoice_reminder',
    invoice: row.invoice_id,
    status: row.status,
    due_date: row.due_date,
    offset_days: row.offset_days,
    remind_at: row.remind_at.toISOString(),
    sent_at: row.sent_at?.toISOString() ?? null,
    amount: row.amount === null ? null : Number(row.amount),
    livemode: row.livemode,
  };
}
