import type { ColumnType, Generated } from 'kysely';
import type { Moment } from '../column.ts';

/** Columns of `deposit_targets`; what they mean is said in the migration that makes them. */
export interface DepositTargetsTable {
  merchant_id: string;
  payment_id: string;
  chain: string;
  network: string;
  account: string;
  tag: bigint;
  custodial: boolean;
  created_at: Moment;
}

/** Columns of `deposit_routes`; what they mean is said in the migration that makes them. */
export interface DepositRoutesTable {
  network: string;
  account: string;
  tag: bigint;
  merchant_id: string;
  payment_id: string;
}

/** Columns of `crypto_offers`; what they mean is said in the migration that makes them. */
export interface CryptoOffersTable {
  merchant_id: string;
  payment_id: string;
  number: number;
  chain: string;
  asset: string;
  amount: bigint;
  payment_amount: bigint;
  quote_id: string;
  received: Generated<bigint>;
  counted: Generated<bigint>;
  expires_at: Moment;
  created_at: Moment;
}

/** Columns of `chain_cursors`; what they mean is said in the migration that makes them. */
export interface ChainCursorsTable {
  network: string;
  account: string;
  chain: string;
  cursor: string;
  custodial: boolean;
  watch_until: ColumnType<Date | null, Date | null, Date | null>;
  due_at: Moment;
  read_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
}

/** Columns of `wallet_transactions`; what they mean is said in the migration that makes them. */
export interface WalletTransactionsTable {
  merchant_id: string;
  payment_id: string;
  id: string;
  livemode: boolean;
  chain: string;
  network: string;
  address: string;
  asset: string;
  amount: bigint;
  amount_max: bigint;
  destination_asset: string;
  destination_amount: bigint;
  path: string[];
  envelope: string;
  hash: string;
  signed_envelope: string | null;
  state: 'built' | 'submitted' | 'applied' | 'failed';
  failure_code: string | null;
  failure_message: string | null;
  refused_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
  valid_until: Moment;
  due_at: ColumnType<Date | null, Date | null, Date | null>;
  attempts: Generated<number>;
  created_at: Moment;
  submitted_at: ColumnType<Date | null, Date | null, Date | null>;
}
