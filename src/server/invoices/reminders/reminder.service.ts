import type { Clock } from '../../../core/clock.ts';
import { findMerchant } from '../../merchants/merchant.store.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { dispatchSweep } from '../../platform/events/outbox.ts';
import type { Log, Sweep } from '../../platform/jobs/sweeper.ts';
import { mailSweep } from '../../platform/mail/mail.jobs.ts';
import type { InvoiceRow, InvoiceViewContext } from '../invoice.view.ts';
import { addresseeOf } from '../notifications/invoice-notifications.ts';
import {
  claimReminders,
  type DueReminder,
  insertReminders,
  lockClaimed,
  lockInvoices,
  putOffReminder,
} from './reminder.store.ts';
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

/** Finds due reminders and puts their mails into the outbox; any number of servers may run it. */
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

/** Parallel lanes when one batch is not enough: while the database writes one, the next is prepared. */
const beside = 3;

/** Batches one after the other, so that a look ends at some time and a server that is stopped need not wait long. */
const mostInTurn = 8;

/** A full first batch starts the other lanes, each with rows of its own. */
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

/** Claims one batch and writes it, one transaction a merchant. */
async function remindDue(deps: ReminderDeps, found?: (due: number) => void): Promise<number> {
  const due = await claimReminders(deps.db, deps.clock.now(), batchSize);
  found?.(due.length);
  for (const claimed of Map.groupBy(due, ({ merchant_id }) => merchant_id).values()) {
    await remindMerchant(deps, claimed);
  }
  if (due.length > 0) {
    deps.wake(mailSweep);
    deps.wake(dispatchSweep);
  }
  return due.length;
}

/** When the batch fails, its reminders are written one by one, so that a faulty one delays no other. */
async function remindMerchant(deps: ReminderDeps, claimed: readonly DueReminder[]): Promise<void> {
  try {
    await deps.db.transaction().execute(tx => remind(tx, deps, claimed));
  } catch (error) {
    deps.log.warn({ err: error }, 'a batch of reminders failed: they are written one by one');
    for (const reminder of claimed) await remindAlone(deps, reminder);
  }
}

async function remindAlone(deps: ReminderDeps, claimed: DueReminder): Promise<void> {
  try {
    await deps.db.transaction().execute(tx => remind(tx, deps, [claimed]));
  } catch (error) {
    const { id: reminder, invoice_id: invoice, merchant_id: merchantId } = claimed;
    deps.log.error({ err: error, reminder, invoice, merchantId }, 'a reminder could not be written and is put off');
    await putOffReminder(deps.db, claimed);
  }
}

/**
 * Writes claimed reminders of a merchant: each is sent or dropped with its mail and event. Reminders that fell due while no
 * server ran are still planned, so they are found.
 */
async function remind(tx: Tx, deps: ReminderDeps, claimed: readonly DueReminder[]): Promise<void> {
  const merchantId = claimed[0]?.merchant_id ?? '';
  const invoices = await lockInvoices(
    tx,
    merchantId,
    claimed.map(({ invoice_id }) => invoice_id),
  );
  const due = await lockClaimed(tx, claimed);
  const merchant = await findMerchant(tx, merchantId);
  const batch = await ReminderBatch.begin(deps, invoices.values());
  for (const reminder of due) {
    const row = invoices.get(reminder.invoice_id);
    if (row === undefined || merchant === null) batch.drop(reminder);
    else batch.add({ reminder, row, merchant, now: reminder.clock });
  }
  await batch.write(tx);
}
