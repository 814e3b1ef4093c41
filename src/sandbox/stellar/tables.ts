import type { ColumnType, Generated, Kysely, Selectable } from 'kysely';
import type { Db, Executor } from '../../server/platform/db/database.ts';

type Moment = ColumnType<Date, Date, Date>;
/** Columns of `sandbox.stellar_ledgers`; what they mean is said in the migration that makes them. */
interface StellarLedgersTable {
  sequence: number;
  hash: string;
  previous_hash: string;
  header_xdr: string;
  closed_at: Moment;
  successful_transactions: number;
  failed_transactions: number;
  operations: number;
  tx_set_operations: number;
  total_coins: bigint;
  fee_pool: bigint;
  base_fee: number;
  base_reserve: number;
  max_tx_set_size: number;
}

/** Columns of `sandbox.stellar_transactions`; what they mean is said in the migration that makes them. */
export interface StellarTransactionsTable {
  id: bigint;
  hash: string;
  inner_hash: string | null;
  ledger: number;
  closed_at: Moment;
  successful: boolean;
  operations: number;
  fee_charged: bigint;
  max_fee: bigint;
  envelope: string;
  result: string;
}

/** A `Movement` as it is kept: amounts are text, as JSON has no integers of 64 bits. */
export interface KeptMovement {
  readonly assets: readonly { readonly asset: string; readonly amount: string }[];
  readonly shares: string | null;
}

/** Columns of `sandbox.stellar_operations`; what they mean is said in the migration that makes them. */
interface StellarOperationsTable {
  id: bigint;
  payment: boolean;
  successful: boolean;
  moved: ColumnType<KeptMovement | null, string | null, string | null>;
}

/** Columns of `sandbox.stellar_transaction_participants`; what they mean is said in the migration that makes them. */
interface StellarTransactionParticipantsTable {
  participant: string;
  id: bigint;
  successful: boolean;
}

/** Columns of `sandbox.stellar_operation_participants`; what they mean is said in the migration that makes them. */
interface StellarOperationParticipantsTable {
  participant: string;
  id: bigint;
  payment: boolean;
  successful: boolean;
}

/** Columns of `sandbox.stellar_faults`; what they mean is said in the migration that makes them. */
interface StellarFaultsTable {
  id: Generated<number>;
  definition: ColumnType<unknown, string, string>;
  remaining: number | null;
}

/** The sandbox network’s own tables that are read by more than one hand-written statement. */
interface StellarTables {
  'sandbox.stellar_ledgers': StellarLedgersTable;
  'sandbox.stellar_transactions': StellarTransactionsTable;
  'sandbox.stellar_operations': StellarOperationsTable;
  'sandbox.stellar_transaction_participants': StellarTransactionParticipantsTable;
  'sandbox.stellar_operation_participants': StellarOperationParticipantsTable;
  'sandbox.stellar_faults': StellarFaultsTable;
}

/** The sandbox network’s view of the database, inside a transaction or outside: its own tables and no other. */
export type StellarDb = Kysely<StellarTables>;

/** Narrows the service’s database to the network’s tables. */
export function stellarDb(db: Db | Executor): StellarDb {
  return db.$pickTables<never>().$extendTables<{ [K in keyof StellarTables]: StellarTables[K] }>();
}

/** A closed ledger as history keeps it. */
export type LedgerRow = Selectable<StellarLedgersTable>;

/** An operation as history keeps it. */
export type OperationRow = Selectable<StellarOperationsTable>;

/** A transaction as history keeps it. */
export type TransactionRow = Selectable<StellarTransactionsTable>;
