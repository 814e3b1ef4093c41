import type { ColumnType, Selectable } from 'kysely';
import type { SettlementBatch } from '../../../api/merchant.ts';
import type { SettlementDestination } from '../../../api/payout.ts';
import type { SettlementStatus } from '../../../api/settlement.ts';
import type { Moment, MomentOrNull } from '../../platform/db/tables.ts';

interface SettlementsTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  status: SettlementStatus;
  batch: SettlementBatch;
  currency: string;
  gross: bigint;
  deducted: bigint;
  carried: bigint;
  payments: number;
  destination: ColumnType<SettlementDestination | null, string | null, string | null>;
  payout_id: string | null;
  failure_code: string | null;
  failure_message: string | null;
  scheduled_at: MomentOrNull;
  due_at: MomentOrNull;
  marked_after: string | null;
  event_sequence: number;
  version: number;
  created_at: Moment;
  closed_at: MomentOrNull;
  paid_at: MomentOrNull;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    settlements: SettlementsTable;
  }
}

/** A row of `settlements`. Amounts are in minor units, times on the merchant's clock. */
export type SettlementRow = Selectable<SettlementsTable>;
