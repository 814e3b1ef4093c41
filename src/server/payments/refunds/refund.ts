import { divideRounded } from '../../../core/money.ts';

/** A transfer that can be refunded. `value` is in the payment's currency, `amount` in the rail's. */
export interface RefundableTransfer {
  readonly id: string;
  readonly rail: string;
  /** The rail's reference of the transfer. */
  readonly reference: string;
  /** Null when the rail does not name the sender. */
  readonly sender: string | null;
  readonly currency: string;
  readonly amount: bigint;
  readonly value: bigint;
  /** The part that was refunded or is being refunded, in both currencies. */
  readonly valueTaken: bigint;
  readonly amountTaken: bigint;
  readonly isOnChain: boolean;
}

/** The part of a refund that one transfer pays, in the payment's and in the rail's currency. */
export interface RefundShare {
  readonly transfer: RefundableTransfer;
  readonly amount: bigint;
  readonly railAmount: bigint;
}

/**
 * Splits a refund over its transfers, in the order given. A share that empties a transfer takes all that remains in the
 * rail's currency, so rounding leaves no unit behind. Returns null when the transfers hold too little.
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
