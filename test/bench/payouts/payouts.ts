import type { Measure } from '../table.ts';
import { benchAcceptance } from './accept.ts';
import { benchLedgers } from './ledgers.ts';
import { benchStatements } from './statements.ts';

/** Runs a benchmark in a folder of its own. */
type InFolder = (bench: (folder: string) => Promise<Measure[]>) => Promise<Measure[]>;

/** Benchmarks of payouts: accepting, reading and sending 10,000 of them. */
export async function benchPayouts(inFolder: InFolder): Promise<Measure[]> {
  const measures: Measure[] = [];
  for (const bench of [benchAcceptance, benchStatements, benchLedgers]) measures.push(...(await inFolder(bench)));
  return measures;
}
