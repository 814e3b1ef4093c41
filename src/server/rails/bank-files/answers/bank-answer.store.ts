import { sql } from 'kysely';
import { PayError } from '../../../../core/error.ts';
import { newId } from '../../../../core/id.ts';
import { mostCounted } from '../../../platform/db/attention.ts';
import type { Db, Executor, Tx } from '../../../platform/db/database.ts';
import type { Page, PageRequest } from '../../../platform/db/page.ts';
import { insertRows, updateRows } from '../../../platform/db/rows.ts';
import type { MerchantScope } from '../../../platform/merchant.ts';
import type { OverdueWork } from '../../../platform/overdue.ts';
import { type FileRailId, fileIdOf, fileRails } from '../bank-file.ts';
import type { BankFileRow, BankOrderRow, NewBankAnswer, PutAsideRow } from '../tables.ts';
import { findReturns, insertReturns, type NewBankReturn } from './bank-return.store.ts';
import type { Aside, Decision, KnownOrders } from './decide-answer.ts';

/** Stores an answer. Returns false if the same bytes were stored before. */
export async function insertBankAnswer(tx: Tx, answer: NewBankAnswer): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('bank_answers')
    .values(answer)
    .onConflict(conflict => conflict.column('sha256').doNothing())
    .executeTakeFirstOrThrow();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** What an answer names: references of payments, names of files, and names of files whose payments it decides too. */
export interface NamedByAnswer {
  readonly rails: readonly FileRailId[];
  readonly references: readonly string[];
  readonly files: readonly string[];
  readonly wholeFiles: readonly string[];
}

/** Locks the orders that an answer names, and reads their files and returns. */
export async function lockKnownOrders(tx: Tx, named: NamedByAnswer): Promise<KnownOrders> {
  const { rails, references, wholeFiles } = named;
  const { rows: orders } = await sql<BankOrderRow>`
    select * from bank_orders where (rail, id) in (
      select rail, id from bank_orders where rail = any(${rails}::text[]) and reference = any(${references}::text[])
      union select rail, id from bank_orders where file_id = any(${wholeFiles.map(fileIdOf)}::text[]))
    order by rail, id for update`.execute(tx);
  const fileIds = [...named.files.map(fileIdOf), ...orders.flatMap(({ file_id: id }) => id ?? [])];
  const { rows: files } = await sql<Pick<BankFileRow, 'id' | 'rail' | 'created_at'>>`
    select id, rail, created_at from bank_files where id = any(${[...new Set(fileIds)]}::text[])`.execute(tx);
  return {
    orders,
    files,
    returns: await findReturns(
      tx,
      orders.map(({ id }) => id),
    ),
  };
}

const changing = [
  ...(['state', 'failure_code', 'failure_message', 'returned_amount', 'settles_at', 'completed_by_date'] as const),
];

/** Writes what an answer changes. */
export async function writeDecision(tx: Tx, { drafts }: Decision, receivedAt: Date): Promise<void> {
  const changed = drafts.filter(({ isChanged }) => isChanged).map(({ row }) => row);
  await updateRows(tx, { table: 'bank_orders', key: ['rail', 'id'], columns: changing, rows: changed });
  const returns = drafts.flatMap(({ row, returns: list }) =>
    list.map((one): NewBankReturn => ({ rail: row.rail, order_id: row.id, received_at: receivedAt, ...one })),
  );
  await insertReturns(tx, returns);
}

/** Maximum number of rows for one answer. The last row stands for all others. */
const mostAsides = 200;

/** Stores the parts of an answer that are put aside. `name`: the file in the inbox. */
export async function insertAsides(
  tx: Executor,
  from: { readonly sha256: string | null; readonly name: string; readonly receivedAt: Date },
  asides: readonly Aside[],
): Promise<void> {
  const kept = asides.length <= mostAsides ? asides : [...asides.slice(0, mostAsides - 1), restOf(asides)];
  const rows = kept.map(({ reason, message, fileIds, reference, order, amount, currency }) => ({
    id: newId('bankAnswer'),
    sha256: from.sha256,
    name: plain(from.name),
    reason,
    message: plain(message),
    file_ids: fileIds,
    reference: reference === null ? null : plain(reference).slice(0, 100),
    order_id: order?.id ?? null,
    order_amount: order?.amount ?? null,
    order_currency: order?.currency ?? null,
    amount,
    currency: currency === null ? null : plain(currency),
    received_at: from.receivedAt,
  }));
  await insertRows(tx, 'put_aside_answers', rows);
}

function restOf(asides: readonly Aside[]): Aside {
  const rest = asides.slice(mostAsides - 1);
  const message = `The answer has ${rest.length} more parts that are put aside. Read the file.`;
  const fileIds = [...new Set(rest.flatMap(aside => aside.fileIds))];
  return { reason: 'unclear', message, fileIds, reference: null, order: null, amount: null, currency: null };
}

/** PostgreSQL stores no NUL characters. */
function plain(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** Whether an answer of this name, whose bytes cannot be read, is already put aside. */
export async function isUnreadAside(db: Executor, name: string): Promise<boolean> {
  const { rows } = await sql`
    select from put_aside_answers where sha256 is null and name = ${plain(name)} and handled_at is null limit 1`.execute(
    db,
  );
  return rows.length > 0;
}

/** Files with payments that the bank has not decided. */
export async function openFiles(db: Executor): Promise<readonly string[]> {
  const { rows } = await sql<{ file_id: string }>`
    select distinct file_id from bank_orders where state = 'filed' and file_id is not null`.execute(db);
  return rows.map(({ file_id: id }) => id);
}

/** The files that carry the payments with these references. */
export async function filesOfReferences(db: Executor, references: readonly string[]): Promise<readonly string[]> {
  if (references.length === 0) return [];
  const { rows } = await sql<{ file_id: string }>`
    select distinct file_id from bank_orders
    where rail = any(${fileRails}::text[]) and reference = any(${references}::text[])
      and file_id is not null`.execute(db);
  return rows.map(({ file_id: id }) => id);
}

/** Counts answers that wait for the operator, whose account is the oldest. Other merchants have none. */
export async function countOpenAsides(db: Executor, { merchantId }: MerchantScope): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from put_aside_answers where handled_at is null
        and ${merchantId} = (select id from merchants order by created_at, id limit 1)
      limit ${mostCounted + 1}) found`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function findOpenAsides(db: Db): Promise<readonly OverdueWork[]> {
  const { rows } = await sql<OverdueWork>`
    select count(*)::int as count, min(received_at) as since from put_aside_answers where handled_at is null`.execute(
    db,
  );
  return rows;
}

/** Reads the answer. Throws `resource_missing` if there is none with the id. */
export async function findAside(db: Executor, id: string): Promise<PutAsideRow> {
  const row = await db.selectFrom('put_aside_answers').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw new PayError('resource_missing', `There is no bank answer ${id}.`, { param: 'id' });
  return row;
}

/** Marks the answer as handled, unless it already is. */
export async function markHandled(tx: Tx, id: string, by: string, now: Date): Promise<void> {
  await sql`update put_aside_answers set handled_at = ${now}, handled_by = ${by}
    where id = ${id} and handled_at is null`.execute(tx);
}

/** A page of answers that are put aside, newest first. `isHandled`: null means both. */
export async function listAsides(
  db: Executor,
  { limit, startingAfter, endingBefore }: PageRequest,
  isHandled: boolean | null,
): Promise<Page<PutAsideRow>> {
  const cursor = endingBefore ?? startingAfter;
  const from = cursor === null ? null : await findAside(db, cursor);
  const isBackwards = endingBefore !== null;
  const [side, order] = isBackwards ? [sql`>`, sql`asc`] : [sql`<`, sql`desc`];
  const { rows } = await sql<PutAsideRow>`
    select * from put_aside_answers
    where (${isHandled}::boolean is null or (handled_at is not null) = ${isHandled}::boolean)
      and (${cursor}::text is null or (received_at, id) ${side} (${from?.received_at ?? null}::timestamptz, ${cursor}))
    order by received_at ${order}, id ${order} limit ${limit + 1}`.execute(db);
  const kept = rows.slice(0, limit);
  return { rows: isBackwards ? kept.reverse() : kept, hasMore: rows.length > limit };
}
