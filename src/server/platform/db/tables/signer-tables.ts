import type { Moment } from '../column.ts';

/** Columns of `signer_spend`; what they mean is said in the migration that makes them. */
export interface SignerSpendTable {
  treasury: string;
  hash: string;
  asset: string;
  amount: bigint;
  signed_at: Moment;
}
