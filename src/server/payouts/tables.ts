import type { ColumnType, Generated, Selectable } from 'kysely';
import type {
  BulkOptions,
  CreatePayout,
  PayoutBatch,
  PayoutBatchStatus,
  PayoutDestination,
  PayoutSchedule,
  PayoutStatus,
  RowError,
} from '../../api/payout.ts';
import type { Recipient, RecipientDestination } from '../../api/recipient.ts';
import type { Metadata } from '../../api/schema.ts';
import type { Moment, MomentOrNull } from '../platform/db/tables.ts';

/** A JSON column. Reading returns parsed values, and writing takes text. */
type Json<T> = ColumnType<T, string, string>;

interface RecipientsTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  name: string;
  email: string | null;
  type: Recipient['type'];
  country: string | null;
  reference: string | null;
  metadata: Json<Metadata>;
  created_at: Moment;
  deleted_at: MomentOrNull;
}

interface RecipientDestinationsTable {
  merchant_id: string;
  id: string;
  recipient_id: string;
  position: number;
  destination: Json<PayoutDestination>;
  is_default: boolean;
  verification: Generated<RecipientDestination['verification']>;
}

/** The payouts and options of each run of a recurring batch. */
export interface BatchTemplate extends Pick<BulkOptions, 'on_error' | 'fx'> {
  readonly payouts: readonly CreatePayout[];
  /** Hashes of the destinations that the payouts had when a person could see and approve them (`targetOf`). */
  readonly targets?: readonly string[];
}

interface PayoutBatchesTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  status: PayoutBatchStatus;
  total: number;
  accepted: number;
  rejected: number;
  errors: Json<RowError[]>;
  totals: Json<PayoutBatch['totals']>;
  schedule: Json<PayoutSchedule>;
  due_at: MomentOrNull;
  template: Json<BatchTemplate | null>;
  next_run_at: MomentOrNull;
  recurring_batch: string | null;
  occurrence_at: MomentOrNull;
  approval: Json<NonNullable<BulkOptions['approval']> | null>;
  created_by: string | null;
  approved_by: string | null;
  approved_at: MomentOrNull;
  description: string | null;
  metadata: Json<Metadata>;
  event_sequence: number;
  version: number;
  created_at: Moment;
  completed_at: MomentOrNull;
}

interface PayoutsTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  batch_id: string;
  position: number;
  settlement_id: string | null;
  ramp_id: string | null;
  status: PayoutStatus;
  recipient_id: string | null;
  destination: Json<PayoutDestination>;
  rail: string | null;
  amount: bigint;
  currency: string;
  source_amount: bigint;
  source_currency: string;
  fee: bigint;
  unit: string | null;
  least_amount: bigint | null;
  paid_amount: bigint | null;
  returned_amount: bigint;
  reference: string | null;
  description: string | null;
  metadata: Json<Metadata>;
  failure_code: string | null;
  failure_message: string | null;
  hold_code: string | null;
  hold_message: string | null;
  trace: string | null;
  attempt: number;
  due_at: MomentOrNull;
  scheduled_at: MomentOrNull;
  eta_at: MomentOrNull;
  event_sequence: number;
  version: number;
  created_at: Moment;
  completed_at: MomentOrNull;
}

interface PayoutReturnsTable {
  merchant_id: string;
  id: string;
  rail: string;
  order_id: string;
  amount: bigint;
  code: string;
  message: string;
  booked: Generated<boolean>;
  created_at: Moment;
}

declare module '../platform/db/tables.ts' {
  interface Tables {
    recipients: RecipientsTable;
    recipient_destinations: RecipientDestinationsTable;
    payout_batches: PayoutBatchesTable;
    payouts: PayoutsTable;
    payout_returns: PayoutReturnsTable;
    payout_return_cursors: { rail: string; cursor: string | null };
  }
}

/** A row of `payouts`. Amounts are in smallest units, times on the merchant's clock. */
export type PayoutRow = Selectable<PayoutsTable>;

export type BatchRow = Selectable<PayoutBatchesTable>;

export type RecipientRow = Selectable<RecipientsTable>;

export type RecipientDestinationRow = Selectable<RecipientDestinationsTable>;

export type ReturnRow = Selectable<PayoutReturnsTable>;
