import { sql } from 'kysely';
import type { OperationRow } from '../horizon/operation-resource.ts';
import type { TransactionRow } from '../horizon/transaction-resource.ts';
import type { StellarDb } from '../stellar-tables.ts';
import { transactionIdOf } from '../total-order-id.ts';
import type { TransactionWithOperations } from './ledger-event.ts';

/** A part of history. */
export interface HistoryRange {
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
