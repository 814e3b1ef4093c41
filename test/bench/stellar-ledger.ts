import { randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { systemClock } from '../../src/core/clock.ts';
import { createSandboxRates } from '../../src/sandbox/rates.ts';
import { createDatabase, type Database } from '../../src/server/platform/db/database.ts';
import { startEmbeddedPostgres } from '../../src/server/platform/db/embedded/embedded-postgres.ts';
import { migrate, migrationsFolder } from '../../src/server/platform/db/migrate.ts';
import {
  createAccount,
  createSandboxNetwork,
  operation,
  payment,
  type SandboxKey,
  type SandboxNetwork,
  sandboxKey,
  signedEnvelope,
  stellarDb,
} from '../sandbox/stellar/load.ts';
import { type Measure, median } from './table.ts';

/** The number of operations in a full ledger, and in a transaction. */
const ledgerOperations = 1_000;
const transactionOperations = 100;
/** Number of full ledgers, and of ledgers before the first memory reading. */
const ledgers = 200;
const warmLedgers = 20;
/** Number of timed ledgers with one payment per transaction. */
const timedLedgers = 10;

/** Measures payment operations per second, the close of a full ledger, and the growth of memory. */
export async function benchStellarLedger(folder: string): Promise<Measure[]> {
  const postgres = await startEmbeddedPostgres({
    dataDir: folder,
    log: { info: () => undefined, error: console.error },
  });
  const database = createDatabase({ connection: postgres.connection });
  await migrate(database.pool, migrationsFolder);
  const network = await openNetwork(database);
  const payers = await openAccounts(network, ledgerOperations);
  const bulk = await fillLedgers(network, payers, ledgers);
  const closes = await timeCloses(network, payers);
  await network.node.stop();
  await database.close();
  await postgres.release();
  const close = median(closes);
  return [
    {
      name: 'sandbox ledger, payment operations a second',
      value: bulk.perSecond.toFixed(0),
      target: 'at least 2,000',
      met: bulk.perSecond >= 2_000,
    },
    {
      name: 'sandbox ledger, close of 1,000 transactions',
      value: `${(close / 1000).toFixed(2)} s`,
      target: 'less than 1 s',
      met: close < 1_000,
    },
    {
      name: `sandbox ledger, growth of the heap in ${ledgers - warmLedgers} full ledgers`,
      value: `${bulk.growth.toFixed(1)} MB`,
      target: 'at most 5 MB',
      met: bulk.growth <= 5,
    },
  ];
}

async function openNetwork({ db }: Database): Promise<SandboxNetwork> {
  const network = await createSandboxNetwork({
    db: stellarDb(db),
    clock: systemClock,
    rates: createSandboxRates(systemClock),
    log: console,
    closeEveryMs: 1,
    notice: { channel: 'bench', payload: '' },
  });
  await network.node.current();
  return network;
}

/** An account of the benchmark, and its current sequence number. */
interface Payer {
  readonly key: SandboxKey;
  sequence: bigint;
}

async function openAccounts({ money, node }: SandboxNetwork, count: number): Promise<readonly Payer[]> {
  const funder = sandboxKey(randomBytes(32));
  await money.open(funder.address);
  const keys = Array.from({ length: count }, () => sandboxKey(randomBytes(32)));
  for (let from = 0; from < count; from += transactionOperations) {
    const sequence = (await node.current()).account(funder.address)?.sequence ?? 0n;
    const bodies = keys.slice(from, from + transactionOperations).map(key => createAccount(key.address, 900_000_000n));
    await applied(node, [
      signedEnvelope({ source: funder, sequence, operations: bodies.map(body => operation(body)) }),
    ]);
  }
  const ledger = await node.current();
  return keys.map(key => ({ key, sequence: ledger.account(key.address)?.sequence ?? 0n }));
}

/** Submits the envelopes and waits until all are in ledgers. */
async function applied(
  { submit, current, onLedger }: SandboxNetwork['node'],
  envelopes: readonly string[],
): Promise<void> {
  const submissions = await Promise.all(envelopes.map(envelope => submit(envelope)));
  const refused = submissions.find(({ status }) => status !== 'PENDING');
  if (refused !== undefined) throw new Error(`a transaction is ${refused.status}: ${refused.resultXdr}`);
  const waits = async () => {
    const ledger = await current();
    return submissions.some(({ hash }) => ledger.queued(hash));
  };
  while (await waits()) {
    await new Promise<void>(resolve => {
      const stop = onLedger(() => {
        stop();
        resolve();
      });
      setTimeout(resolve, 50);
    });
  }
}

function envelopeFrom(payer: Payer, payees: readonly Payer[]): string {
  const { key, sequence } = payer;
  payer.sequence++;
  const operations = payees.map(({ key: { address } }) => operation(payment(address, 'native', 1n)));
  return signedEnvelope({ source: key, sequence, operations, feePerOperation: 100 });
}

/** Fills each ledger with ten transactions of a hundred payments. Measures the heap. */
async function fillLedgers({ node }: SandboxNetwork, payers: readonly Payer[], count: number) {
  let warm = 0;
  let spent = 0;
  for (let ledger = 0; ledger < count; ledger++) {
    const sources = Array.from({ length: 10 }, (_, index) => payers[(ledger * 10 + index) % payers.length]);
    const envelopes = sources.flatMap((source, index) =>
      source === undefined
        ? []
        : [envelopeFrom(source, payers.slice(index * 100, index * 100 + transactionOperations))],
    );
    const begun = performance.now();
    await applied(node, envelopes);
    spent += performance.now() - begun;
    if (ledger + 1 === warmLedgers) warm = heapMegabytes();
  }
  return { perSecond: (count * ledgerOperations) / (spent / 1000), growth: heapMegabytes() - warm };
}

/** Closes ledgers with a thousand transactions of one payment. Returns milliseconds, including storing. */
async function timeCloses({ node }: SandboxNetwork, payers: readonly Payer[]): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < timedLedgers; round++) {
    const envelopes = payers.map(payer => envelopeFrom(payer, payers.slice(0, 1)));
    await node.exclusively(async ({ ledger, close }) => {
      for (const envelope of envelopes) ledger.submit(envelope);
      const begun = performance.now();
      await close();
      times.push(performance.now() - begun);
    });
  }
  return times;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapMegabytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}
