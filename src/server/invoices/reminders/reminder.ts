import type { InvoiceReminder } from '../../../api/invoice/reminder.ts';
import { addDays } from '../../../core/calendar.ts';
import { unpaidOf } from '../../../core/invoice/invoice-installments.ts';
import { defineMachine } from '../../../core/machine.ts';
import { momentOfDay } from '../../platform/local-day.ts';
import { installmentsOf, isPayable, remainingOf } from '../invoice.ts';
import { type InvoiceRow, todayOf } from '../invoice.view.ts';
import type { RemindedPart } from '../notifications/invoice-mail-text.ts';
import type { ReminderRow } from '../tables.ts';

/**
 * The status of a reminder. `planned`: its time has not come. `sent`: its mail is queued. `paused`: the merchant paused
 * reminders. `skipped`: the merchant skipped it, its time passed during a pause, or a later one was due as well.
 * `dropped`: no amount was due at its time, or no address was known.
 */
export type ReminderStatus = ReminderRow['status'];

export const reminderMachine = defineMachine<ReminderStatus>({
  planned: ['sent', 'paused', 'skipped', 'dropped'],
  paused: ['planned', 'skipped', 'dropped'],
  sent: [],
  skipped: [],
  dropped: [],
});

/** Time of day, in the merchant's time zone, when reminders are sent. */
const reminderTime = '09:00';

/** A planned reminder of a due date. A negative offset means days before the due date. */
export interface PlannedReminder {
  readonly dueDate: string;
  readonly offsetDays: number;
  readonly at: Date;
}

/** Input for planning reminders. Dates are in the merchant's time zone. */
export interface ReminderPlan {
  /** The invoice's due date, or the due dates of its instalments. */
  readonly dueDates: readonly string[];
  readonly offsetsDays: readonly number[];
  readonly timezone: string;
  /** The time of sending the invoice. Reminders before this time are not planned. */
  readonly after: Date;
}

/** The reminders of an invoice, one for each due date and offset, at 09:00 in the merchant's time zone. */
export function planReminders({ dueDates, offsetsDays, timezone, after }: ReminderPlan): PlannedReminder[] {
  const plan = [...new Set(dueDates)].flatMap(dueDate =>
    [...new Set(offsetsDays)].map(offsetDays => ({
      dueDate,
      offsetDays,
      at: momentOfDay(timezone, addDays(dueDate, offsetDays), reminderTime),
    })),
  );
  return plan.filter(({ at }) => at > after).sort((a, b) => Number(a.at) - Number(b.at));
}

/** A part of an invoice: due date and remaining amount in minor units. */
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

/** The remaining amount that is due on or before `day`. A reminder of an instalment includes earlier instalments. */
export function leftBy(day: string, parts: readonly OpenPart[]): bigint {
  return parts.filter(part => part.dueDate <= day).reduce((sum, { left }) => sum + left, 0n);
}

/** Whether today is before, on or after the due date. A late reminder uses the day when it is sent. */
export function tenseOf(dueDate: string, today: string): 'before' | 'today' | 'after' {
  if (today < dueDate) return 'before';
  return today === dueDate ? 'today' : 'after';
}

/** The part of the invoice in a reminder's mail. `now` is on the merchant's clock. */
export function remindedPart(row: InvoiceRow, dueDate: string, amount: bigint, now: Date): RemindedPart {
  return { dueDate, amount, tense: tenseOf(dueDate, todayOf(row, now) ?? '') };
}

/** The amount that the reminder would ask for now; 0 when the invoice takes no payments. */
export function owedAt({ due_date: dueDate }: ReminderRow, invoice: InvoiceRow): bigint {
  return isPayable(invoice.status) ? leftBy(dueDate, openParts(invoice)) : 0n;
}

/** The reminder in its wire form. An unsent reminder shows `dropped` while there is no amount to ask for. */
export function reminderToWire(row: ReminderRow, invoice: InvoiceRow): InvoiceReminder {
  const isUnsent = row.status === 'planned' || row.status === 'paused';
  return {
    id: row.id,
    object: 'invoice_reminder',
    invoice: row.invoice_id,
    status: isUnsent && owedAt(row, invoice) === 0n ? 'dropped' : row.status,
    due_date: row.due_date,
    offset_days: row.offset_days,
    remind_at: row.remind_at.toISOString(),
    sent_at: row.sent_at?.toISOString() ?? null,
    amount: row.amount === null ? null : Number(row.amount),
    livemode: row.livemode,
  };
}
