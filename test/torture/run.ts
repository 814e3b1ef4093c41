import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * Runs the long oracles. `npm run torture` does all that they have; `npm run torture -- --seconds 60` does a round that
 * ends after about a minute. `--seed` repeats the random numbers of a round; `--report` names a file for Vitest's JSON.
 */
const option = { type: 'string' } as const;
const {
  seconds,
  seed: given,
  report,
} = parseArgs({ options: { seconds: option, seed: option, report: option } }).values;
if (seconds !== undefined && !(Number(seconds) > 0)) throw new Error('--seconds takes a number above 0, such as 60.');
const reporters = report === undefined ? [] : ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
const seed = given ?? String(Math.floor(Math.random() * 2 ** 31));
const config = join(import.meta.dirname, 'vitest.config.ts');
console.log(`torture: a round with --seed ${seed}`);
const { status } = spawnSync(
  process.execPath,
  [join('node_modules', '.bin', 'vitest'), 'run', '-c', config, ...reporters],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      TORTURE_SEED: seed,
      ...(seconds !== undefined && { TORTURE_SECONDS: seconds }),
    },
  },
);
process.exitCode = status ?? 1;
