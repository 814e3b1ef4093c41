import { BrokenInvariant, maxAmount, type Offer } from '../state/entries.ts';
import type { LedgerState } from '../state/ledger-state.ts';
import { type Claim, type ConversionEnd, convert } from './offer-conversion.ts';

/** The most offers that one operation may take. */
export const maxOffers = 1000;

/** The terms of a path payment. */
export interface PathTerms {
  /** From the sent asset to the received one. */
  readonly path: readonly string[];
  /** The side whose amount is exact. */
  readonly strict: 'send' | 'receive';
  readonly amount: bigint;
  /** Its own offers are not taken. */
  readonly payer?: string | undefined;
}

interface PathConversion {
  readonly end: ConversionEnd;
  /** The amount of the side that is not exact; meaningless unless `end` is `done`. */
  readonly amount: bigint;
  readonly claimed: readonly Claim[];
}

/** Converts along a path: forwards from an exact sent amount, or backwards from an exact received one. */
export function convertPath(state: LedgerState, { path, strict, amount, payer }: PathTerms): PathConversion {
  const isSend = strict === 'send';
  const assets = isSend ? path : path.toReversed();
  const rounding = isSend ? 'strict_send' : 'strict_receive';
  const refuse = ({ seller }: Offer) => (seller === payer ? 'cross_self' : null);
  let claimed: readonly Claim[] = [];
  let current = amount;
  for (const [index, next] of assets.entries()) {
    const previous = assets[index - 1] ?? next;
    if (previous === next) continue;
    const pair = isSend ? { from: previous, to: next } : { from: next, to: previous };
    const limit = isSend ? { send: current, receive: maxAmount } : { send: maxAmount, receive: current };
    const hop = convert(state, { ...pair, limit, rounding, maxOffers: maxOffers - claimed.length, refuse });
    if (hop.end !== 'done') return { end: hop.end, amount: 0n, claimed };
    if (hop[strict] !== current) return { end: 'partial', amount: 0n, claimed };
    claimed = isSend ? [...claimed, ...hop.claimed] : [...hop.claimed, ...claimed];
    current = isSend ? hop.receive : hop.send;
  }
  return { end: 'done', amount: current, claimed };
}

/** The other side’s amount of a path payment, or `null` when it is impossible. Changes nothing. */
export function quote(state: LedgerState, terms: PathTerms): bigint | null {
  if (terms.amount <= 0n) return null;
  const mark = state.journal.mark();
  try {
    const { end, amount } = convertPath(state, terms);
    return end === 'done' && amount !== 0n ? amount : null;
  } catch (error) {
    if (error instanceof BrokenInvariant) return null;
    throw error;
  } finally {
    state.journal.undo(mark);
  }
}

/** Two assets of which the first can be converted to the second in one step. */
export interface TradingPair {
  readonly from: string;
  readonly to: string;
}

/** Pairs with offers or a funded pool, without duplicates. */
export function tradingPairs(state: LedgerState): TradingPair[] {
  const pairs = state.books.pairs().map(({ selling, buying }) => ({ from: buying, to: selling }));
  for (const { assetA, assetB, reserveA, reserveB } of state.pools.values()) {
    if (reserveA === 0n || reserveB === 0n) continue;
    pairs.push({ from: assetA, to: assetB }, { from: assetB, to: assetA });
  }
  return [...new Map(pairs.map(pair => [`${pair.from} ${pair.to}`, pair])).values()];
}
