import type { Selectable } from 'kysely';
import type { Moment, MomentOrNull } from '../../platform/db/tables.ts';

interface SettlementConversionsTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  payment_id: string;
  number: number;
  status: 'waiting' | 'sending' | 'completed' | 'failed';
  source_asset: string;
  asset: string;
  currency: string;
  value: bigint;
  amount: bigint;
  sent_amount: bigint | null;
  tries: number;
  failure_code: string | null;
  failure_message: string | null;
  tx_hash: string | null;
  ledger: number | null;
  due_at: MomentOrNull;
  version: number;
  created_at: Moment;
  ended_at: MomentOrNull;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    settlement_conversions: SettlementConversionsTable;
  }
}

/** A row of `settlement_conversions`. */
export type ConversionRow = Selectable<SettlementConversionsTable>;
