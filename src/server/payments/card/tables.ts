import type { Generated } from 'kysely';
import type { Moment, MomentOrNull } from '../../platform/db/column.ts';

/** Columns of `payment_attempts`. */
export interface PaymentAttemptsTable {
  merchant_id: string;
  payment_id: string;
  id: string;
  livemode: Generated<boolean>;
  method: string;
  rail: string;
  amount: bigint;
  currency: string;
  state: 'started' | 'requires_action' | 'authorized' | 'capturing' | 'captured' | 'declined' | 'abandoned' | 'unknown';
  rail_reference: string | null;
  brand: string | null;
  last4: string | null;
  code: string | null;
  message: string | null;
  return_url: string | null;
  due_at: MomentOrNull;
  created_at: Moment;
  updated_at: Moment;
}

/** Columns of `disputes`. */
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

declare module '../../platform/db/tables.ts' {
  interface Tables {
    payment_attempts: PaymentAttemptsTable;
    disputes: DisputesTable;
  }
}
