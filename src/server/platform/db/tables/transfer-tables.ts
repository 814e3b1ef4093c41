import type { ColumnType, Generated } from 'kysely';
import type { Metadata } from '../../../../api/schema.ts';
import type { Moment } from '../column.ts';

/** Columns of `transfers`; what they mean is said in the migration that makes them. */
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
  problem: 'wrong_asset' | null;
  failure_code: string | null;
  failure_message: string | null;
  arrived_at: ColumnType<Date | null, Date | null, Date | null>;
  created_at: Moment;
}

/** Columns of `transfer_returns`; what they mean is said in the migration that makes them. */
export interface TransferReturnsTable {
  merchant_id: string;
  id: string;
  transfer_id: string;
  livemode: boolean;
  rail: string;
  amount: bigint;
  currency: string;
  destination: ColumnType<Record<string, string> | null, string | null, string | null>;
  state: 'pending' | 'completed' | 'failed';
  rail_reference: string | null;
  failure_code: string | null;
  failure_message: string | null;
  attempts: Generated<number>;
  due_at: ColumnType<Date | null, Date | null, Date | null>;
  created_at: Moment;
}

/** Columns of `refunds`; what they mean is said in the migration that makes them. */
export interface RefundsTable {
  merchant_id: string;
  id: string;
  payment_id: string;
  livemode: boolean;
  amount: bigint;
  currency: string;
  status: 'pending' | 'completed' | 'failed';
  amount_from_suspense: bigint;
  reason: string | null;
  destination: ColumnType<Record<string, string> | null, string | null, string | null>;
  metadata: ColumnType<Metadata, string | undefined, string>;
  failure_code: string | null;
  failure_message: string | null;
  requires_destination: Generated<boolean>;
  directions: Generated<number>;
  event_sequence: Generated<number>;
  created_at: Moment;
}

/** Columns of `refund_parts`; what they mean is said in the migration that makes them. */
export interface RefundPartsTable {
  merchant_id: string;
  refund_id: string;
  id: string;
  livemode: Generated<boolean>;
  transfer_id: string;
  rail: string;
  amount: bigint;
  rail_amount: bigint;
  rail_currency: string;
  state: 'pending' | 'completed' | 'failed';
  rail_reference: string | null;
  attempts: Generated<number>;
  due_at: ColumnType<Date | null, Date | null, Date | null>;
  created_at: Moment;
}

/** Columns of `rail_cursors`; what they mean is said in the migration that makes them. */
export interface RailCursorsTable {
  rail: string;
  cursor: string;
}

/** Columns of `disputes`; what they mean is said in the migration that makes them. */
export interface DisputesTable {
  merchant_id: string;
  id: string;
  payment_id: string;
  amount: bigint;
  currency: string;
  reason: string;
  rail_reference: string;
  created_at: Moment;
}
