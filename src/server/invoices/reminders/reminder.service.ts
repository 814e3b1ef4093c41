import { addSeconds } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import { stringsFor } from '../../../core/locale/string-tables.ts';
import { findMerchant } from '../../merchants/merchant.store.ts';
import type { Executor, Tx } from '../../platform/db/database.ts';
import { insertOf, type Write } from '../../platform/db/rows.ts';
import { type Planned, planChange, planned, writeChanges } from '../../platform/events/change.ts';
import { dispatchSweep } from '../../platform/events/outbox.ts';
import type { Sweep } from '../../platform/jobs/sweeper.ts';
import { mailSweep } from '../../platform/mail/mail.jobs.ts';
import { assertEmail, type NewMail, queueMails } from '../../platform/mail/mail.ts';
import { scopeKeyOf } from '../../platform/merchant.ts';
import { type Actor, invoiceResource, lockInvoice, readInvoice } from '../invoice.store.ts';
import { isPayable, remainingOf } from '../invoice.ts';
import {
  hostedInvoiceUrl,
  type InvoiceDeps,
  type InvoiceRow,
  type InvoiceViewContext,
  todayOf,
} from '../invoice.view.ts';
import { type MailedInvoice, reminderMail } from '../notifications/invoice-mail-text.ts';
import { addresseeOf, type MailMoment, mailKey } from '../notifications/invoice-notifications.ts';
import {
  claimReminders,
  type DueReminder,
  endReminders,
  findPassed,
  insertSentReminder,
  lastReminded,
  lockClaimed,
  lockInvoices,
  putOffReminder,
  type ReminderRow,
  reminderRows,
  skipNextReminder,
  stepReminders,
  waitingReminders,
} from './reminder.store.ts';
import { leftBy, openParts, owedAt, planReminders, remindedPart, reminderToWire } from './reminder.ts';

/** An invoice after its sending, and the time of the sending on its merchant's clock. */
interface SentInvoice {
  readonly row: InvoiceRow;
  readonly timezone: string;
  readonly now: Date;
}

/** The insert of the reminders of sent invoices. Part of the transaction that sends them. Null without reminders. */
export async function reminderInsert(db: Executor, sent: readonly SentInvoice[]): Promise<Write | null> {
  const rows = sent.flatMap(({ row, timezone, now }) => {
    if (!row.reminders.enabled || addresseeOf(row) === null) return [];
    const plan = planReminders({
      dueDates: openParts(row).map(({ dueDate }) => dueDate),
      offsetsDays: row.reminders.offsets_days,
      timezone,
      after: now,
    });
    return reminderRows(row, plan);
  });
  return await insertOf(db, 'invoice_reminders', rows);
}

type SweepDeps = InvoiceViewContext & Pick<InvoiceDeps, 'db' | 'clock' | 'log' | 'wake'>;

/** The sweep that queues mails of due reminders. Several servers may run it at the same time. */
export function createReminderSweep(deps: SweepDeps): Sweep {
  return { name: 'invoices.remind', due: [waitingReminders], run: () => remindAll(deps) };
}

/** The largest number of reminders in a batch. The limit keeps each statement short. */
const batchSize = 500;

/** Number of batches written at the same time. The service prepares a batch while the database writes another. */
const batchesAtOnce = 3;

/** Maximum rounds of a run. The limit lets a server stop soon. */
const mostRounds = 8;

/**
 * Claims batches one after another, because concurrent claims would find the same rows. Writes batches at the same
 * time. Returns the number of reminders.
 */
async function remindAll(deps: SweepDeps): Promise<number> {
  let sum = 0;
  for (let round = 0; round < mostRounds; round++) {
    const { batches, more } = await claimBatches(deps);
    const writes = batches.map(due => writeBatch(deps, due));
    // Wait for all batches before throwing the error of one batch.
    await Promise.allSettled(writes);
    await Promise.all(writes);
    sum += batches.flat().length;
    if (!more) break;
  }
  return sum;
}

/** The next batches. `more`: the last batch was full, so more reminders may be due. */
async function claimBatches(deps: SweepDeps) {
  const batches: (readonly DueReminder[])[] = [];
  while (batches.length < batchesAtOnce) {
    const due = await claimReminders(deps.db, deps.clock.now(), batchSize);
    batches.push(due);
    if (due.length < batchSize) return { batches, more: false };
  }
  return { batches, more: true };
}

/** Writes a batch in one transaction for each merchant and mode. */
async function writeBatch(deps: SweepDeps, due: readonly DueReminder[]): Promise<void> {
  for (const claimed of Map.groupBy(due, scopeKeyOf).values()) await remindMerchant(deps, claimed);
  if (due.length > 0) for (const sweep of [mailSweep, dispatchSweep]) deps.wake(sweep);
}

/**
 * Writes the reminders of one merchant and mode. If the batch fails, writes them one by one, so that a faulty reminder does not
 * delay other reminders.
 */
async function remindMerchant(deps: SweepDeps, claimed: readonly DueReminder[]): Promise<void> {
  try {
    await deps.db.transaction().execute(tx => remind(tx, deps, claimed));
  } catch (error) {
    deps.log.warn({ err: error }, 'a batch of reminders failed; they are sent one by one');
    for (const reminder of claimed) await remindAlone(deps, reminder);
  }
}

async function remindAlone(deps: SweepDeps, claimed: DueReminder): Promise<void> {
  try {
    await deps.db.transaction().execute(tx => remind(tx, deps, [claimed]));
  } catch (error) {
    const { id: reminder, invoice_id: invoice, merchant_id: merchantId } = claimed;
    deps.log.error({ err: error, reminder, invoice, merchantId }, 'a reminder could not be sent and is postponed');
    await putOffReminder(deps.db, claimed);
  }
}

/** Writes claimed reminders of one merchant and mode. */
async function remind(tx: Tx, context: InvoiceViewContext, claimed: readonly DueReminder[]): Promise<void> {
  const merchantId = claimed[0]?.merchant_id ?? '';
  const ids = claimed.map(({ invoice_id }) => invoice_id);
  const invoices = await lockInvoices(tx, merchantId, ids);
  const due = await lockClaimed(tx, claimed);
  const merchant = await findMerchant(tx, merchantId);
  const passed = await findPassed(tx, merchantId, ids, claimed[0]?.clock ?? new Date(0));
  const cases = due.map(reminder => {
    const row = invoices.get(reminder.invoice_id);
    // Sent invoices and merchants are never deleted, so a missing row is a fault of the service.
    if (row === undefined || merchant === null) throw new Error(`reminder ${reminder.id} has no invoice`);
    const isOutdated = (passed.get(row.id) ?? []).some(other => replaces(other, reminder, row));
    return { reminder, row, merchant, now: reminder.clock, isOutdated };
  });
  await writeReminders(tx, context, cases);
}

/**
 * Whether another reminder of the invoice makes this one unnecessary. The other one was sent, or is due too. After an
 * outage, customers get only the latest reminder. Of two reminders for the same moment, the one with the later due date
 * has the higher amount and stays.
 */
function replaces(other: ReminderRow, reminder: ReminderRow, row: InvoiceRow): boolean {
  const isSame = other.remind_at.getTime() === reminder.remind_at.getTime();
  const isLater = isSame ? other.due_date > reminder.due_date : other.remind_at > reminder.remind_at;
  return isLater && (other.status === 'sent' || leftBy(other.due_date, openParts(row)) > 0n);
}

/** A due reminder of a locked invoice. */
interface ReminderCase extends MailMoment {
  /** Whether a later reminder replaces this one. */
  readonly isOutdated?: boolean;
  readonly reminder: ReminderRow;
  readonly row: InvoiceRow;
  /** The address that replaces the customer's address. */
  readonly email?: string | undefined;
}

/** A due reminder and its new row. */
interface EndedCase extends ReminderCase {
  readonly end: ReminderRow;
}

/**
 * Writes due reminders in their new state, and the mails and events of sent reminders. The number of statements does
 * not depend on the number of reminders.
 */
async function writeReminders(tx: Tx, context: InvoiceViewContext, cases: readonly ReminderCase[]): Promise<void> {
  const ended = cases.map(entry => ({ ...entry, end: endOf(entry) }));
  const sent = ended.filter(({ end }) => end.status === 'sent');
  const plans = new Map<string, Planned<InvoiceRow>>();
  for (const { row, end, now } of sent) {
    const event = { type: 'invoice.reminder_sent', fields: { reminder: reminderToWire(end, row) } } as const;
    const plan = plans.get(row.id) ?? planned(row);
    plans.set(row.id, planChange(invoiceResource, context, plan, { events: [event], now }));
  }
  await endReminders(
    tx,
    ended.map(({ end }) => end),
  );
  await writeChanges(tx, invoiceResource, [...plans.values()]);
  await queueMails(tx, await mailsOf(context, sent));
}

/** The new row of a due reminder. Dropped: no amount is due or no address is known. Skipped: paused or replaced. */
function endOf({ reminder, row, now, email, isOutdated = false }: ReminderCase): ReminderRow {
  const address = email ?? addresseeOf(row);
  const amount = owedAt(reminder, row);
  const unsent = { ...reminder, sent_at: null, amount: null, sent_to: null };
  if (amount === 0n || address === null) return { ...unsent, status: 'dropped' };
  if (reminder.status === 'paused' || isOutdated) return { ...unsent, status: 'skipped' };
  return { ...reminder, status: 'sent', sent_at: now, amount, sent_to: address };
}

/** The mails of sent reminders. Loads texts once per language, because a batch has many mails. */
async function mailsOf(context: InvoiceViewContext, sent: readonly EndedCase[]): Promise<NewMail[]> {
  const mails: NewMail[] = [];
  for (const [locale, group] of Map.groupBy(sent, ({ row }) => row.locale)) {
    const strings = await stringsFor('mail', locale);
    mails.push(
      ...group.map(entry => mailOf(entry, { ...entry, strings, payUrl: hostedInvoiceUrl(context, entry.row) })),
    );
  }
  return mails;
}

function mailOf({ row, merchant, now, end }: EndedCase, invoice: MailedInvoice): NewMail {
  return {
    ...reminderMail(invoice, remindedPart(row, end.due_date, end.amount ?? 0n, now)),
    merchantId: row.merchant_id,
    livemode: row.livemode,
    now,
    replyTo: merchant.supportEmail,
    resource: { type: 'invoice', id: row.id },
    dedupeKey: mailKey.reminder(end.id),
    to: { name: row.customer.name, email: end.sent_to ?? '' },
    attachments: [{ kind: 'reminder', id: end.id }],
  };
}

/** Minimum seconds between two reminders of an invoice to one address. A repeated request then sends only one mail. */
const quietSeconds = 300;

/**
 * Sends a reminder of the next due or overdue amount now, whatever the plan says. Throws PayError `resource_missing` or
 * `invalid_email`. Throws `illegal_state` if no amount is due or no address is known. Throws `reminded_already` within
 * five minutes of a reminder to the same address.
 */
export async function remindNow(
  tx: Tx,
  context: InvoiceViewContext,
  { merchant, livemode, now }: Actor,
  invoiceId: string,
  email: string | undefined,
): Promise<InvoiceRow> {
  if (email !== undefined) assertEmail(email, 'email');
  const row = await lockInvoice(tx, { merchantId: merchant.id, invoiceId, livemode });
  assertOwed(row);
  const address = email ?? addresseeOf(row);
  if (address === null) {
    throw new PayError('illegal_state', 'The invoice has no e-mail address. Give one in email.', { param: 'email' });
  }
  // The invoice is locked, so of concurrent requests only the first sends a reminder.
  assertQuiet(await lastReminded(tx, row, address), now);
  const today = todayOf(row, now) ?? '';
  const open = openParts(row).filter(({ left }) => left > 0n);
  const part = open.findLast(({ dueDate }) => dueDate <= today) ?? open[0];
  if (part === undefined)
    throw new PayError('illegal_state', 'The invoice has no due date, so there is no reminder to send.');
  const reminder = await insertSentReminder(tx, {
    merchant_id: merchant.id,
    invoice_id: row.id,
    livemode: row.livemode,
    due_date: part.dueDate,
    remind_at: now,
    sent_at: now,
    amount: null,
    sent_to: null,
  });
  await writeReminders(tx, context, [{ reminder, row, merchant, now, email }]);
  return row;
}

function assertOwed(row: InvoiceRow): void {
  if (isPayable(row.status) && remainingOf(row) > 0n) return;
  throw new PayError('illegal_state', `The invoice is ${row.status}, so there is no reminder to send.`);
}

function assertQuiet(last: Date | null, now: Date): void {
  if (last === null) return;
  const waitSeconds = (addSeconds(last, quietSeconds).getTime() - now.getTime()) / 1000;
  if (waitSeconds <= 0) return;
  const message = 'This address was reminded of the invoice less than five minutes ago. Nothing was sent.';
  throw new PayError('reminded_already', message, { retryAfterSeconds: Math.min(waitSeconds, quietSeconds) });
}

/** Steps that a merchant may take on the planned reminders of an invoice. */
export type ReminderStep = 'pause' | 'resume' | 'skip';

/**
 * Applies a step to the planned reminders. `pause` stops them. `resume` continues, but skips reminders whose time has
 * passed. `skip` omits the next reminder. Throws PayError `resource_missing`, and `illegal_state` if no amount is due
 * or no reminder is planned. Locks only the reminders that it changes. Returns the invoice.
 */
export async function stepPlan(tx: Tx, actor: Actor, invoiceId: string, step: ReminderStep): Promise<InvoiceRow> {
  const row = await readInvoice(tx, actor, invoiceId);
  assertOwed(row);
  const { now } = actor;
  switch (step) {
    case 'pause':
      await stepReminders(tx, row, { from: 'planned', to: 'paused' });
      return row;
    case 'resume':
      await stepReminders(tx, row, { from: 'paused', to: 'skipped', until: now });
      await stepReminders(tx, row, { from: 'paused', to: 'planned' });
      return row;
    case 'skip':
      if (await skipNextReminder(tx, row)) return row;
      throw new PayError('illegal_state', 'No reminder of this invoice is planned.');
  }
}
