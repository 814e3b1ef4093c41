import type { Generated } from 'kysely';
import type { Moment, MomentByDefault } from '../../platform/db/tables.ts';

export interface ChannelAccountsTable {
  treasury: string;
  number: number;
  address: string;
  sequence: Generated<bigint>;
  must_read: Generated<boolean>;
  /** The carrier that uses the account now. */
  carrier_id: string | null;
  /** The sequence number of the last carrier. Null after it has expired. */
  loaded: bigint | null;
  due_at: MomentByDefault;
  created_at: MomentByDefault;
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
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
