import type { InvoiceReminder } from '../../../api/invoice/reminder.ts';
import { unpaidOf } from '../../../core/invoice/invoice-installments.ts';
import { defineMachine } from '../../../core/machine.ts';
import { addDays, installmentsOf, momentOfDay, remainingOf } from '../invoice.ts';
import { type InvoiceRow, todayOf } from '../invoice.view.ts';
import type { RemindedPart } from '../notifications/invoice-mail-text.ts';
import type { ReminderRow } from '../tables.ts';

/**
 * The state of a reminder. `planned`: it waits for its hour. `sent`: its mail is queued. `paused`: it waits for the
 * merchant, until its hour. `skipped`: the merchant did not want it, or its hour passed in a pause. `dropped`: nothing was
 * owed at its hour.
 */
export type ReminderStatus = ReminderRow['status'];

export const reminderMachine = defineMachine<ReminderStatus>({
  planned: ['sent', 'paused', 'skipped', 'dropped'],
  paused: ['planned', 'skipped', 'dropped'],
  sent: [],
  skipped: [],
  dropped: [],
});

/** The hour of the merchant's day at which reminders are sent. */
const reminderHour = 9;

/** A planned reminder of a due date. A negative offset is a number of days before it. */
export interface PlannedReminder {
  readonly dueDate: string;
  readonly offsetDays: number;
  readonly at: Date;
}

/** What reminders are planned from. Days are in the merchant's time zone. */
export interface ReminderPlan {
  /** The due date, or those of the instalments. */
  readonly dueDates: readonly string[];
  readonly offsetsDays: readonly number[];
  readonly timezone: string;
  /** The time of sending. Earlier reminders are not planned. */
  readonly after: Date;
}

/** The reminders of an invoice, one for each due date and offset, at 09:00 in the merchant's time zone. */
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

/** The parts of an invoice with a due date, in order. */
export function openParts(row: InvoiceRow): OpenPart[] {
  if (row.plan.length === 0) {
    return row.due_date === null ? [] : [{ dueDate: row.due_date, left: remainingOf(row) }];
  }
  return installmentsOf(row, null).flatMap(part =>
    part.dueDate === null ? [] : [{ dueDate: part.dueDate, left: unpaidOf(part) }],
  );
}

/** The remaining amount due by the day: a reminder of an instalment includes earlier ones. */
export function leftBy(day: string, parts: readonly OpenPart[]): bigint {
  return parts.filter(part => part.dueDate <= day).reduce((sum, { left }) => sum + left, 0n);
}

/** Whether a mail written today is before, on or after the due date. A late reminder says what is true today. */
export function tenseOf(dueDate: string, today: string): 'before' | 'today' | 'after' {
  if (today < dueDate) return 'before';
  return today === dueDate ? 'today' : 'after';
}

/** The part that a reminder is about, for its mail at `now` on the merchant's clock. */
export function remindedPart(row: InvoiceRow, dueDate: string, amount: bigint, now: Date): RemindedPart {
  return { dueDate, amount, tense: tenseOf(dueDate, todayOf(row, now) ?? '') };
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
