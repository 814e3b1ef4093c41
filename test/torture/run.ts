import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { randomSeed } from '../support/seed.ts';

/**
 * Runs the long tests. `npm run torture` runs them in full; `npm run torture -- --seconds 60` ends after about a
 * minute. `--only payouts` runs the files whose names contain the word. In full, these pay 10,000 rows of one request in
 * the sandbox, and 4,000 by the connectors of live mode. Meanwhile 20 kills happen, and a fifth of all calls fail.
 * `--seed` repeats the random numbers of a round.
 */
const option = { type: 'string' } as const;
const { seconds, seed: given, only } = parseArgs({ options: { seconds: option, seed: option, only: option } }).values;
if (seconds !== undefined && !(Number(seconds) > 0)) throw new Error('--seconds takes a number above 0, such as 60.');
const seed = given ?? randomSeed();
const config = join(import.meta.dirname, 'vitest.config.ts');
console.log(`torture: a round with --seed ${seed}`);
const { status } = spawnSync(
  process.execPath,
  [join('node_modules', '.bin', 'vitest'), 'run', '-c', config, only ?? ''],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      TEST_SEED: seed,
      ...(seconds !== undefined && { TORTURE_SECONDS: seconds }),
    },
  },
);
process.exitCode = status ?? 1;
