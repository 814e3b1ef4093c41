import { convert } from './crossing.ts';
import { BrokenInvariant, maxAmount } from './entries.ts';
import type { LedgerState } from './ledger-state.ts';

/** Offers a path payment may take. */
const maxOffers = 1000;

/** What would be received for exactly so much sent along a path of assets, or sent for exactly so much received. */
export function quote(
  state: LedgerState,
  path: readonly string[],
  amount: bigint,
  strict: 'send' | 'receive',
): bigint | null {
  if (amount <= 0n) return null;
  const mark = state.journal.mark();
  try {
    return walkPath(state, strict === 'send' ? path : path.toReversed(), amount, strict);
  } catch (error) {
    if (error instanceof BrokenInvariant) return null;
    throw error;
  } finally {
    state.journal.undo(mark);
  }
}

function walkPath(
  state: LedgerState,
  assets: readonly string[],
  amount: bigint,
  strict: 'send' | 'receive',
): bigint | null {
  let current = amount;
  let taken = 0;
  for (const [index, next] of assets.entries()) {
    const previous = assets[index - 1] ?? next;
    if (previous === next) continue;
    const hop = strict === 'send' ? { from: previous, to: next } : { from: next, to: previous };
    const limit = strict === 'send' ? { send: current, receive: maxAmount } : { send: maxAmount, receive: current };
    const rounding = strict === 'send' ? 'strict_send' : 'strict_receive';
    const conversion = convert(state, { ...hop, limit, rounding, maxOffers: maxOffers - taken, refuse: () => null });
    if (conversion.end !== 'done' || conversion[strict] !== current) return null;
    taken += conversion.claimed.length;
    current = strict === 'send' ? conversion.receive : conversion.send;
  }
  return current;
}

/** Pairs with offers or a pool that holds something, each once. */
export function tradingPairs(state: LedgerState): { from: string; to: string }[] {
  const pairs = state.books.pairs().map(({ selling, buying }) => ({ from: buying, to: selling }));
  for (const { assetA, assetB, reserveA, reserveB } of state.pools.values()) {
    if (reserveA === 0n || reserveB === 0n) continue;
    pairs.push({ from: assetA, to: assetB }, { from: assetB, to: assetA });
  }
  return [...new Map(pairs.map(pair => [`${pair.from} ${pair.to}`, pair])).values()];
}
