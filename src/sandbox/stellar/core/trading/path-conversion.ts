import { BrokenInvariant, maxAmount, type Offer } from '../state/entries.ts';
import type { LedgerState } from '../state/ledger-state.ts';
import { convert } from './offer-conversion.ts';

/** Offers a path payment may take. */
const maxOffers = 1000;

/** What is asked for. */
interface QuoteTerms {
  /** From the asset that is sent to the one that is received. */
  readonly path: readonly string[];
  /** The side whose amount is exact. */
  readonly strict: 'send' | 'receive';
  readonly amount: bigint;
  /** Whose own offers are not taken. */
  readonly payer?: string | undefined;
}

/** The amount of the other side of a path payment; `null` where the books and pools cannot do it. */
export function quote(state: LedgerState, terms: QuoteTerms): bigint | null {
  if (terms.amount <= 0n) return null;
  const mark = state.journal.mark();
  try {
    return walkPath(state, terms);
  } catch (error) {
    if (error instanceof BrokenInvariant) return null;
    throw error;
  } finally {
    state.journal.undo(mark);
  }
}

function walkPath(state: LedgerState, { path, strict, amount, payer }: QuoteTerms): bigint | null {
  const assets = strict === 'send' ? path : path.toReversed();
  const refuse = ({ seller }: Offer) => (seller === payer ? 'cross_self' : null);
  let current = amount;
  let taken = 0;
  for (const [index, next] of assets.entries()) {
    const previous = assets[index - 1] ?? next;
    if (previous === next) continue;
    const hop = strict === 'send' ? { from: previous, to: next } : { from: next, to: previous };
    const limit = strict === 'send' ? { send: current, receive: maxAmount } : { send: maxAmount, receive: current };
    const rounding = strict === 'send' ? 'strict_send' : 'strict_receive';
    const conversion = convert(state, { ...hop, limit, rounding, maxOffers: maxOffers - taken, refuse });
    if (conversion.end !== 'done' || conversion[strict] !== current) return null;
    taken += conversion.claimed.length;
    current = strict === 'send' ? conversion.receive : conversion.send;
  }
  return current === 0n ? null : current;
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
