import type { Clock } from '../../../core/clock.ts';
import { findMerchants } from '../../merchants/merchant.store.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { dispatchSweep } from '../../platform/events/outbox.ts';
import type { Log, Sweep } from '../../platform/jobs/sweeper.ts';
import { mailSweep } from '../../platform/mail/mail.jobs.ts';
import type { InvoiceRow, InvoiceViewContext } from '../invoice.view.ts';
import { addresseeOf } from '../letters/invoice-letters.ts';
import { type DueReminder, insertReminders, lockDueReminders, lockInvoices, putOffReminder } from './reminder.store.ts';
import { planReminders } from './reminder.ts';
import { openParts, ReminderBatch } from './reminder-batch.ts';

/** What reminding needs. */
export interface ReminderDeps extends InvoiceViewContext {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly wake: (sweep: string) => void;
}

/** The sweep that reminds. */
export const reminderSweep = 'invoices.remind';

/** Largest number of reminders in a transaction, whose statements are the same few: small enough that none of them takes long. */
const batchSize = 500;

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

/** Batches one after the other, so that a look ends at some time and a server that is stopped need not wait long. */
const mostInTurn = 8;

/** When the first batch is found to be full there are more: they are done beside it, each with rows of its own. */
async function remindAll(deps: ReminderDeps): Promise<number> {
  const { promise: isFull, resolve: found } = Promise.withResolvers<boolean>();
  const first = remindInTurn(deps, due => found(due >= batchSize)).finally(() => found(false));
  const others = Array.from({ length: beside - 1 }, async () => ((await isFull) ? await remindInTurn(deps) : 0));
  // The look is over when all are, and fails when one has failed.
  const lanes = [first, ...others];
  await Promise.allSettled(lanes);
  return (await Promise.all(lanes)).reduce((sum, count) => sum + count, 0);
}

/** Batch after batch, until one was not full. `found`: told how many each has, before it writes them. */
async function remindInTurn(deps: ReminderDeps, found?: (due: number) => void): Promise<number> {
  let sum = 0;
  for (let turn = 0; turn < mostInTurn; turn++) {
    const count = await remindDue(deps, found);
    sum += count;
    if (count < batchSize) break;
  }
  return sum;
}

/**
 * One batch. When it fails its reminders are written one by one, so that one that cannot be written holds up no other, of
 * whatever merchant.
 */
async function remindDue(deps: ReminderDeps, found?: (due: number) => void): Promise<number> {
  const count = await remindTogether(deps, found).catch(async error => {
    deps.log.warn({ err: error }, 'a batch of reminders failed: they are written one by one');
    return await remindApart(deps);
  });
  if (count > 0) {
    deps.wake(mailSweep);
    deps.wake(dispatchSweep);
  }
  return count;
}

async function remindTogether(deps: ReminderDeps, found?: (due: number) => void): Promise<number> {
  return await deps.db.transaction().execute(async tx => {
    const due = await lockDueReminders(tx, deps.clock.now(), batchSize);
    found?.(due.length);
    await remind(tx, deps, due);
    return due.length;
  });
}

async function remindApart(deps: ReminderDeps): Promise<number> {
  let count = 0;
  while (count < batchSize && (await remindNext(deps))) count++;
  return count;
}

/** Writes the reminder that is due first, or puts it off when it cannot be written; false when none is due. */
async function remindNext(deps: ReminderDeps): Promise<boolean> {
  const taken: DueReminder[] = [];
  try {
    await deps.db.transaction().execute(async tx => {
      taken.push(...(await lockDueReminders(tx, deps.clock.now(), 1)).slice(0, 1));
      await remind(tx, deps, taken);
    });
  } catch (error) {
    const [failed] = taken;
    if (failed === undefined) throw error;
    const { id: reminder, invoice_id: invoice, merchant_id: merchantId } = failed;
    deps.log.error({ err: error, reminder, invoice, merchantId }, 'a reminder could not be written and is put off');
    await putOffReminder(deps.db, failed);
  }
  return taken.length > 0;
}

/**
 * Writes reminders that the transaction holds locked, so that no other server has them: each is sent or dropped with its mail
 * and event. What was missed while no server ran is still planned, and so is found.
 */
async function remind(tx: Tx, deps: ReminderDeps, due: readonly DueReminder[]): Promise<void> {
  if (due.length === 0) return;
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
}
