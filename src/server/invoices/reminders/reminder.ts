import type { InvoiceReminder } from '../../../api/invoice/reminder.ts';
import { defineMachine } from '../../../core/machine.ts';
import { addDays, momentOfDay } from '../invoice.ts';
import type { ReminderRow } from '../tables.ts';

/**
 * Where a reminder stands. `planned`: waits for its hour. `sent`: its mail is in the outbox. `paused`: waits for the merchant,
 * until its hour. `skipped`: the merchant did not want it, or its hour fell into a pause. `dropped`: there was nothing left to
 * remind of.
 */
export type ReminderStatus = 'planned' | 'paused' | 'sent' | 'skipped' | 'dropped';

/** What may become of a reminder; the guard of the SQL that makes the steps. */
export const reminderMachine = defineMachine<ReminderStatus>({
  planned: ['sent', 'paused', 'skipped', 'dropped'],
  paused: ['planned', 'skipped', 'dropped'],
  sent: [],
  skipped: [],
  dropped: [],
});

/** The hour of the merchant's day at which reminders leave. */
export const reminderHour = 9;

/** A reminder that will be: of what is due on a day, so many days after (before, when negative) it. */
export interface PlannedReminder {
  readonly dueDate: string;
  readonly offsetDays: number;
  readonly at: Date;
}

/** What reminders follow from. Days are of the merchant's time zone. */
export interface ReminderPlan {
  /** The due date, or those of the instalments. */
  readonly dueDates: readonly string[];
  readonly offsetsDays: readonly number[];
  readonly timezone: string;
  /** Whose hour is not later than this is not planned: the customer is just being told. */
  readonly after: Date;
}

/** Every reminder of an invoice, each once for its day and offset, at nine in the merchant's morning. */
export function planReminders({ dueDates, offsetsDays, timezone, after }: ReminderPlan): PlannedReminder[] {
  const plan = [...new Set(dueDates)].flatMap(dueDate =>
    [...new Set(offsetsDays)].map(offsetDays => ({
      ...{ dueDate, offsetDays },
      at: momentOfDay(timezone, addDays(dueDate, offsetDays), reminderHour),
    })),
  );
  return plan.filter(({ at }) => at > after).sort((a, b) => Number(a.at) - Number(b.at));
}

/** A part of an invoice with its due day and remaining amount. Amounts are minor units. */
export interface OpenPart {
  readonly dueDate: string;
  readonly left: bigint;
}

/** The rest of all that is due by the day: a reminder of an instalment includes earlier ones. */
export function leftBy(day: string, parts: readonly OpenPart[]): bigint {
  return parts.filter(part => part.dueDate <= day).reduce((sum, { left }) => sum + left, 0n);
}

/** How the day of a reminder stands to the due date: a late one says what is true when it is written, not what was planned. */
export function tenseOf(dueDate: string, today: string): 'before' | 'today' | 'after' {
  if (today < dueDate) return 'before';
  return today === dueDate ? 'today' : 'after';
}

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
