import type { Generated } from 'kysely';
import type { Moment, MomentOrNull } from '../../platform/db/column.ts';

/** Columns of `deposit_targets`. */
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

/** Columns of `deposit_routes`. */
export interface DepositRoutesTable {
  network: string;
  account: string;
  tag: bigint;
  merchant_id: string;
  payment_id: string;
}

/** Columns of `crypto_offers`. */
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

/** Columns of `chain_cursors`. */
export interface ChainCursorsTable {
  network: string;
  account: string;
  chain: string;
  cursor: string;
  custodial: boolean;
  watch_until: MomentOrNull;
  due_at: Moment;
  read_at: MomentOrNull;
}

/** Columns of `wallet_transactions`. */
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
  refused_at: MomentOrNull;
  valid_until: Moment;
  due_at: MomentOrNull;
  attempts: Generated<number>;
  created_at: Moment;
  submitted_at: MomentOrNull;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    deposit_targets: DepositTargetsTable;
    deposit_routes: DepositRoutesTable;
    crypto_offers: CryptoOffersTable;
    chain_cursors: ChainCursorsTable;
    wallet_transactions: WalletTransactionsTable;
  }
}
