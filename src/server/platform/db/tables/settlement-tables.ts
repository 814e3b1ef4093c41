import type { ColumnType, Generated } from 'kysely';
import type { Moment } from '../column.ts';

type LaterMoment = ColumnType<Date | null, Date | null | undefined, Date | null>;

/** Columns of `outgoing_transfers`; what they mean is said in the migration that makes them. */
export interface OutgoingTransfersTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  purpose: 'settlement' | 'refund';
  resource_id: string;
  attempt: Generated<number>;
  delivery: 'payment' | 'claimable_balance';
  destination: string;
  memo_type: 'text' | 'id' | 'hash' | 'return' | null;
  memo: string | null;
  asset: string;
  amount: bigint;
  source_asset: string;
  send_max: bigint;
  path: string[];
  state: Generated<'queued' | 'assigned' | 'submitted' | 'applied' | 'failed' | 'held'>;
  failure_code: string | null;
  failure_message: string | null;
  envelope_id: string | null;
  tx_hash: string | null;
  ledger: number | null;
  source_amount: bigint | null;
  rebuilds: Generated<number>;
  lease_token: string | null;
  leased_until: LaterMoment;
  held_until: LaterMoment;
  reported: Generated<boolean>;
  created_at: Moment;
  queued_at: ColumnType<Date, Date | undefined, Date>;
  ended_at: LaterMoment;
}

/** Columns of `stellar_envelopes`; what they mean is said in the migration that makes them. */
export interface StellarEnvelopesTable {
  id: string;
  channel: string;
  sequence: bigint;
  inner_hash: string;
  inner_xdr: string;
  xdr: string;
  hash: string;
  fee: bigint;
  operations: number;
  max_ledger: number;
  max_time: Moment;
  state: Generated<'built' | 'submitted' | 'applied' | 'failed' | 'expired'>;
  result_code: string | null;
  operation_codes: Generated<string[]>;
  attempts: Generated<number>;
  next_at: ColumnType<Date, Date | undefined, Date>;
  leased_until: LaterMoment;
  ended_ledger: number | null;
  ended_closed_at: LaterMoment;
  fee_charged: bigint | null;
  created_at: ColumnType<Date, Date | undefined, Date>;
  ended_at: LaterMoment;
}

/** Columns of `stellar_envelope_hashes`; what they mean is said in the migration that makes them. */
export interface StellarEnvelopeHashesTable {
  hash: string;
  envelope_id: string;
  fee: bigint;
  created_at: ColumnType<Date, Date | undefined, Date>;
}

/** Columns of `stellar_envelope_transfers`; what they mean is said in the migration that makes them. */
export interface StellarEnvelopeTransfersTable {
  envelope_id: string;
  position: number;
  merchant_id: string;
  transfer_id: string;
  first_operation: number;
  operations: number;
}

/** Columns of `channel_accounts`; what they mean is said in the migration that makes them. */
export interface ChannelAccountsTable {
  treasury: string;
  number: number;
  address: string;
  sequence: Generated<bigint>;
  must_read: Generated<boolean>;
  envelope_id: string | null;
  leased_until: LaterMoment;
  lease_token: string | null;
  created_at: ColumnType<Date, Date | undefined, Date>;
}

/** Columns of `treasury_balances`; what they mean is said in the migration that makes them. */
export interface TreasuryBalancesTable {
  treasury: string;
  asset: string;
  spendable: bigint;
  authorized: boolean;
  low: Generated<boolean>;
  seen_at: ColumnType<Date, Date | undefined, Date>;
}

/** Columns of `settlements`; what they mean is said in the migration that makes them. */
export interface SettlementsTable {
  merchant_id: string;
  id: string;
  payment_id: string;
  livemode: boolean;
  status: 'submitted' | 'settled' | 'failed';
  payment_amount: bigint;
  payment_currency: string;
  asset: string;
  amount: bigint;
  destination: string;
  delivery: 'payment' | 'claimable_balance';
  tx_hash: string | null;
  ledger: number | null;
  failure_code: string | null;
  created_at: Moment;
  ended_at: LaterMoment;
}

/** Columns of `treasury_clawbacks`; what they mean is said in the migration that makes them. */
export interface TreasuryClawbacksTable {
  treasury: string;
  reference: string;
  asset: string;
  amount: bigint;
  tx_hash: string;
  created_at: Moment;
}

/** Columns of `treasury_cursors`; what they mean is said in the migration that makes them. */
export interface TreasuryCursorsTable {
  treasury: string;
  cursor: string;
}
