import type { ColumnType, Generated } from 'kysely';
import type { Moment, MomentByDefault, MomentOrNull } from '../platform/db/column.ts';

/** Columns of `outbound_transfers`. */
export interface OutboundTransfersTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  purpose: string;
  resource_id: string;
  attempt: Generated<number>;
  rail: string;
  destination: ColumnType<Record<string, string> | null, string | null, string | null>;
  original_reference: string | null;
  asset: string;
  amount: bigint;
  source_asset: string;
  source_max: bigint;
  path: string[];
  value: bigint;
  value_currency: string;
  state: Generated<'queued' | 'held' | 'sending' | 'completed' | 'failed'>;
  due_at: MomentOrNull;
  tries: Generated<number>;
  envelope_id: string | null;
  reference: string | null;
  ledger: number | null;
  sent_amount: bigint | null;
  failure_code: string | null;
  failure_message: string | null;
  rebuilds: Generated<number>;
  booked: Generated<boolean>;
  created_at: Moment;
  queued_at: MomentByDefault;
  ended_at: MomentOrNull;
}

declare module '../platform/db/tables.ts' {
  interface Tables {
    outbound_transfers: OutboundTransfersTable;
  }
}
