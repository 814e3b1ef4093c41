import { sql } from 'kysely';
import { executePrepared } from '../../../server/platform/db/prepared.ts';
import type { LedgerHeader } from '../core/state/entries.ts';
import type { StellarDb, TransactionRow } from '../tables.ts';
import type { LedgerRecords, OperationRecord, TransactionRecord } from './ledger-records.ts';

/** The number of newest ledgers that are kept even if they are empty. */
const emptyLedgersKept = 120;

interface HistoryLedger {
  readonly header: LedgerHeader;
  /** Hash (hex) and `LedgerHeader` (base64). */
  readonly sealed: { readonly hash: string; readonly headerXdr: string };
  readonly previousHash: string;
  readonly closedAt: Date;
  readonly records: LedgerRecords;
}

/** Adds a closed ledger to history, with a constant number of statements. */
export async function writeHistory(db: StellarDb, ledger: HistoryLedger): Promise<void> {
  await writeLedger(db, ledger);
  const { transactions, operations } = ledger.records;
  if (transactions.length === 0) {
    await deleteEmptyLedgers(db, ledger.header.sequence - emptyLedgersKept);
    return;
  }
  await writeTransactions(db, ledger, transactions);
  await writeOperations(db, operations);
  await writeTransactionParticipants(db, transactions);
  await writeOperationParticipants(db, operations);
}

async function writeLedger(db: StellarDb, ledger: HistoryLedger): Promise<void> {
  const { header, sealed, previousHash, closedAt, records } = ledger;
  const successful = records.transactions.filter(({ applied }) => applied.successful);
  const operationsOf = (transactions: readonly TransactionRecord[]) =>
    transactions.reduce((total, { operations }) => total + operations, 0);
  const insert = db.insertInto('sandbox.stellar_ledgers').values({
    sequence: header.sequence,
    hash: sealed.hash,
    previous_hash: previousHash,
    header_xdr: sealed.headerXdr,
    closed_at: closedAt,
    successful_transactions: successful.length,
    failed_transactions: records.transactions.length - successful.length,
    operations: operationsOf(successful),
    tx_set_operations: operationsOf(records.transactions),
    total_coins: header.totalCoins,
    fee_pool: header.feePool,
    base_fee: header.baseFee,
    base_reserve: header.baseReserve,
    max_tx_set_size: header.maxTxSetSize,
  });
  await executePrepared(db, insert);
}

async function deleteEmptyLedgers(db: StellarDb, upTo: number): Promise<void> {
  const empty = sql`delete from sandbox.stellar_ledgers where tx_set_operations = 0 and sequence <= ${upTo}`;
  await executePrepared(db, empty);
}

async function writeTransactions(
  db: StellarDb,
  { header, closedAt }: HistoryLedger,
  rows: readonly TransactionRecord[],
): Promise<void> {
  await sql`
    insert into sandbox.stellar_transactions
      (id, hash, inner_hash, ledger, closed_at, successful, operations, fee_charged, max_fee, envelope, result)
    select id, hash, inner_hash, ${header.sequence}, ${closedAt}, successful, operations, fee_charged, max_fee, envelope, result
    from unnest(
      ${rows.map(({ id }) => id)}::bigint[], ${rows.map(({ applied }) => applied.hash)}::text[],
      ${rows.map(({ applied }) => applied.innerHash)}::text[], ${rows.map(({ applied }) => applied.successful)}::boolean[],
      ${rows.map(({ operations }) => operations)}::integer[], ${rows.map(({ applied }) => applied.feeCharged)}::bigint[],
      ${rows.map(({ maxFee }) => maxFee)}::bigint[], ${rows.map(({ applied }) => applied.envelopeXdr)}::text[],
      ${rows.map(({ applied }) => applied.resultXdr)}::text[]
    ) as added (id, hash, inner_hash, successful, operations, fee_charged, max_fee, envelope, result)`.execute(db);
}

async function writeOperations(db: StellarDb, rows: readonly OperationRecord[]): Promise<void> {
  const moved = rows.map(row => row.moved && JSON.stringify(row.moved, (_, v) => (typeof v === 'bigint' ? `${v}` : v)));
  await sql`
    insert into sandbox.stellar_operations (id, payment, successful, moved)
    select * from unnest(
      ${rows.map(({ id }) => id)}::bigint[], ${rows.map(({ payment }) => payment)}::boolean[],
      ${rows.map(({ successful }) => successful)}::boolean[], ${moved}::jsonb[]
    )`.execute(db);
}

async function writeTransactionParticipants(db: StellarDb, transactions: readonly TransactionRecord[]): Promise<void> {
  const rows = transactions.flatMap(({ id, applied: { successful }, participants }) =>
    participants.map(participant => ({ participant, id, successful })),
  );
  await sql`
    insert into sandbox.stellar_transaction_participants (participant, id, successful)
    select * from unnest(
      ${rows.map(({ participant }) => participant)}::text[], ${rows.map(({ id }) => id)}::bigint[],
      ${rows.map(({ successful }) => successful)}::boolean[]
    )`.execute(db);
}

async function writeOperationParticipants(db: StellarDb, operations: readonly OperationRecord[]): Promise<void> {
  const rows = operations.flatMap(({ participants, ...rest }) =>
    participants.map(participant => ({ participant, ...rest })),
  );
  await sql`
    insert into sandbox.stellar_operation_participants (participant, id, payment, successful)
    select * from unnest(
      ${rows.map(({ participant }) => participant)}::text[], ${rows.map(({ id }) => id)}::bigint[],
      ${rows.map(({ payment }) => payment)}::boolean[], ${rows.map(({ successful }) => successful)}::boolean[]
    )`.execute(db);
}

/** Envelopes of all transactions with at least this id, in order. */
export async function envelopesFrom(db: StellarDb, id: bigint): Promise<readonly { readonly envelopeXdr: string }[]> {
  return await db
    .selectFrom('sandbox.stellar_transactions')
    .select('envelope as envelopeXdr')
    .where('id', '>=', id)
    .orderBy('id')
    .execute();
}

/** Transactions whose outer or inner hash is one of `hashes`. */
export async function appliedAmong(db: StellarDb, hashes: readonly string[]): Promise<readonly TransactionRow[]> {
  const among = sql<string>`any(${hashes}::text[])`;
  return await db
    .selectFrom('sandbox.stellar_transactions')
    .selectAll()
    .where(eb => eb.or([eb('hash', '=', among), eb('inner_hash', '=', among)]))
    .execute();
}
