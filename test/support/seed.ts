import { spawnSync } from 'node:child_process';

/**
 * The seed of the random numbers of a run: `TEST_SEED`, or else the commit, which is then checked with the same numbers
 * everywhere. Without a repository it differs in each run.
 */
export function testSeed(): string {
  const commit = spawnSync('git', ['rev-parse', '--short=7', 'HEAD'], { encoding: 'utf8' }).stdout?.trim();
  return process.env['TEST_SEED'] ?? (commit ? String(Number.parseInt(commit, 16)) : randomSeed());
}

export const randomSeed = (): string => String(Math.floor(Math.random() * 2 ** 31));
