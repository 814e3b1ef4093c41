import type { PayoutStatus } from '../../api/payout.ts';
import type { Tx } from '../platform/db/database.ts';

/** An ended payout of a settlement. */
export interface EndedPayout {
  readonly merchantId: string;
  readonly settlementId: string;
  readonly payoutId: string;
  readonly status: Extract<PayoutStatus, 'completed' | 'failed' | 'returned' | 'canceled'>;
  readonly failure: { readonly code: string; readonly message: string };
  /** On the merchant's clock. */
  readonly now: Date;
}

/** A module that pays by payouts. It learns in the same transaction that they have ended, or came back. */
export interface PayoutOwner {
  ended(tx: Tx, payouts: readonly EndedPayout[]): Promise<void>;
}
