import type { Parameters } from 'fast-check';

const tortureSeconds = process.env['TORTURE_SECONDS'];
const isTorture = process.env['TORTURE'] === '1';

/**
 * The number of runs of a property: `usual` in the test suite. In a torture round, `thorough` runs, or with a time
 * limit as many as fit into its share.
 */
export function propertyRuns<T>(usual: number, thorough: number, share: number): Parameters<T> {
  if (!isTorture) return { numRuns: usual };
  if (tortureSeconds === undefined) return { numRuns: thorough };
  return { numRuns: 10_000_000, interruptAfterTimeLimit: Number(tortureSeconds) * share * 1000 };
}
