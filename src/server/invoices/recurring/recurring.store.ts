import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db, Executor, Tx } from '../../platform/db/database.ts';
import { type DueWork, findDue } from '../../platform/db/lease.ts';
import { type Page, type PageRequest, readPage } from '../../platform/db/page.ts';
import type { OverdueWork } from '../../platform/overdue.ts';
import type { RecurringInvoicesTable, RecurringOccurrencesTable } from '../tables.ts';
import { issueMoment, type RecurringStatus, recurringMachine } from './recurrence.ts';

/** A recurring invoice as the database holds it. */
export type RecurringRow = Selectable<RecurringInvoicesTable>;

/** A day on which one was made, as the database holds it. */
export type OccurrenceRow = Selectable<RecurringOccurrencesTable>;

/** Which one is meant. */
export interface RecurringKey {
  readonly merchantId: string;
  readonly recurringId: string;
}

/** Whose they are, and of which mode. */
export interface RecurringScope {
  readonly merchantId: string;
  readonly livemode: boolean;
}

/** Keeps a new one. */
export async function insertRecurring(tx: Tx, values: Insertable<RecurringInvoicesTable>): Promise<RecurringRow> {
  return await tx.insertInto('recurring_invoices').values(values).returningAll().executeTakeFirstOrThrow();
}

/** The recurring invoice, or null. */
export async function findRecurring(db: Executor, key: RecurringKey): Promise<RecurringRow | null> {
  return (await select(db, key).executeTakeFirst()) ?? null;
}

/** As `findRecurring`, locked until the transaction ends. */
export async function lockRecurring(tx: Tx, key: RecurringKey): Promise<RecurringRow | null> {
  return (await select(tx, key).forUpdate().executeTakeFirst()) ?? null;
}

function select(db: Executor, { merchantId, recurringId }: RecurringKey) {
  return db
    .selectFrom('recurring_invoices')
    .selectAll()
    .where('merchant_id', '=', merchantId)
    .where('id', '=', recurringId);
}

/** A page of the merchant's. */
export async function listRecurring(db: Db, scope: RecurringScope, request: PageRequest): Promise<Page<RecurringRow>> {
  return await readPage(db, { table: 'recurring_invoices', ...scope }, request);
}

/** What is changed of a locked one; `status` only as the machine allows. */
export type RecurringChange = Partial<
  Pick<RecurringRow, 'status' | 'next_on' | 'next_at' | 'occurrences' | 'last_error'>
>;

/** Changes a recurring invoice that the transaction holds locked. */
export async function changeRecurring(tx: Tx, row: RecurringRow, change: RecurringChange): Promise<RecurringRow> {
  const to: RecurringStatus = change.status ?? row.status;
  return await tx
    .updateTable('recurring_invoices')
    .set({ id: row.id, ...change })
    .where('merchant_id', '=', row.merchant_id)
    .where('id', '=', row.id)
    .where('status', 'in', to === row.status ? [to] : [...recurringMachine.sourcesOf(to)])
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** One whose day has come, and the present moment of its merchant. */
export type DueRecurring = RecurringKey & { readonly livemode: boolean; readonly clock: Date };

const activeRecurring: DueWork = {
  ...{ table: 'recurring_invoices', key: ['merchant_id', 'id'], dueAt: 'next_at', clock: 'merchant' },
  where: sql`t.status = 'active' and t.next_at is not null`,
};

/** Finds recurring invoices whose day has come by their merchant's clock. */
export async function findDueRecurring(db: Db, now: Date, limit: number): Promise<readonly DueRecurring[]> {
  const columns = sql`t.merchant_id as "merchantId", t.id as "recurringId", t.livemode`;
  return await findDue(db, activeRecurring, { now, limit }, columns);
}

/** Notes that the invoice of a day was made; fails when that was noted before. */
export async function insertOccurrence(tx: Tx, row: OccurrenceRow): Promise<void> {
  await tx.insertInto('recurring_occurrences').values(row).execute();
}

/** An occurrence that waits to be sent, and the present moment of its merchant. */
export type UnsentOccurrence = RecurringKey & {
  readonly day: string;
  readonly invoiceId: string;
  readonly livemode: boolean;
  readonly clock: Date;
};

const unsentOccurrences: DueWork = {
  ...{
    table: 'recurring_occurrences',
    key: ['merchant_id', 'recurring_id', 'day'],
    dueAt: 'send_at',
    clock: 'merchant',
  },
  where: sql`t.send_at is not null`,
};

/** Finds occurrences that are to be sent now. */
export async function findUnsent(db: Db, now: Date, limit: number): Promise<readonly UnsentOccurrence[]> {
  const columns = sql`t.merchant_id as "merchantId", t.recurring_id as "recurringId", t.day, t.invoice_id as "invoiceId",
    t.livemode`;
  return await findDue(db, unsentOccurrences, { now, limit }, columns);
}

/** Sets when the occurrence is to be sent (again), or that it was (null), unless that was done; returns whether it was still to be sent. */
export async function moveSending(
  tx: Executor,
  { merchantId, recurringId, day }: RecurringKey & { readonly day: string },
  sendAt: Date | null,
): Promise<boolean> {
  const result = await tx
    .updateTable('recurring_occurrences')
    .set({ send_at: sendAt })
    .where('merchant_id', '=', merchantId)
    .where('recurring_id', '=', recurringId)
    .where('day', '=', day)
    .where('send_at', 'is not', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Whether one of its occurrences waits to be sent. */
export async function isUnsent(tx: Executor, { merchantId, recurringId }: RecurringKey): Promise<boolean> {
  const row = await tx
    .selectFrom('recurring_occurrences')
    .select('day')
    .where('merchant_id', '=', merchantId)
    .where('recurring_id', '=', recurringId)
    .where('send_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The newest occurrences, by their days. */
export async function listOccurrences(db: Db, { merchantId, recurringId }: RecurringKey): Promise<OccurrenceRow[]> {
  return await db
    .selectFrom('recurring_occurrences')
    .selectAll()
    .where('merchant_id', '=', merchantId)
    .where('recurring_id', '=', recurringId)
    .orderBy('day', 'desc')
    .limit(100)
    .execute();
}

/** A recurring invoice that could not be made is put off by this many seconds; its row says so, and its day stays. */
const putOffSeconds = 3_600;

/** Recurring invoices that should have been made, since the hour of issue of their day, and made ones that should have been sent. */
export async function findOverdueRecurring(db: Db, now: Date): Promise<OverdueWork[]> {
  const unmade = sql<{ count: number; timezone: string; day: string }>`
    select count(*)::int as count, timezone, next_on as day from recurring_invoices
    where status = 'active' and next_at <= ${now}::timestamptz + make_interval(secs => ${putOffSeconds})
      and (next_at <= ${now} or last_error is not null)
    group by timezone, next_on`;
  const unsent = sql<OverdueWork>`
    select count(*)::int as count, min(created_at) as since
    from recurring_occurrences where send_at is not null and created_at <= ${now}`;
  const [{ rows: days }, { rows: sends }] = [await unmade.execute(db), await unsent.execute(db)];
  return [...days.map(({ count, timezone, day }) => ({ count, since: issueMoment(timezone, day) })), ...sends];
}
