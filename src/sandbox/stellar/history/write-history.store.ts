import { type Selectable, sql } from 'kysely';
import type { AppliedTransaction } from '../core/ledger-close.ts';
import type { LedgerHeader } from '../core/state/entries.ts';
import type { SealedHeader } from '../node/ledger-header.ts';
import type { StellarDb, StellarTransactionsTable } from '../tables.ts';
import type { LedgerRecords, OperationRecord, TransactionRecord } from './ledger-records.ts';
import type { Movement } from './movements.ts';

/** Empty ledgers that are kept; older ones are forgotten. */
const emptyLedgersKept = 120;

/** A closed ledger to be written down. */
interface LedgerToKeep {
  readonly header: LedgerHeader;
  readonly sealed: SealedHeader;
  readonly previousHash: string;
  readonly closedAt: Date;
  readonly records: LedgerRecords;
}

/** Adds a closed ledger to history: a handful of statements, however much it holds. */
export async function writeHistory(db: StellarDb, ledger: LedgerToKeep): Promise<void> {
  await writeLedger(db, ledger);
  const { transactions, operations } = ledger.records;
  if (transactions.length === 0) {
    await forgetEmptyLedgers(db, ledger.header.sequence - emptyLedgersKept);
    return;
  }
  await writeTransactions(db, ledger, transactions);
  await writeOperations(db, operations);
  await writeTransactionParticipants(db, transactions);
  await writeOperationParticipants(db, operations);
}

async function writeLedger(
  db: StellarDb,
  { header, sealed, previousHash, closedAt, records }: LedgerToKeep,
): Promise<void> {
  const count = (successful: boolean) =>
    records.transactions.filter(({ applied }) => applied.successful === successful);
  const sum = (transactions: readonly TransactionRecord[]) =>
    transactions.reduce((total, { operations }) => total + operations, 0);
  await db
    .insertInto('sandbox.stellar_ledgers')
    .values({
      sequence: header.sequence,
      hash: sealed.hash,
      previous_hash: previousHash,
      header_xdr: sealed.headerXdr,
      closed_at: closedAt,
      successful_transactions: count(true).length,
      failed_transactions: count(false).length,
      operations: sum(count(true)),
      tx_set_operations: sum(records.transactions),
      total_coins: header.totalCoins,
      fee_pool: header.feePool,
      base_fee: header.baseFee,
      base_reserve: header.baseReserve,
      max_tx_set_size: header.maxTxSetSize,
    })
    .execute();
}

async function forgetEmptyLedgers(db: StellarDb, upTo: number): Promise<void> {
  await sql`delete from sandbox.stellar_ledgers where tx_set_operations = 0 and sequence <= ${upTo}`.execute(db);
}

async function writeTransactions(
  db: StellarDb,
  { header, closedAt }: LedgerToKeep,
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
  await sql`
    insert into sandbox.stellar_operations (id, payment, successful, moved)
    select * from unnest(
      ${rows.map(({ id }) => id)}::bigint[], ${rows.map(({ payment }) => payment)}::boolean[],
      ${rows.map(({ successful }) => successful)}::boolean[], ${rows.map(({ moved }) => keptMovement(moved))}::jsonb[]
    )`.execute(db);
}

function keptMovement(moved: Movement | null): string | null {
  return moved === null
    ? null
    : JSON.stringify(moved, (_, value) => (typeof value === 'bigint' ? String(value) : value));
}

async function writeTransactionParticipants(db: StellarDb, transactions: readonly TransactionRecord[]): Promise<void> {
  const rows = transactions.flatMap(({ id, applied, participants }) =>
    participants.map(participant => ({ participant, id, successful: applied.successful })),
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

/** Transactions that were applied from the id on, in their order. */
export async function appliedAfter(db: StellarDb, id: bigint): Promise<readonly AppliedTransaction[]> {
  const rows = await db
    .selectFrom('sandbox.stellar_transactions')
    .select(['hash', 'inner_hash', 'envelope', 'result', 'successful', 'fee_charged'])
    .where('id', '>=', id)
    .orderBy('id')
    .execute();
  return rows.map(row => ({
    hash: row.hash,
    innerHash: row.inner_hash,
    envelopeXdr: row.envelope,
    resultXdr: row.result,
    successful: row.successful,
    feeCharged: row.fee_charged,
  }));
}

/** Transactions with one of the hashes, their own or that inside a fee bump. */
export async function appliedAmong(
  db: StellarDb,
  hashes: readonly string[],
): Promise<readonly Selectable<StellarTransactionsTable>[]> {
  const among = sql<string>`any(${hashes}::text[])`;
  return await db
    .selectFrom('sandbox.stellar_transactions')
    .selectAll()
    .where(eb => eb.or([eb('hash', '=', among), eb('inner_hash', '=', among)]))
    .execute();
}
