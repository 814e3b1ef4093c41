import type { Moment } from '../column.ts';

/** Columns of `ledger_transactions`; what they mean is said in the migration that makes them. */
export interface LedgerTransactionsTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  kind: string;
  payment_id: string | null;
  refund_id: string | null;
  created_at: Moment;
}

/** Columns of `ledger_entries`; what they mean is said in the migration that makes them. */
export interface LedgerEntriesTable {
  merchant_id: string;
  transaction_id: string;
  line: number;
  livemode: boolean;
  account: string;
  currency: string;
  amount: bigint;
  created_at: Moment;
}

/** Columns of the view `merchant_entries`. */
export interface MerchantEntriesView {
  merchant_id: string;
  id: string;
  livemode: boolean;
  account: string;
  kind: string;
  currency: string;
  amount: bigint;
  payment_id: string | null;
  refund_id: string | null;
  created_at: Date;
}
