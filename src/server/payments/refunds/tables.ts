import type { ColumnType, Generated } from 'kysely';
import type { Metadata } from '../../../api/schema.ts';
import type { Moment } from '../../platform/db/column.ts';

/** Columns of `refunds`. */
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

/** Columns of `refund_parts`. */
export interface RefundPartsTable {
  merchant_id: string;
  refund_id: string;
  id: string;
  transfer_id: string;
  rail: string;
  amount: bigint;
  rail_amount: bigint;
  rail_currency: string;
  state: 'pending' | 'completed' | 'failed';
  requires_destination: Generated<boolean>;
  created_at: Moment;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    refunds: RefundsTable;
    refund_parts: RefundPartsTable;
  }
}
