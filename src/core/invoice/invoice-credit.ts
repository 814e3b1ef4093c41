import { allocate, sumOf } from '../money.ts';

/** Net and taxes of the lines that bear the same taxes. */
export interface CreditPart {
  readonly net: bigint;
  readonly taxes: readonly bigint[];
}

/**
 * Divides a credit note's amount over the parts, in proportion to what `earlier` notes left of each part. No part is
 * credited beyond its amount. Notes that together reach the total credit each part in full.
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
