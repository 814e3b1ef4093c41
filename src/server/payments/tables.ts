import type { ColumnType, Generated } from 'kysely';
import type {
  LineItem,
  NextAction,
  PaymentException,
  PaymentMethod,
  PaymentPhase,
  PaymentStatus,
} from '../../api/payment.ts';
import type { Metadata } from '../../api/schema.ts';
import type { Moment, MomentOrNull } from '../platform/db/column.ts';

/** Columns of `payments`. */
export interface PaymentsTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  status: PaymentStatus;
  phase: PaymentPhase;
  exception: PaymentException | null;
  amount: bigint;
  currency: string;
  amount_received: Generated<bigint>;
  amount_refunded: Generated<bigint>;
  amount_refunding: Generated<bigint>;
  amount_suspense: Generated<bigint>;
  amount_direct: Generated<bigint>;
  description: string | null;
  reference: string | null;
  line_items: ColumnType<LineItem[] | null, string | null, string | null>;
  locale: string | null;
  settlement_asset: string;
  settlement_address: string | null;
  settlement_mode: 'custodial' | 'direct';
  settlement_status: Generated<'none' | 'pending' | 'submitted' | 'settled' | 'failed'>;
  settlement_tx_hash: string | null;
  settlement_ledger: number | null;
  amount_settling: Generated<bigint>;
  amount_settled: Generated<bigint>;
  amount_receivable: Generated<bigint>;
  settlement_amount: Generated<bigint>;
  settlement_delivery: 'payment' | 'claimable_balance' | null;
  settlement_failure_code: string | null;
  settlement_failure_message: string | null;
  settlement_count: Generated<number>;
  settlement_tries: Generated<number>;
  settlement_due_at: MomentOrNull;
  payment_methods: PaymentMethod[];
  customer_id: string;
  customer_email: string;
  customer_name: string | null;
  metadata: ColumnType<Metadata, string | undefined, string>;
  redirect_url: string | null;
  method: PaymentMethod | null;
  bank_rail: string | null;
  quote_id: string;
  quote_amount: bigint;
  quote_rate_numerator: bigint;
  quote_rate_denominator: bigint;
  quoted_at: MomentOrNull;
  expires_at: Moment;
  session_expires_at: Moment;
  next_action: ColumnType<NextAction | null, string | null, string | null>;
  last_attempt: ColumnType<
    { method: PaymentMethod; code: string; message: string } | null,
    string | null,
    string | null
  >;
  declined_attempts: Generated<number>;
  failure_code: string | null;
  failure_message: string | null;
  disputed: Generated<boolean>;
  owner_type: ColumnType<string | null, string | null | undefined, string | null>;
  owner_id: ColumnType<string | null, string | null | undefined, string | null>;
  created_via: 'server' | 'client';
  created_by_key: string;
  version: Generated<number>;
  event_sequence: Generated<number>;
  created_at: Moment;
  completed_at: MomentOrNull;
}

/** Columns of `bank_instructions`. */
export interface BankInstructionsTable {
  merchant_id: string;
  payment_id: string;
  rail: string;
  reference: string;
  amount: bigint;
  currency: string;
  payment_amount: bigint;
  created_at: Moment;
}

declare module '../platform/db/tables.ts' {
  interface Tables {
    payments: PaymentsTable;
    bank_instructions: BankInstructionsTable;
  }
}
