import type { JsonRecord } from './json-record.ts';

/**
 * Whether a claimant’s predicate holds at a ledger’s close. A relative one was made absolute when the balance was
 * created (CAP-23), so one that is left, or any other that is not known, does not hold.
 */
export function isClaimable(predicate: JsonRecord, now: Date): boolean {
  if (predicate.has('unconditional')) return predicate.boolean('unconditional');
  if (predicate.has('and')) return predicate.list('and').every(each => isClaimable(each, now));
  if (predicate.has('or')) return predicate.list('or').some(each => isClaimable(each, now));
  if (predicate.has('not')) return isKnown(predicate.record('not')) && !isClaimable(predicate.record('not'), now);
  return predicate.has('abs_before') && now < predicate.time('abs_before');
}

/** What is not known is not true the other way round, either. */
function isKnown(predicate: JsonRecord): boolean {
  if (predicate.has('not')) return isKnown(predicate.record('not'));
  const branch = ['and', 'or'].find(word => predicate.has(word));
  if (branch !== undefined) return predicate.list(branch).every(isKnown);
  return predicate.has('unconditional') || predicate.has('abs_before');
}
