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

/** Batches that are written at the same time: while the database writes one, the next is prepared. */
const batchesAtOnce = 3;

/** Rounds of a look, so that a server that is stopped need not wait long. */
const mostRounds = 8;

/**
 * Claims batches one after the other, because claims at the same time find the same rows, and writes them at the same
 * time. Returns the number of reminders.
 */
async function remindAll(deps: ReminderDeps): Promise<number> {
  let sum = 0;
  for (let round = 0; round < mostRounds; round++) {
    const { batches, more } = await claimBatches(deps);
    const writes = batches.map(due => writeBatch(deps, due));
    // The look is over when all are written, and fails when one has failed.
    await Promise.allSettled(writes);
    await Promise.all(writes);
    sum += batches.flat().length;
    if (!more) break;
  }
  return sum;
}

/** The next batches; `more`: the last one was full. */
async function claimBatches(deps: ReminderDeps) {
  const batches: (readonly DueReminder[])[] = [];
  while (batches.length < batchesAtOnce) {
    const due = await claimReminders(deps.db, deps.clock.now(), batchSize);
    batches.push(due);
    if (due.length < batchSize) return { batches, more: false };
  }
  return { batches, more: true };
}

/** Writes a batch in one transaction for each merchant. */
async function writeBatch(deps: ReminderDeps, due: readonly DueReminder[]): Promise<void> {
  for (const claimed of Map.groupBy(due, ({ merchant_id }) => merchant_id).values()) {
    await remindMerchant(deps, claimed);
  }
  if (due.length > 0) {
    deps.wake(mailSweep);
    deps.wake(dispatchSweep);
  }
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
