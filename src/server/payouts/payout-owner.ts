import type { PayoutStatus } from '../../api/payout.ts';
import type { Tx } from '../platform/db/database.ts';
import type { PayoutRow } from './tables.ts';

/** The object that a payout pays, such as a settlement. */
export interface PayoutOwnerId {
  readonly type: 'settlement' | 'ramp';
  readonly id: string;
}

/** An ended payout of an owner. */
export interface EndedPayout {
  readonly merchantId: string;
  readonly ownerId: string;
  readonly payoutId: string;
  readonly status: Extract<PayoutStatus, 'completed' | 'failed' | 'returned' | 'canceled'>;
  readonly failure: { readonly code: string; readonly message: string };
  /** On the merchant's clock. */
  readonly now: Date;
}

/** A module that pays by payouts. It learns in the same transaction that they have ended, or came back. */
export interface PayoutOwner {
  readonly type: PayoutOwnerId['type'];
  ended(tx: Tx, payouts: readonly EndedPayout[]): Promise<void>;
}

type OwnerColumns = Pick<PayoutRow, 'settlement_id' | 'ramp_id'>;

/** The columns that name the owner. */
export function ownerColumns({ type, id }: PayoutOwnerId): OwnerColumns {
  return { settlement_id: type === 'settlement' ? id : null, ramp_id: type === 'ramp' ? id : null };
}

/** The owner of a payout, or null. */
export function ownerOf({ settlement_id: settlement, ramp_id: ramp }: OwnerColumns): PayoutOwnerId | null {
  if (settlement !== null) return { type: 'settlement', id: settlement };
  return ramp === null ? null : { type: 'ramp', id: ramp };
}
