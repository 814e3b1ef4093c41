import type { Clock } from '../../../core/clock.ts';
import type { Db, Tx } from '../../db/database.ts';
import { dispatchSweep } from '../../events/outbox.ts';
import type { Sweep } from '../../jobs/sweeper.ts';
import { mailSweep } from '../../mail/mail.jobs.ts';
import { findMerchants } from '../../merchants/merchant.store.ts';
import type { InvoiceRow, InvoiceViewContext } from '../invoice.view.ts';
import { addresseeOf } from '../letters/invoice-letters.ts';
import { insertReminders, lockDueReminders, lockInvoices } from './reminder.store.ts';
import { planReminders } from './reminder.ts';
import { openParts, ReminderBatch } from './reminder-batch.ts';

/** What reminding needs. */
export interface ReminderDeps extends InvoiceViewContext {
  readonly db: Db;
  readonly clock: Clock;
  readonly wake: (sweep: string) => void;
}

/** The sweep that reminds. */
export const reminderSweep = 'invoices.remind';

/** Largest number of reminders in a transaction, whose statements are the same few: small enough that none of them takes long. */
const batchSize = 1_000;

/** Finds the reminders whose hour has come and puts their mails into the outbox, whatever the number of servers that look. */
export function createReminderSweep(deps: ReminderDeps): Sweep {
  return { name: reminderSweep, everyMs: 5_000, run: () => remindAll(deps) };
}

/** Keeps the reminders of an invoice that is being sent, in the transaction that sends it. `now`: the merchant's clock. */
export async function planInvoiceReminders(tx: Tx, row: InvoiceRow, timezone: string, now: Date): Promise<void> {
  if (!row.reminders.enabled || addresseeOf(row) === null) return;
  const plan = planReminders({
    dueDates: openParts(row).map(({ dueDate }) => dueDate),
    offsetsDays: row.reminders.offsets_days,
    ...{ timezone, after: now },
  });
  await insertReminders(tx, { merchantId: row.merchant_id, invoiceId: row.id, livemode: row.livemode }, plan);
}

/** Transactions beside each other when there is more to do than one of them takes: while the database writes one, the next is written here. */
const beside = 3;

/** Where one batch was full there are more: they are done beside each other, each with rows of its own. */
async function remindAll(deps: ReminderDeps): Promise<number> {
  const first = await remindDue(deps);
  if (first < batchSize) return first;
  const more = await Promise.all(Array.from({ length: beside }, () => remindDue(deps)));
  return more.reduce((sum, count) => sum + count, first);
}

/**
 * One batch: its reminders are locked, so no other server has them, and are sent or dropped in the transaction that writes
 * mail and event. What was missed while no server ran is still planned, and so is found.
 */
async function remindDue(deps: ReminderDeps): Promise<number> {
  const count = await deps.db.transaction().execute(async tx => {
    const due = await lockDueReminders(tx, deps.clock.now(), batchSize);
    if (due.length === 0) return 0;
    const invoices = await lockInvoices(tx, due);
    const merchants = await findMerchants(tx, [...new Set(due.map(({ merchant_id }) => merchant_id))]);
    const batch = await ReminderBatch.begin(deps, invoices.values());
    for (const reminder of due) {
      const row = invoices.get(reminder.invoice_id);
      const merchant = merchants.get(reminder.merchant_id);
      if (row === undefined || merchant === undefined) batch.drop(reminder);
      else batch.add({ reminder, row, merchant, now: reminder.clock });
    }
    await batch.write(tx);
    return due.length;
  });
  if (count > 0) {
    deps.wake(mailSweep);
    deps.wake(dispatchSweep);
  }
  return count;
}
