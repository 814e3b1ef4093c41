import { sql } from 'kysely';
import { PayError } from '../../../core/error.ts';
import type { Db, Executor, Tx } from '../../platform/db/database.ts';
import { type DueWork, findDue } from '../../platform/db/lease.ts';
import { insertRows } from '../../platform/db/rows.ts';
import { type Change, changeRow, type Resource } from '../../platform/events/change.ts';
import type { OverdueWork } from '../../platform/overdue.ts';
import type { OccurrenceRow, RecurringRow } from '../tables.ts';
import { issueMoment, type RecurringStatus, recurringMachine } from './recurrence.ts';

export type { RecurringRow } from '../tables.ts';

/** The id of a recurring invoice and of its merchant. */
export interface RecurringKey {
  readonly merchantId: string;
  readonly recurringId: string;
}

export async function insertRecurring(tx: Tx, row: RecurringRow): Promise<void> {
  await insertRows(tx, 'recurring_invoices', [row]);
}

/** The recurring invoice, or null if the merchant has no recurring invoice with this id. */
export async function findRecurring(db: Executor, key: RecurringKey): Promise<RecurringRow | null> {
  return (await select(db, key).executeTakeFirst()) ?? null;
}

/** Like `findRecurring`, but locks the row until the transaction ends. */
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

/** Recurring invoices have no events. */
const recurring: Resource<RecurringRow, RecurringStatus, null, RecurringRow> = {
  table: 'recurring_invoices',
  machine: recurringMachine,
  stateOf: ({ status }) => status,
  columnsOf: status => ({ status }),
  illegalStep: illegalRecurringStep,
  eventOf: () => undefined,
  toWire: (_context, row) => row,
  keepsTransitions: false,
};

export function illegalRecurringStep({ status }: RecurringRow, to: RecurringStatus): PayError {
  return new PayError('illegal_state', `The recurring invoice is ${status} and cannot become ${to}.`);
}

/** Changes a locked recurring invoice. Throws `illegal_state` for an illegal step. */
export async function changeRecurring(
  tx: Tx,
  row: RecurringRow,
  change: Change<RecurringRow, RecurringStatus>,
): Promise<RecurringRow> {
  return await changeRow(tx, recurring, null, row, change);
}

/** A recurring invoice whose next day has come, and the current time on its merchant's clock. */
export type DueRecurring = RecurringKey & { readonly livemode: boolean; readonly clock: Date };

export const activeRecurring: DueWork = {
  table: 'recurring_invoices',
  key: ['merchant_id', 'id'],
  dueAt: 'next_at',
  clock: 'merchant',
  where: sql`t.status = 'active' and t.next_at is not null`,
};

/** Finds recurring invoices whose next day has come on their merchant's clock. */
export async function findDueRecurring(db: Db, now: Date, limit: number): Promise<readonly DueRecurring[]> {
  const columns = sql`t.merchant_id as "merchantId", t.id as "recurringId", t.livemode`;
  return await findDue(db, activeRecurring, { now, limit }, columns);
}

/** Records the invoice of a day. Fails if the day already has an invoice. */
export async function insertOccurrence(tx: Tx, row: OccurrenceRow): Promise<void> {
  await insertRows(tx, 'recurring_occurrences', [row]);
}

/** An occurrence (the invoice of one day) that is not sent, and the current time on its merchant's clock. */
export type UnsentOccurrence = RecurringKey & {
  readonly day: string;
  readonly invoiceId: string;
  readonly livemode: boolean;
  readonly clock: Date;
};

const occurrenceKey = ['merchant_id', 'recurring_id', 'day'];
export const unsentOccurrences: DueWork = {
  table: 'recurring_occurrences',
  key: occurrenceKey,
  dueAt: 'send_at',
  clock: 'merchant',
  where: sql`t.send_at is not null`,
};

/** Finds occurrences whose sending is due. */
export async function findUnsent(db: Db, now: Date, limit: number): Promise<readonly UnsentOccurrence[]> {
  const columns = sql`t.merchant_id as "merchantId", t.recurring_id as "recurringId", t.day, t.invoice_id as "invoiceId",
    t.livemode`;
  return await findDue(db, unsentOccurrences, { now, limit }, columns);
}

/** Sets the next sending attempt; null after the sending. Returns false if another worker has sent the invoice. */
export async function moveSending(
  tx: Executor,
  { merchantId, recurringId, day }: RecurringKey & { readonly day: string },
  sendAt: Date | null,
): Promise<boolean> {
  const result = await tx
    .updateTable('recurring_occurrences')
    .set({ send_at: sendAt })
    .where(eb => eb.and({ merchant_id: merchantId, recurring_id: recurringId, day }))
    .where('send_at', 'is not', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Whether an occurrence of the recurring invoice is not sent yet. */
export async function isUnsent(tx: Executor, { merchantId, recurringId }: RecurringKey): Promise<boolean> {
  const row = await tx
    .selectFrom('recurring_occurrences')
    .select('day')
    .where(eb => eb.and({ merchant_id: merchantId, recurring_id: recurringId }))
    .where('send_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The newest hundred occurrences, by day. */
export async function listOccurrences(db: Db, { merchantId, recurringId }: RecurringKey): Promise<OccurrenceRow[]> {
  return await db
    .selectFrom('recurring_occurrences')
    .selectAll()
    .where(eb => eb.and({ merchant_id: merchantId, recurring_id: recurringId }))
    .orderBy('day', 'desc')
    .limit(100)
    .execute();
}

/** Seconds until a failed recurring invoice is retried. */
export const retrySeconds = 3_600;

/**
 * Counts overdue creations and sendings. A failed attempt moves only `next_at`, so the delay counts from the issue time
 * of the invoice's day.
 */
export async function findOverdueRecurring(db: Db, now: Date): Promise<OverdueWork[]> {
  const unmade = sql<{ count: number; timezone: string; day: string }>`
    select count(*)::int as count, timezone, next_on as day from recurring_invoices
    where status = 'active' and next_at <= ${now}::timestamptz + make_interval(secs => ${retrySeconds})
      and (next_at <= ${now} or last_error is not null)
    group by timezone, next_on`;
  const unsent = sql<OverdueWork>`
    select count(*)::int as count, min(created_at) as since
    from recurring_occurrences where send_at is not null and created_at <= ${now}`;
  const [{ rows: days }, { rows: sends }] = [await unmade.execute(db), await unsent.execute(db)];
  return [...days.map(({ count, timezone, day }) => ({ count, since: issueMoment(timezone, day) })), ...sends];
}
