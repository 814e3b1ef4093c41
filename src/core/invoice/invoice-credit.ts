import { allocate, sumOf } from '../money.ts';

/** The sums of lines with the same taxes: the net amount, and each tax in its order. */
export interface CreditPart {
  readonly net: bigint;
  readonly taxes: readonly bigint[];
}

/**
 * Divides the amount of a credit note over the parts of its invoice, in proportion to what earlier notes left of each.
 * No part is credited twice. Notes that credit the whole invoice credit each part exactly.
 */
export function creditParts(parts: readonly CreditPart[], earlier: readonly bigint[], amount: bigint): CreditPart[] {
  let left = parts;
  for (const before of earlier) {
    const taken = take(left, before);
    left = left.map((part, index) => without(part, taken[index]));
  }
  return take(left, amount);
}

function take(parts: readonly CreditPart[], amount: bigint): CreditPart[] {
  const wholes = parts.map(({ net, taxes }) => net + sumOf(taxes));
  const shares = allocate(amount, wholes);
  return parts.map((part, index) => {
    const [net = 0n, ...taxes] = allocate(shares[index] ?? 0n, [part.net, ...part.taxes]);
    return { net, taxes };
  });
}

function without(part: CreditPart, taken: CreditPart = { net: 0n, taxes: [] }): CreditPart {
  return { net: part.net - taken.net, taxes: part.taxes.map((tax, index) => tax - (taken.taxes[index] ?? 0n)) };
}
