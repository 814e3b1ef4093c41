import type { RecurringInvoice } from '../../../api/invoice/recurring.ts';
import type { RecurringRow } from './recurring.store.ts';

/** The recurring invoice in its wire form. */
export function recurringToWire(row: RecurringRow): RecurringInvoice {
  return {
    id: row.id,
    object: 'recurring_invoice',
    status: row.status,
    rrule: row.rrule,
    starts_on: row.starts_on,
    ends_on: row.ends_on,
    count: row.count,
    timezone: row.timezone,
    auto_send: row.auto_send,
    invoice: row.template,
    occurrences: row.occurrences,
    next_on: row.next_on,
    last_error: row.last_error,
    metadata: row.metadata,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
  };
}
