import { type Expression, type SqlBool, sql } from 'kysely';
import { numericCursor, type PageQuery } from '../horizon/http/page.ts';
import type { LedgerRow, OperationRow, StellarDb, TransactionRow } from '../tables.ts';
import { ledgerId, transactionIdOf } from './total-order-id.ts';

/** What a list of transactions or operations is about; of several things the narrowest is given. */
export interface HistoryScope {
  /** Account, pool or claimable balance; null: everybody. */
  readonly participant: string | null;
  readonly ledger: number | null;
  /** The transaction whose operations are listed. */
  readonly transactionId: bigint | null;
  readonly includeFailed: boolean;
  readonly paymentsOnly: boolean;
  /** The newest ledger that the asker may see. */
  readonly newestLedger: number;
}

/** The part of the ids that a scope and a page leave. */
function idRange(column: 'id', page: PageQuery, scope: Omit<HistoryScope, 'participant'>): Expression<SqlBool> {
  const cursor = numericCursor(page);
  const [from, to] = bounds(scope);
  const id = sql.ref(column);
  const side = page.order === 'asc' ? sql`${id} > ${cursor}` : sql`${id} < ${cursor}`;
  return sql<SqlBool>`(${side} and ${id} >= ${from} and ${id} < ${to})`;
}

/** Smallest id in the scope, and the one behind its largest. */
function bounds({ ledger, transactionId, newestLedger }: Omit<HistoryScope, 'participant'>): readonly [bigint, bigint] {
  const end = ledgerId(newestLedger + 1);
  if (transactionId !== null) return [transactionId, least(transactionId + 4096n, end)];
  if (ledger !== null) return [ledgerId(ledger), least(ledgerId(ledger + 1), end)];
  return [0n, end];
}

const least = (a: bigint, b: bigint) => (a < b ? a : b);

/** Transactions of a scope. */
export async function readTransactions(
  db: StellarDb,
  scope: HistoryScope,
  page: PageQuery,
): Promise<readonly TransactionRow[]> {
  const all = db.selectFrom('sandbox.stellar_transactions').selectAll();
  if (scope.participant === null) {
    const found = scope.includeFailed ? all : all.where('successful', '=', true);
    return await found
      .where(idRange('id', page, scope))
      .orderBy('id', page.order)
      .limit(page.limit)
      .execute();
  }
  const ids = db
    .selectFrom('sandbox.stellar_transaction_participants')
    .select('id')
    .where('participant', '=', scope.participant)
    .where(idRange('id', page, scope))
    .$if(!scope.includeFailed, query => query.where('successful', '=', true))
    .orderBy('id', page.order)
    .limit(page.limit);
  return await all.where('id', 'in', ids).orderBy('id', page.order).execute();
}

/** Operations of a scope. */
export async function readOperations(
  db: StellarDb,
  scope: HistoryScope,
  page: PageQuery,
): Promise<readonly OperationRow[]> {
  const all = db.selectFrom('sandbox.stellar_operations').selectAll();
  if (scope.participant === null) {
    return await all
      .where(idRange('id', page, scope))
      .$if(!scope.includeFailed, query => query.where('successful', '=', true))
      .$if(scope.paymentsOnly, query => query.where('payment', '=', true))
      .orderBy('id', page.order)
      .limit(page.limit)
      .execute();
  }
  const ids = db
    .selectFrom('sandbox.stellar_operation_participants')
    .select('id')
    .where('participant', '=', scope.participant)
    .where(idRange('id', page, scope))
    .$if(!scope.includeFailed, query => query.where('successful', '=', true))
    .$if(scope.paymentsOnly, query => query.where('payment', '=', true))
    .orderBy('id', page.order)
    .limit(page.limit);
  return await all.where('id', 'in', ids).orderBy('id', page.order).execute();
}

/** Whether history knows an account, a pool or a claimable balance. */
export async function hasHistory(db: StellarDb, participant: string): Promise<boolean> {
  const row = await db
    .selectFrom('sandbox.stellar_transaction_participants')
    .select('id')
    .where('participant', '=', participant)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Transactions by their ids, in no order. */
export async function transactionsById(db: StellarDb, ids: readonly bigint[]): Promise<readonly TransactionRow[]> {
  if (ids.length === 0) return [];
  return await db
    .selectFrom('sandbox.stellar_transactions')
    .selectAll()
    .where('id', '=', sql<bigint>`any(${ids}::bigint[])`)
    .execute();
}

/** The transaction with the hash, its own or that of what it carries, in a ledger the asker may see; or null. */
export async function transactionByHash(
  db: StellarDb,
  hash: string,
  newestLedger: number,
): Promise<TransactionRow | null> {
  const row = await db
    .selectFrom('sandbox.stellar_transactions')
    .selectAll()
    .where(eb => eb.or([eb('hash', '=', hash), eb('inner_hash', '=', hash)]))
    .where('ledger', '<=', newestLedger)
    .executeTakeFirst();
  return row ?? null;
}

/** The operation with the id, or null. */
export async function operationById(db: StellarDb, id: bigint): Promise<OperationRow | null> {
  const row = await db.selectFrom('sandbox.stellar_operations').selectAll().where('id', '=', id).executeTakeFirst();
  return row ?? null;
}

/** Closed ledgers up to the newest one that the asker may see. */
export async function readLedgers(db: StellarDb, page: PageQuery, newestLedger: number): Promise<readonly LedgerRow[]> {
  // A ledger’s token is its number in the upper half of 64 bits.
  const cursor = Number(numericCursor(page) >> 32n);
  return await db
    .selectFrom('sandbox.stellar_ledgers')
    .selectAll()
    .where('sequence', page.order === 'asc' ? '>' : '<', cursor)
    .where('sequence', '<=', newestLedger)
    .orderBy('sequence', page.order)
    .limit(page.limit)
    .execute();
}

/** The ledger with the number, or null where there is none or it is forgotten. */
export async function ledgerBySequence(db: StellarDb, sequence: number): Promise<LedgerRow | null> {
  const row = await db
    .selectFrom('sandbox.stellar_ledgers')
    .selectAll()
    .where('sequence', '=', sequence)
    .executeTakeFirst();
  return row ?? null;
}

/** When the ledgers closed, by number. */
export async function closingTimes(db: StellarDb, sequences: readonly number[]): Promise<ReadonlyMap<number, Date>> {
  if (sequences.length === 0) return new Map();
  const rows = await db
    .selectFrom('sandbox.stellar_ledgers')
    .select(['sequence', 'closed_at'])
    .where('sequence', '=', sql<number>`any(${[...new Set(sequences)]}::integer[])`)
    .execute();
  return new Map(rows.map(({ sequence, closed_at }) => [sequence, closed_at]));
}

/** What one transaction of the latest ledgers paid and would have paid for each operation, in stroops. */
export interface FeePaid {
  readonly charged: bigint;
  readonly offered: bigint;
}

/** What the transactions of the ledgers after one and up to another paid for each operation. */
export async function feesSince(db: StellarDb, after: number, upTo: number): Promise<readonly FeePaid[]> {
  const { rows } = await sql<FeePaid>`
    select fee_charged / (operations + (inner_hash is not null)::integer) as charged,
           max_fee / (operations + (inner_hash is not null)::integer) as offered
    from sandbox.stellar_transactions where id >= ${ledgerId(after + 1)} and id < ${ledgerId(upTo + 1)}`.execute(db);
  return rows;
}

/** A transaction with what history keeps of its operations, in their order. */
export interface TransactionWithOperations {
  readonly row: TransactionRow;
  readonly operations: readonly OperationRow[];
}

/** A part of history. */
interface HistoryRange {
  /** First id, and the one behind the last. */
  readonly from: bigint;
  readonly to: bigint;
  /** Accounts of which a transaction must concern one; null: any transaction. */
  readonly participants: readonly string[] | null;
  readonly limit: number;
}

/** Transactions of the range, failed ones among them, in their order. */
export async function transactionsIn(db: StellarDb, range: HistoryRange): Promise<readonly TransactionRow[]> {
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

/** The transactions with what is kept of their operations. */
export async function withOperations(
  db: StellarDb,
  rows: readonly TransactionRow[],
): Promise<readonly TransactionWithOperations[]> {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return [];
  const operations = await operationsOf(db, rows);
  return rows.map(row => ({ row, operations: operations.get(row.id) ?? [] }));
}

async function operationsOf(
  db: StellarDb,
  rows: readonly TransactionRow[],
): Promise<ReadonlyMap<bigint, readonly OperationRow[]>> {
  const ids = rows.map(({ id }) => id);
  const { rows: found } = await sql<OperationRow>`
    select o.id, o.payment, o.successful, o.moved
    from unnest(${ids}::bigint[]) as t (id)
    join sandbox.stellar_operations o on o.id > t.id and o.id < t.id + 4096
    order by o.id`.execute(db);
  const byTransaction = new Map<bigint, OperationRow[]>();
  for (const operation of found) {
    const id = transactionIdOf(operation.id);
    const known = byTransaction.get(id);
    if (known === undefined) byTransaction.set(id, [operation]);
    else known.push(operation);
  }
  return byTransaction;
}
