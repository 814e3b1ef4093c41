import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readRecording } from './sandbox/stellar/core/recording.ts';
import { replay } from './sandbox/stellar/core/replay.ts';

// Replays a folder of recordings of stellar-core: node test/vectors.ts FOLDER

const [folder] = process.argv.slice(2);
if (folder === undefined || !existsSync(folder)) {
  console.error('Say which folder of recordings to replay: npm run vectors -- FOLDER');
  process.exit(2);
}

const files = readdirSync(folder)
  .filter(name => /\.json(\.br)?$/.test(name))
  .sort();

let failed = 0;
for (const file of files) {
  const differences = differencesOf(join(folder, file));
  if (differences.length === 0) continue;
  failed++;
  console.log(`${file}:`);
  for (const difference of differences.slice(0, 10)) console.log(`  ${difference}`);
  if (differences.length > 10) console.log(`  … and ${differences.length - 10} more`);
}
console.log(`${files.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 || files.length === 0 ? 1 : 0;

function differencesOf(path: string): string[] {
  try {
    return replay(readRecording(path)).map(({ step, what }) => `step ${step}: ${what}`);
  } catch (error) {
    return [`cannot be replayed: ${error instanceof Error ? error.stack : error}`];
  }
}
