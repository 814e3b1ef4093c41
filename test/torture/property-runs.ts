import type { Parameters } from 'fast-check';

const tortureSeconds = process.env['TORTURE_SECONDS'];
const isTorture = process.env['TORTURE'] === '1';

/**
 * How often a property is tried: `usual` times in the test suite. In a torture round it is tried until its share of the
 * seconds is over, or `thorough` times where the round has no bound.
 */
export function propertyRuns<T>(usual: number, thorough: number, share: number): Parameters<T> {
  if (!isTorture) return { numRuns: usual };
  if (tortureSeconds === undefined) return { numRuns: thorough };
  return { numRuns: 10_000_000, interruptAfterTimeLimit: Number(tortureSeconds) * share * 1000 };
}
