import { sql } from 'kysely';
import { least } from '../../../core/money.ts';
import { executePrepared } from '../../../server/platform/db/prepared.ts';
import type { LedgerRow, OperationRow, StellarDb, TransactionRow } from '../tables.ts';
import { ledgerId, transactionIdOf } from './total-order-id.ts';

/** The transactions or operations that a list contains. */
export interface HistoryScope {
  /** Account, pool or claimable balance. Null: all. */
  readonly participant: string | null;
  readonly ledger: number | null;
  /** The transaction whose operations are listed. If it is set, `ledger` is ignored. */
  readonly transactionId: bigint | null;
  readonly includeFailed: boolean;
  readonly paymentsOnly: boolean;
  /** The newest ledger that the reader may see. */
  readonly newestLedger: number;
}

/** A page of a list that is ordered by id. */
export interface HistoryPage {
  /** The page starts after this id. */
  readonly cursor: bigint;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
}

/** The smallest id in the scope, and the first id after the scope. */
function bounds({ ledger, transactionId, newestLedger }: HistoryScope): readonly [bigint, bigint] {
  const end = ledgerId(newestLedger + 1);
  if (transactionId !== null) return [transactionId, least(transactionId + 4096n, end)];
  if (ledger !== null) return [ledgerId(ledger), least(ledgerId(ledger + 1), end)];
  return [0n, end];
}

const orders = { asc: sql`asc`, desc: sql`desc` };

/** Selects the ids of a page. */
function idsOf(kind: 'transaction' | 'operation', scope: HistoryScope, { cursor, order, limit }: HistoryPage) {
  const { participant, includeFailed, paymentsOnly } = scope;
  const [from, to] = bounds(scope);
  const conditions = [
    sql`id >= ${from} and id < ${to}`,
    order === 'asc' ? sql`id > ${cursor}` : sql`id < ${cursor}`,
    ...(participant === null ? [] : [sql`participant = ${participant}`]),
    ...(includeFailed ? [] : [sql`successful`]),
    ...(paymentsOnly ? [sql`payment`] : []),
  ];
  const table = sql.table(`sandbox.stellar_${kind}${participant === null ? 's' : '_participants'}`);
  return sql`select id from ${table} where ${sql.join(conditions, sql` and `)} order by id ${orders[order]} limit ${limit}`;
}

export async function readTransactions(
  db: StellarDb,
  scope: HistoryScope,
  page: HistoryPage,
): Promise<readonly TransactionRow[]> {
  const { rows } = await sql<TransactionRow>`
    select * from sandbox.stellar_transactions
    where id in (${idsOf('transaction', scope, page)}) order by id ${orders[page.order]}`.execute(db);
  return rows;
}

export async function readOperations(
  db: StellarDb,
  scope: HistoryScope,
  page: HistoryPage,
): Promise<readonly OperationRow[]> {
  const query = sql<OperationRow>`
    select * from sandbox.stellar_operations
    where id in (${idsOf('operation', scope, page)}) order by id ${orders[page.order]}`;
  return (await executePrepared(db, query)).rows;
}

/** Whether history contains an account, a pool or a claimable balance. */
export async function hasHistory(db: StellarDb, participant: string): Promise<boolean> {
  const query = db
    .selectFrom('sandbox.stellar_transaction_participants')
    .select('id')
    .where('participant', '=', participant)
    .limit(1);
  return (await executePrepared(db, query)).rows.length > 0;
}

/** The transactions with these ids, unsorted. */
export async function transactionsById(db: StellarDb, ids: readonly bigint[]): Promise<readonly TransactionRow[]> {
  if (ids.length === 0) return [];
  return await db
    .selectFrom('sandbox.stellar_transactions')
    .selectAll()
    .where('id', '=', sql<bigint>`any(${ids}::bigint[])`)
    .execute();
}

/** The transaction with this outer or inner hash in a ledger up to `newestLedger`, or null. */
export async function transactionByHash(
  db: StellarDb,
  hash: string,
  newestLedger = 0x7fff_ffff,
): Promise<TransactionRow | null> {
  const row = await db
    .selectFrom('sandbox.stellar_transactions')
    .selectAll()
    .where(eb => eb.or([eb('hash', '=', hash), eb('inner_hash', '=', hash)]))
    .where('ledger', '<=', newestLedger)
    .executeTakeFirst();
  return row ?? null;
}

export async function operationById(db: StellarDb, id: bigint): Promise<OperationRow | null> {
  const row = await db.selectFrom('sandbox.stellar_operations').selectAll().where('id', '=', id).executeTakeFirst();
  return row ?? null;
}

/** A page of the ledgers up to `newestLedger`. */
export async function readLedgers(
  db: StellarDb,
  { cursor, order, limit }: HistoryPage,
  newestLedger: number,
): Promise<readonly LedgerRow[]> {
  const query = db
    .selectFrom('sandbox.stellar_ledgers')
    .selectAll()
    .where('sequence', order === 'asc' ? '>' : '<', Number(cursor >> 32n))
    .where('sequence', '<=', newestLedger)
    .orderBy('sequence', order)
    .limit(limit);
  return (await executePrepared(db, query)).rows;
}

/** The ledger with the number, or null if it does not exist or was deleted because it was empty. */
export async function ledgerBySequence(db: StellarDb, sequence: number): Promise<LedgerRow | null> {
  const query = db.selectFrom('sandbox.stellar_ledgers').selectAll().where('sequence', '=', sequence);
  return (await query.executeTakeFirst()) ?? null;
}

/** Close times by ledger number. */
export async function closingTimes(db: StellarDb, sequences: readonly number[]): Promise<ReadonlyMap<number, Date>> {
  if (sequences.length === 0) return new Map();
  const query = db
    .selectFrom('sandbox.stellar_ledgers')
    .select(['sequence', 'closed_at'])
    .where('sequence', '=', sql<number>`any(${[...new Set(sequences)]}::integer[])`);
  const { rows } = await executePrepared(db, query);
  return new Map(rows.map(({ sequence, closed_at }) => [sequence, closed_at]));
}

/** A transaction’s charged fee and its fee bid, each per operation, in stroops. */
export interface FeePerOperation {
  readonly charged: bigint;
  readonly offered: bigint;
}

/** Fees of the transactions in the ledgers after `after`, up to and including `upTo`. */
export async function feesSince(db: StellarDb, after: number, upTo: number): Promise<readonly FeePerOperation[]> {
  const { rows } = await sql<FeePerOperation>`
    select fee_charged / (operations + (inner_hash is not null)::integer) as charged,
           max_fee / (operations + (inner_hash is not null)::integer) as offered
    from sandbox.stellar_transactions where id >= ${ledgerId(after + 1)} and id < ${ledgerId(upTo + 1)}`.execute(db);
  return rows;
}

interface TransactionRange {
  /** The range starts with the id `from` and ends before the id `to`. */
  readonly from: bigint;
  readonly to: bigint;
  /** Only transactions with one of these participants. Null: all transactions. */
  readonly participants: readonly string[] | null;
  readonly limit: number;
}

/** The transactions of the range in order, including failed transactions. */
export async function transactionsIn(db: StellarDb, range: TransactionRange): Promise<readonly TransactionRow[]> {
  const { from, to, participants, limit } = range;
  return await db
    .selectFrom('sandbox.stellar_transactions as t')
    .selectAll('t')
    .where('t.id', '>=', from)
    .where('t.id', '<', to)
    .$if(participants !== null, query =>
      query.where('t.id', 'in', eb =>
        eb
          .selectFrom('sandbox.stellar_transaction_participants as p')
          .select('p.id')
          .where('p.participant', '=', sql<string>`any(${participants}::text[])`)
          .where('p.id', '>=', from)
          .where('p.id', '<', to),
      ),
    )
    .orderBy('t.id')
    .limit(limit)
    .execute();
}

export interface TransactionWithOperations {
  readonly row: TransactionRow;
  readonly operations: readonly OperationRow[];
}

/** Reads the operations of each transaction. */
export async function withOperations(
  db: StellarDb,
  rows: readonly TransactionRow[],
): Promise<readonly TransactionWithOperations[]> {
  if (rows.length === 0) return [];
  const { rows: operations } = await sql<OperationRow>`
    select o.id, o.payment, o.successful, o.moved
    from unnest(${rows.map(({ id }) => id)}::bigint[]) as t (id)
    join sandbox.stellar_operations o on o.id > t.id and o.id < t.id + 4096
    order by o.id`.execute(db);
  const byTransaction = Map.groupBy(operations, ({ id }) => transactionIdOf(id));
  return rows.map(row => ({ row, operations: byTransaction.get(row.id) ?? [] }));
}
