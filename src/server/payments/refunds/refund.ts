import { PayError } from '../../../core/error.ts';
import { divideDown, divideRounded, least } from '../../../core/money.ts';
import type { Chain, ChainDestination } from '../../chains/chain.ts';

/** A transfer that can be refunded. `value` is in the payment's currency, `amount` in the rail's currency. */
export interface RefundableTransfer {
  readonly id: string;
  readonly rail: string;
  /** The rail's reference of the transfer. */
  readonly reference: string;
  /** Null if the rail does not know the sender. */
  readonly sender: string | null;
  readonly currency: string;
  readonly amount: bigint;
  readonly value: bigint;
  /** The part that was refunded, is being refunded or is disputed, in both currencies. */
  readonly valueTaken: bigint;
  readonly amountTaken: bigint;
  readonly isOnChain: boolean;
}

/** A transfer, and the amount that open or lost disputes took of its payment on its rail, in the payment's currency. */
export type DisputableTransfer = RefundableTransfer & { readonly disputed: bigint };

/**
 * Counts disputed money as taken, because the bank has returned it to the payer. A rail's disputes are about its newest
 * transfer. Transfers without dispute come first, so that a refund avoids a disputed card where it can.
 */
export function withoutDisputed(transfers: readonly DisputableTransfer[]): RefundableTransfer[] {
  const left = new Map(transfers.map(({ rail, disputed }) => [rail, disputed]));
  const counted = transfers.map(({ disputed: _, ...transfer }) => {
    const { rail, value, amount } = transfer;
    const disputed = least(left.get(rail) ?? 0n, value);
    left.set(rail, (left.get(rail) ?? 0n) - disputed);
    if (disputed === 0n) return { transfer, disputed };
    const [valueTaken, amountTaken] = [disputed, divideRounded(disputed * amount, value)];
    const taken = { valueTaken: transfer.valueTaken + valueTaken, amountTaken: transfer.amountTaken + amountTaken };
    return { transfer: { ...transfer, ...taken }, disputed };
  });
  const of = (isDisputed: boolean) => counted.filter(each => each.disputed > 0n === isDisputed);
  return [...of(false), ...of(true)].map(({ transfer }) => transfer);
}

/** The part of a refund for one transfer, in the payment's and in the rail's currency. */
export interface RefundShare {
  readonly transfer: RefundableTransfer;
  readonly amount: bigint;
  readonly railAmount: bigint;
}

/**
 * Splits a refund over transfers, in their order. The share that empties a transfer takes its whole remaining rail
 * amount, so that rounding loses nothing. Other shares are rounded down to multiples of `stepOf` their rail. Returns
 * null if the transfers do not suffice.
 */
export function shareRefund(
  amount: bigint,
  transfers: readonly RefundableTransfer[],
  stepOf: (transfer: RefundableTransfer) => bigint = () => 1n,
): RefundShare[] | null {
  const shares: RefundShare[] = [];
  let left = amount;
  for (const transfer of transfers) {
    const free = transfer.value - transfer.valueTaken;
    const share = free < left ? free : left;
    if (share <= 0n) continue;
    const amountFree = transfer.amount - transfer.amountTaken;
    const step = stepOf(transfer);
    const whole = divideDown(divideRounded(share * transfer.amount, transfer.value), step) * step;
    const railAmount = share === free || whole > amountFree ? amountFree : whole;
    if (railAmount > 0n) {
      shares.push({ transfer, amount: share, railAmount });
      left -= share;
    }
  }
  return left === 0n ? shares : null;
}

/**
 * Checks a destination on a chain, and returns it in canonical form. Throws `invalid_address` or `parameter_invalid`,
 * with the field below `param`.
 */
export function readDestination(
  chain: Chain,
  destination: Readonly<Record<string, string>>,
  param: string,
): ChainDestination {
  if ('memo' in destination !== 'memo_type' in destination) {
    throw wrong(`${param}.memo`, 'memo and memo_type must be given together.');
  }
  try {
    return chain.destination(destination);
  } catch (error) {
    if (!(error instanceof PayError) || error.param === null) throw error;
    throw new PayError(error.code, error.message, { param: `${param}.${error.param}` });
  }
}

function wrong(param: string, message: string): PayError {
  return new PayError('parameter_invalid', message, { param });
}
