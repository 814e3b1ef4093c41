import type { Generated } from 'kysely';
import type { Moment, MomentByDefault, MomentOrNull } from '../../platform/db/tables.ts';

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
  due_at: Moment;
  ended_ledger: number | null;
  ended_closed_at: MomentOrNull;
  fee_charged: bigint | null;
  created_at: MomentByDefault;
  ended_at: MomentOrNull;
}

export interface StellarEnvelopeTransfersTable {
  envelope_id: string;
  position: number;
  merchant_id: string;
  transfer_id: string;
  delivery: 'payment' | 'claimable_balance';
  first_operation: number;
  operations: number;
}

export interface ChannelAccountsTable {
  treasury: string;
  number: number;
  address: string;
  sequence: Generated<bigint>;
  must_read: Generated<boolean>;
  envelope_id: string | null;
  due_at: MomentByDefault;
  created_at: MomentByDefault;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    stellar_envelopes: StellarEnvelopesTable;
    stellar_envelope_hashes: {
      hash: string;
      envelope_id: string;
      fee: bigint;
      created_at: MomentByDefault;
    };
    stellar_envelope_transfers: StellarEnvelopeTransfersTable;
    channel_accounts: ChannelAccountsTable;
    treasury_balances: {
      treasury: string;
      asset: string;
      spendable: bigint;
      authorized: boolean;
      low: Generated<boolean>;
      seen_at: MomentByDefault;
    };
    treasury_clawbacks: {
      treasury: string;
      reference: string;
      asset: string;
      amount: bigint;
      tx_hash: string;
      created_at: Moment;
    };
    treasury_cursors: {
      treasury: string;
      cursor: string;
    };
  }
}
