import type { ClaimPredicateWire } from '@stellar/stellar-sdk/xdr';
import type { Fields } from './horizon-values.ts';

/** When a claimable balance may be claimed, as Horizon writes it. Moments beyond what a date can say stay out. */
export function predicateFields(predicate: ClaimPredicateWire): Fields {
  switch (predicate.type) {
    case 0:
      return { unconditional: true };
    case 1:
      return { and: predicate.andPredicates.map(predicateFields) };
    case 2:
      return { or: predicate.orPredicates.map(predicateFields) };
    case 3:
      return predicate.notPredicate === null ? {} : { not: predicateFields(predicate.notPredicate) };
    case 4:
      return { ...momentField(predicate.absBefore), abs_before_epoch: String(predicate.absBefore) };
    case 5:
      return { rel_before: String(predicate.relBefore) };
  }
}

/** The last second that a date of JavaScript, as one of Go, can say in four digits. */
const lastSecond = 253_402_300_799n;

function momentField(seconds: bigint): Fields {
  if (seconds > lastSecond || seconds < 0n) return {};
  return { abs_before: new Date(Number(seconds) * 1000).toISOString().replace('.000Z', 'Z') };
}
