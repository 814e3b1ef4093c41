import { sql } from 'kysely';
import { addSeconds } from '../../../core/clock.ts';
import { newId } from '../../../core/id.ts';
import type { Db, Executor, Tx } from '../../platform/db/database.ts';
import { claimDue, type DueWork, moveDue } from '../../platform/db/lease.ts';
import { type Page, type PageRequest, readPage } from '../../platform/db/page.ts';
import { insertRows, updateRows } from '../../platform/db/rows.ts';
import type { OverdueWork } from '../../platform/overdue.ts';
import type { InvoiceRow } from '../invoice.view.ts';
import type { ReminderRow } from '../tables.ts';
import { type PlannedReminder, type ReminderStatus, reminderMachine } from './reminder.ts';

export type { ReminderRow } from '../tables.ts';

/** Whose reminders. */
export interface ReminderScope {
  readonly merchantId: string;
  readonly invoiceId: string;
}

/** Keeps what is planned of an invoice. */
export async function insertReminders(
  tx: Tx,
  { merchantId, invoiceId, livemode }: ReminderScope & { readonly livemode: boolean },
  plan: readonly PlannedReminder[],
): Promise<void> {
  const rows = plan.map(({ dueDate, offsetDays, at }) => ({
    ...{ merchant_id: merchantId, id: newId('reminder'), invoice_id: invoiceId, livemode, status: 'planned' },
    ...{ due_date: dueDate, offset_days: offsetDays, remind_at: at, due_at: at },
  }));
  await insertRows(tx, 'invoice_reminders', rows);
}

/** A reminder whose hour has come, and the present moment of its merchant. */
export type DueReminder = ReminderRow & { readonly clock: Date };

/** Reminders that are still to be sent. `due_at` is `remind_at`, or the end of a claim, or the next try. */
const waitingReminders: DueWork = {
  ...{ table: 'invoice_reminders', key: ['merchant_id', 'id'], dueAt: 'due_at', clock: 'merchant' },
  where: sql`t.status in ('planned', 'paused')`,
};
/** Longer than a batch takes, in seconds. */
const leaseSeconds = 60;

/** Claims reminders that are due. */
export async function claimReminders(db: Db, now: Date, limit: number): Promise<readonly DueReminder[]> {
  return await claimDue<ReminderRow>(db, waitingReminders, { now, limit, leaseSeconds });
}

/** Locks claimed reminders of a merchant and returns them as they are now, without those whose claim is over. */
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

/** Locks invoices of the merchant in one order, so that transactions never wait in a circle, and returns them by id. */
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

/** Counts events of the invoices, whose rows are locked. */
export async function countEvents(
  tx: Tx,
  rows: readonly Pick<InvoiceRow, 'merchant_id' | 'id' | 'event_sequence'>[],
): Promise<void> {
  await updateRows(tx, { table: 'invoices', key: ['merchant_id', 'id'], columns: ['event_sequence'], rows });
}

/** How a reminder ended. */
export type ReminderEnd = Pick<ReminderRow, 'merchant_id' | 'id' | 'status' | 'sent_at' | 'amount' | 'sent_to'>;

/** Notes how locked reminders ended. */
export async function endReminders(tx: Tx, rows: readonly ReminderEnd[]): Promise<void> {
  const columns = ['status', 'sent_at', 'amount', 'sent_to'];
  await updateRows(tx, { table: 'invoice_reminders', key: ['merchant_id', 'id'], columns, rows });
}

const firstHoldSeconds = 60;
const longestHoldSeconds = 86_400;

/** Puts off a claimed reminder that could not be written: a minute, then four times as long each time, up to a day. */
export async function putOffReminder(db: Executor, claimed: DueReminder): Promise<void> {
  const pauseSeconds = Math.min(firstHoldSeconds * 4 ** Math.min(claimed.failures, 10), longestHoldSeconds);
  const to = addSeconds(claimed.clock, pauseSeconds);
  await moveDue(db, waitingReminders, claimed, { to, set: sql`failures = failures + 1` });
}

/** Keeps a reminder that the merchant asked for, as sent. */
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

/** When the address was last reminded of the invoice; null: never. */
export async function lastReminded(
  db: Executor,
  { merchantId, invoiceId }: ReminderScope,
  email: string,
): Promise<Date | null> {
  const row = await db
    .selectFrom('invoice_reminders')
    .select(query => query.fn.max('sent_at').as('at'))
    .where('merchant_id', '=', merchantId)
    .where('invoice_id', '=', invoiceId)
    .where(query => query.fn('lower', ['sent_to']), '=', email.toLowerCase())
    .executeTakeFirst();
  return row?.at ?? null;
}

/** A page of the reminders of an invoice, those of the latest hour first. */
export async function listReminders(
  db: Executor,
  { merchantId, invoiceId, livemode }: ReminderScope & { readonly livemode: boolean },
  request: PageRequest,
): Promise<Page<ReminderRow>> {
  const list = { table: 'invoice_reminders' as const, moment: 'remind_at', only: { invoice_id: invoiceId } };
  return await readPage(db, { ...list, merchantId, livemode }, request);
}

/** All reminders of an invoice, in the order of their list. */
export async function allReminders(db: Executor, { merchantId, invoiceId }: ReminderScope): Promise<ReminderRow[]> {
  return await db
    .selectFrom('invoice_reminders')
    .selectAll()
    .where('merchant_id', '=', merchantId)
    .where('invoice_id', '=', invoiceId)
    .orderBy('remind_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** The reminder, or null. */
export async function findReminder(db: Executor, merchantId: string, id: string): Promise<ReminderRow | null> {
  const row = await db
    .selectFrom('invoice_reminders')
    .selectAll()
    .where('merchant_id', '=', merchantId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

/** Takes a step with those reminders of an invoice that may take it and lie on the given side of `now`; returns how many. */
export async function stepReminders(
  tx: Tx,
  { merchantId, invoiceId }: ReminderScope,
  {
    from,
    to,
    hour,
  }: {
    readonly from: ReminderStatus;
    readonly to: ReminderStatus;
    readonly hour?: { readonly side: '<=' | '>'; readonly now: Date };
  },
): Promise<number> {
  if (!reminderMachine.can(from, to)) throw new Error(`no reminder goes from ${from} to ${to}`);
  let query = tx
    .updateTable('invoice_reminders')
    .set({ status: to })
    .where('merchant_id', '=', merchantId)
    .where('invoice_id', '=', invoiceId)
    .where('status', '=', from);
  if (hour !== undefined) query = query.where('remind_at', hour.side, hour.now);
  const { numUpdatedRows } = await query.executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** Skips the next reminder that is planned or paused; null when there is none. */
export async function skipNextReminder(tx: Tx, { merchantId, invoiceId }: ReminderScope): Promise<ReminderRow | null> {
  const row = await tx
    .updateTable('invoice_reminders')
    .set({ status: 'skipped' })
    .where('merchant_id', '=', merchantId)
    .where('id', '=', query =>
      query
        .selectFrom('invoice_reminders')
        .select('id')
        .where('merchant_id', '=', merchantId)
        .where('invoice_id', '=', invoiceId)
        .where('status', 'in', reminderMachine.sourcesOf('skipped'))
        .orderBy('remind_at')
        .orderBy('id')
        .limit(1)
        .forUpdate(),
    )
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Reminders that should have been written. */
export async function findOverdueReminders(db: Executor, now: Date): Promise<OverdueWork[]> {
  const { rows } = await sql<OverdueWork>`
    select count(*)::int as count, min(remind_at) as since
    from invoice_reminders where status = 'planned' and remind_at <= ${now}`.execute(db);
  return rows;
}
