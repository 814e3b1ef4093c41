import { sql } from 'kysely';
import { addSeconds } from '../../../core/clock.ts';
import { newId } from '../../../core/id.ts';
import type { Db, Executor, Tx } from '../../platform/db/database.ts';
import { claimDue, type DueWork, moveDue } from '../../platform/db/lease.ts';
import { findRow, updateRows } from '../../platform/db/rows.ts';
import type { OverdueWork } from '../../platform/overdue.ts';
import type { InvoiceRow } from '../invoice.view.ts';
import type { ReminderRow } from '../tables.ts';
import { type PlannedReminder, type ReminderStatus, reminderMachine } from './reminder.ts';

export type { ReminderRow } from '../tables.ts';

type InvoiceId = Pick<InvoiceRow, 'merchant_id' | 'id'>;

/** The rows of an invoice's planned reminders. */
export function reminderRows({ merchant_id, id, livemode }: InvoiceRow, plan: readonly PlannedReminder[]) {
  return plan.map(({ dueDate, offsetDays, at }) => ({
    merchant_id,
    id: newId('reminder'),
    invoice_id: id,
    livemode,
    status: 'planned',
    due_date: dueDate,
    offset_days: offsetDays,
    remind_at: at,
    due_at: at,
  }));
}

/** A due reminder, and the current time on its merchant's clock. */
export type DueReminder = ReminderRow & { readonly clock: Date };

/** Unsent reminders. `due_at` is one of three times: `remind_at`, the end of a claim, or the next attempt. */
export const waitingReminders: DueWork = {
  table: 'invoice_reminders',
  key: ['merchant_id', 'id'],
  dueAt: 'due_at',
  clock: 'merchant',
  where: sql`t.status in ('planned', 'paused')`,
};
/** Seconds of the lease of claimed reminders: longer than writing a batch takes. */
const leaseSeconds = 60;

export async function claimReminders(db: Db, now: Date, limit: number): Promise<readonly DueReminder[]> {
  return await claimDue<ReminderRow>(db, waitingReminders, { now, limit, leaseSeconds });
}

/** Locks claimed reminders of a merchant and mode, and returns their current rows. Omits reminders whose claim has ended. */
export async function lockClaimed(tx: Tx, claimed: readonly DueReminder[]): Promise<DueReminder[]> {
  const [first] = claimed;
  if (first === undefined) return [];
  const { merchant_id: merchantId, clock, due_at: dueAt } = first;
  const rows = await tx
    .selectFrom('invoice_reminders')
    .selectAll()
    .where('merchant_id', '=', merchantId)
    .where('id', '=', sql<string>`any(${claimed.map(({ id }) => id)}::text[])`)
    .where('due_at', '=', dueAt)
    .where('status', 'in', ['planned', 'paused'])
    .orderBy('remind_at')
    .orderBy('id')
    .forUpdate()
    .execute();
  return rows.map(row => ({ ...row, clock }));
}

/** Locks invoices of the merchant and returns them by id. The order of ids prevents deadlocks. */
export async function lockInvoices(
  tx: Tx,
  merchantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, InvoiceRow>> {
  const rows = await tx
    .selectFrom('invoices')
    .selectAll()
    .where('merchant_id', '=', merchantId)
    .where('id', '=', sql<string>`any(${[...new Set(ids)]}::text[])`)
    .orderBy('id')
    .forUpdate()
    .execute();
  return new Map(rows.map(row => [row.id, row]));
}

/** The reminders of locked invoices that are due by `now` or were sent, by invoice. */
export async function findPassed(
  tx: Tx,
  merchantId: string,
  invoiceIds: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, readonly ReminderRow[]>> {
  const rows = await tx
    .selectFrom('invoice_reminders')
    .selectAll()
    .where('merchant_id', '=', merchantId)
    .where('invoice_id', '=', sql<string>`any(${[...new Set(invoiceIds)]}::text[])`)
    .where('status', 'in', ['planned', 'sent'])
    .where('remind_at', '<=', now)
    .execute();
  return Map.groupBy(rows, row => row.invoice_id);
}

/** Writes the new state of locked reminders. */
export async function endReminders(tx: Tx, rows: readonly ReminderRow[]): Promise<void> {
  const columns = ['status', 'sent_at', 'amount', 'sent_to'];
  await updateRows(tx, { table: 'invoice_reminders', key: ['merchant_id', 'id'], columns, rows });
}

const firstPauseSeconds = 60;
const longestPauseSeconds = 86_400;

/**
 * Delays a claimed reminder whose writing failed. The first delay is a minute; each further delay is four times as
 * long, up to a day.
 */
export async function putOffReminder(db: Executor, claimed: DueReminder): Promise<void> {
  const pauseSeconds = Math.min(firstPauseSeconds * 4 ** Math.min(claimed.failures, 10), longestPauseSeconds);
  const to = addSeconds(claimed.clock, pauseSeconds);
  await moveDue(db, waitingReminders, claimed, { to, set: sql`failures = failures + 1` });
}

/** Inserts the sent reminder that a merchant requested. */
export async function insertSentReminder(
  tx: Tx,
  row: Omit<ReminderRow, 'id' | 'status' | 'offset_days' | 'failures' | 'due_at'>,
): Promise<ReminderRow> {
  return await tx
    .insertInto('invoice_reminders')
    .values({ ...row, id: newId('reminder'), status: 'sent', offset_days: null, due_at: row.remind_at })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The time of the last reminder of the invoice to the address, or null. */
export async function lastReminded(db: Executor, invoice: InvoiceId, email: string): Promise<Date | null> {
  const row = await remindersOf(db, invoice)
    .select(query => query.fn.max('sent_at').as('at'))
    .where(query => query.fn('lower', ['sent_to']), '=', email.toLowerCase())
    .executeTakeFirst();
  return row?.at ?? null;
}

/** All reminders of an invoice, in the order of the list endpoint. */
export async function allReminders(db: Executor, invoice: InvoiceId): Promise<ReminderRow[]> {
  return await remindersOf(db, invoice).selectAll().orderBy('remind_at', 'desc').orderBy('id', 'desc').execute();
}

function remindersOf(db: Executor, { merchant_id: merchantId, id }: InvoiceId) {
  return db.selectFrom('invoice_reminders').where('merchant_id', '=', merchantId).where('invoice_id', '=', id);
}

/** The reminder, or null if the merchant has no reminder with this id. */
export async function findReminder(db: Executor, merchantId: string, id: string): Promise<ReminderRow | null> {
  return await findRow(db, 'invoice_reminders', { merchant_id: merchantId, id });
}

/** A status change of an invoice's reminders. With `until`, only reminders planned up to that time change. */
interface PlanStep {
  readonly from: ReminderStatus;
  readonly to: ReminderStatus;
  readonly until?: Date;
}

/** Changes the status of an invoice's reminders. */
export async function stepReminders(tx: Tx, invoice: InvoiceId, { from, to, until }: PlanStep): Promise<void> {
  if (!reminderMachine.can(from, to)) throw new Error(`no reminder goes from ${from} to ${to}`);
  const query = tx
    .updateTable('invoice_reminders')
    .set({ status: to })
    .where(eb => eb.and({ merchant_id: invoice.merchant_id, invoice_id: invoice.id }))
    .where('status', '=', from);
  await (until === undefined ? query : query.where('remind_at', '<=', until)).execute();
}

/** Skips the next planned or paused reminder. Returns false if no such reminder exists. */
export async function skipNextReminder(tx: Tx, invoice: InvoiceId): Promise<boolean> {
  const next = remindersOf(tx, invoice)
    .select('id')
    .where('status', 'in', reminderMachine.sourcesOf('skipped'))
    .orderBy('remind_at')
    .orderBy('id')
    .limit(1)
    .forUpdate();
  const { numUpdatedRows } = await tx
    .updateTable('invoice_reminders')
    .set({ status: 'skipped' })
    .where(eb => eb.and({ merchant_id: invoice.merchant_id, id: next }))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function findOverdueReminders(db: Executor, now: Date): Promise<OverdueWork[]> {
  const { rows } = await sql<OverdueWork>`
    select count(*)::int as count, min(remind_at) as since
    from invoice_reminders where status = 'planned' and remind_at <= ${now}`.execute(db);
  return rows;
}
