import type { ClaimPredicateWire } from '@stellar/stellar-sdk/xdr';
import { BrokenInvariant, maxAmount } from './entries.ts';

/** Levels of `and`, `or` and `not` that a predicate may have. */
const deepest = 4;

/** Whether the predicate is one that can be kept: two branches each, times not negative (CAP-23). */
export function isPredicate(predicate: ClaimPredicateWire, depth = 1): boolean {
  if (depth > deepest) return false;
  switch (predicate.type) {
    case 0:
      return true;
    case 1:
      return isPair(predicate.andPredicates, depth + 1);
    case 2:
      return isPair(predicate.orPredicates, depth + 1);
    case 3:
      return predicate.notPredicate !== null && isPredicate(predicate.notPredicate, depth + 1);
    case 4:
      return predicate.absBefore >= 0n;
    case 5:
      return predicate.relBefore >= 0n;
  }
}

const isPair = (predicates: readonly ClaimPredicateWire[], depth: number): boolean =>
  predicates.length === 2 && predicates.every(predicate => isPredicate(predicate, depth));

/** The predicate with times from now on turned into times of the clock, as it is kept. */
export function absolutePredicate(predicate: ClaimPredicateWire, closeTime: bigint): ClaimPredicateWire {
  const turned = (inner: ClaimPredicateWire) => absolutePredicate(inner, closeTime);
  switch (predicate.type) {
    case 1:
      return { type: 1, andPredicates: predicate.andPredicates.map(turned) };
    case 2:
      return { type: 2, orPredicates: predicate.orPredicates.map(turned) };
    case 3:
      return { type: 3, notPredicate: predicate.notPredicate && turned(predicate.notPredicate) };
    case 5: {
      const absBefore = closeTime + predicate.relBefore;
      return { type: 4, absBefore: absBefore > maxAmount ? maxAmount : absBefore };
    }
    default:
      return predicate;
  }
}

/** Whether a claim at this time is allowed. */
export function mayClaim(predicate: ClaimPredicateWire, closeTime: bigint): boolean {
  switch (predicate.type) {
    case 0:
      return true;
    case 1:
      return predicate.andPredicates.every(inner => mayClaim(inner, closeTime));
    case 2:
      return predicate.orPredicates.some(inner => mayClaim(inner, closeTime));
    case 3:
      return predicate.notPredicate !== null && !mayClaim(predicate.notPredicate, closeTime);
    case 4:
      return predicate.absBefore > closeTime;
    case 5:
      throw new BrokenInvariant('Invalid ClaimPredicate');
  }
}
