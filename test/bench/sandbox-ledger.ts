import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Asset, Operation } from '@stellar/stellar-sdk/base';
import { currentRules } from '../../src/sandbox/stellar/ledger.ts';
import { addressOf, entryOf, World } from '../sandbox/stellar/core/world.ts';
import { type Measure, median } from './table.ts';

const perLedger = 1000;
const rounds = 5;
const people = Array.from({ length: perLedger }, (_, index) => `payer-${index}`);

/** Bytes that something still refers to. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

/** One signed payment by each, to the next one. */
const payments = (world: World): string[] =>
  people.map((name, index) => {
    const destination = addressOf(people[(index + 1) % perLedger] ?? name);
    return world.envelope(name, [Operation.payment({ destination, asset: Asset.native(), amount: '1' })]);
  });

function fillLedger(world: World): { submitMs: number; closeMs: number } {
  const envelopes = payments(world);
  const begun = performance.now();
  for (const envelope of envelopes) world.submit(envelope);
  const submitted = performance.now();
  const { transactions } = world.close();
  const closed = performance.now();
  if (transactions.filter(({ successful }) => successful).length !== perLedger) throw new Error('not all were paid');
  return { submitMs: submitted - begun, closeMs: closed - submitted };
}

/** Full ledgers of payments by different accounts, signatures and XDR included; the heap before and after many of them. */
export async function benchLedger(): Promise<Measure[]> {
  const world = new World({ rules: currentRules, entries: people.map(name => entryOf(name, 10_000_000_000n)) });
  fillLedger(world);
  const before = heapInUse();
  const filled = Array.from({ length: rounds }, () => fillLedger(world));
  const grown = (heapInUse() - before) / 1e6;
  const rate = median(filled.map(({ submitMs, closeMs }) => (perLedger / (submitMs + closeMs)) * 1000));
  const close = median(filled.map(({ closeMs }) => closeMs));
  return [
    {
      name: 'sandbox ledger, payments submitted and applied',
      value: `${rate.toFixed(0)}/s`,
      target: 'at least 2,000/s',
      met: rate >= 2000,
    },
    {
      name: 'sandbox ledger, close of 1,000 operations',
      value: `${close.toFixed(0)} ms`,
      target: 'under 1 s',
      met: close < 1000,
    },
    {
      name: `sandbox ledger, heap after ${rounds * perLedger} more transactions`,
      value: `${grown.toFixed(1)} MB`,
      target: 'at most 2 MB more',
      met: grown <= 2,
    },
  ];
}
