import type { Generated } from 'kysely';
import type { Moment, MomentOrNull } from '../../platform/db/column.ts';

/** Columns of `transfers`. */
export interface TransfersTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  rail: string;
  rail_reference: string;
  payment_id: string | null;
  status: 'matched' | 'unmatched' | 'returning' | 'returned';
  amount: bigint;
  currency: string;
  amount_applied: Generated<bigint>;
  amount_excess: Generated<bigint>;
  reference: string | null;
  sender: string | null;
  chain: string | null;
  tx_hash: string | null;
  op_index: number | null;
  ledger: bigint | null;
  account: string | null;
  memo: string | null;
  memo_type: string | null;
  custodial: Generated<boolean>;
  return_count: Generated<number>;
  problem: 'wrong_asset' | null;
  failure_code: string | null;
  failure_message: string | null;
  arrived_at: MomentOrNull;
  created_at: Moment;
}

/** Columns of `rail_cursors`. */
export interface RailCursorsTable {
  rail: string;
  cursor: string;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    transfers: TransfersTable;
    rail_cursors: RailCursorsTable;
  }
}
