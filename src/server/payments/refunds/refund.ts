import { divideRounded } from '../../../core/money.ts';

/** A transfer as far as it can still be given back. `value` is in the payment's currency, `amount` in the rail's. */
export interface RefundableTransfer {
  readonly id: string;
  readonly rail: string;
  /** The rail's reference of it. */
  readonly reference: string;
  /** Who sent it; null where the rail does not say. */
  readonly sender: string | null;
  readonly currency: string;
  readonly amount: bigint;
  readonly value: bigint;
  /** What refunds that did not fail have taken of it, in both currencies. */
  readonly valueTaken: bigint;
  readonly amountTaken: bigint;
  readonly isOnChain: boolean;
}

/** What a refund takes of a transfer. */
export interface RefundShare {
  readonly transfer: RefundableTransfer;
  /** In the payment's currency, and the same in the rail's. */
  readonly amount: bigint;
  readonly railAmount: bigint;
}

/**
 * Splits a refund over the transfers it came from, in the order given. What empties a transfer takes all that is left
 * of it in the rail's currency, so that rounding never strands a unit. Returns null when the transfers hold too little.
 */
export function shareRefund(amount: bigint, transfers: readonly RefundableTransfer[]): RefundShare[] | null {
  const shares: RefundShare[] = [];
  let left = amount;
  for (const transfer of transfers) {
    const free = transfer.value - transfer.valueTaken;
    const share = free < left ? free : left;
    if (share <= 0n) continue;
    const amountFree = transfer.amount - transfer.amountTaken;
    const exact = divideRounded(share * transfer.amount, transfer.value);
    const railAmount = share === free || exact > amountFree ? amountFree : exact;
    if (railAmount > 0n) {
      shares.push({ transfer, amount: share, railAmount });
      left -= share;
    }
  }
  return left === 0n ? shares : null;
}
