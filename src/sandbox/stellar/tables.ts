import type { ColumnType, Generated, Kysely, Selectable } from 'kysely';
import type { Db, Executor } from '../../server/platform/db/database.ts';

// Tables of the sandbox network. The migration that creates them explains their columns.

type Moment = ColumnType<Date, Date, Date>;

interface LedgersTable {
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

interface TransactionsTable {
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

/** A stored `Movement`. Amounts are text, because JSON has no 64-bit integers. */
export interface StoredMovement {
  readonly assets: readonly { readonly asset: string; readonly amount: string }[];
  readonly shares: string | null;
}

interface OperationsTable {
  id: bigint;
  payment: boolean;
  successful: boolean;
  moved: ColumnType<StoredMovement | null, string | null, string | null>;
}

interface TransactionParticipantsTable {
  participant: string;
  id: bigint;
  successful: boolean;
}

interface OperationParticipantsTable extends TransactionParticipantsTable {
  payment: boolean;
}

interface FaultsTable {
  id: Generated<number>;
  definition: ColumnType<unknown, string, string>;
  remaining: number | null;
}

/** The tables that Kysely queries use. Only hand-written SQL uses the other tables. */
interface StellarTables {
  'sandbox.stellar_ledgers': LedgersTable;
  'sandbox.stellar_transactions': TransactionsTable;
  'sandbox.stellar_operations': OperationsTable;
  'sandbox.stellar_transaction_participants': TransactionParticipantsTable;
  'sandbox.stellar_operation_participants': OperationParticipantsTable;
  'sandbox.stellar_faults': FaultsTable;
}

/** The database with only the sandbox network’s tables. */
export type StellarDb = Kysely<StellarTables>;

/** Limits the types of a database connection to these tables. */
export function stellarDb(db: Db | Executor): StellarDb {
  return db.$pickTables<never>().$extendTables<{ [K in keyof StellarTables]: StellarTables[K] }>();
}

export type LedgerRow = Selectable<LedgersTable>;
export type OperationRow = Selectable<OperationsTable>;
export type TransactionRow = Selectable<TransactionsTable>;
