import type { Frame } from './transaction-frame.ts';

/** Which of two bids pays more per operation: negative, zero or positive, compared exactly. */
export function compareBids(a: Frame, b: Frame): number {
  const left = a.feeBid * BigInt(Math.max(1, b.operationCount));
  const right = b.feeBid * BigInt(Math.max(1, a.operationCount));
  return left < right ? -1 : left > right ? 1 : 0;
}
