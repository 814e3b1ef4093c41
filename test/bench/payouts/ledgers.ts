import { setTimeout as sleep } from 'node:timers/promises';
import { Keypair } from '@stellar/stellar-sdk/base';
import { testPassphrase } from '../../../src/core/stellar/stellar-network.ts';
import { createDatabase, type Database } from '../../../src/server/platform/db/database.ts';
import { startEmbeddedPostgres } from '../../../src/server/platform/db/embedded/embedded-postgres.ts';
import { createHttpExchange } from '../../../src/server/platform/http-exchange.ts';
import { createHorizonNetwork } from '../../../src/server/stellar/horizon/horizon-network.ts';
import type { StellarNetwork } from '../../../src/server/stellar/network.ts';
import { attachSignatures, buildEnvelope, hashEnvelope } from '../../../src/server/stellar/transaction/transaction.ts';
import { startServerProcess } from '../../support/server-process.ts';
import type { Measure } from '../table.ts';
import { api, fund, key, many, walletRow } from './rows.ts';

/** The ledger interval and the limits of the public network. */
const ledgerMs = 5_000;
const operationsALedger = 1_000;
const operationsATransaction = 100;
/** The number of payouts before the measurement. They make the treasury open its channels. */
const warmUp = 1_000;
/** The number of payouts with different memos. Each has its own transaction. */
const single = 50;
/** The number of accounts that open the payees' accounts in parallel. */
const openers = 10;

/** Ledgers and transactions that a batch needed. */
interface Run {
  readonly ledgers: number;
  readonly transactions: number;
}

/**
 * Sends 10,000 payouts to 10,000 accounts of the sandbox network, which accepts 1,000 operations a ledger like the
 * public network. Also sends payouts with different memos, which cannot share a transaction.
 */
export async function benchLedgers(folder: string): Promise<Measure[]> {
  const postgres = await startEmbeddedPostgres({
    dataDir: folder,
    log: { info: () => undefined, error: console.error },
  });
  const settings = { PAY_DATA_DIR: folder, PAY_SECRET_KEY: key, PAY_RATE_LIMIT: '0', PAY_LOG_LEVEL: 'warn' };
  const fast = await startServerProcess({ ...settings, PAY_SANDBOX_LEDGER_MS: '100' });
  await fund(fast.url, 1_000_000_000_00);
  const payees = await openPayees(fast.url);
  await fast.stop();
  const server = await startServerProcess({ ...settings, PAY_SANDBOX_LEDGER_MS: String(ledgerMs) });
  const database = createDatabase({ connection: postgres.connection, max: 1, silenceMs: 0 });
  await send(
    server.url,
    database,
    payees.slice(0, warmUp).map((payee, index) => walletRow(index, payee)),
  );
  const alone = await send(
    server.url,
    database,
    payees.slice(0, single).map((payee, index) => walletRow(index, payee, String(index + 1))),
  );
  const together = await send(
    server.url,
    database,
    payees.map((payee, index) => walletRow(index, payee)),
  );
  await database.close();
  await server.stop();
  await postgres.release();
  return measuresOf(together, alone);
}

function measuresOf(together: Run, alone: Run): Measure[] {
  const needed = many / operationsALedger;
  const aThousand = (alone.ledgers * operationsALedger) / single;
  return [
    {
      name: `ledgers of ${many} payouts on Stellar in ${together.transactions} transactions (${needed} are possible)`,
      value: String(together.ledgers),
      target: `at most ${Math.floor(needed * 1.2)}`,
      met: together.ledgers <= needed * 1.2,
    },
    {
      name: `ledgers of 1,000 payouts: together, and with a transaction each (${single} measured)`,
      value: `${((together.ledgers * operationsALedger) / many).toFixed(1)} and ${aThousand.toFixed(0)}`,
      target: 'fewer together',
      met: together.ledgers / many < alone.ledgers / single,
    },
  ];
}

/** Pays the rows and waits until the batch has ended. */
async function send(url: string, { pool }: Database, rows: readonly object[]): Promise<Run> {
  const { id } = await api<{ id: string }>(url, 'POST /v1/payouts/bulk', { payouts: rows });
  for (let isOver = false; !isOver; ) {
    await sleep(500);
    const batch = await api<{ status: string; counts: { completed: number } }>(url, `GET /v1/payout-batches/${id}`);
    isOver = batch.status !== 'processing';
    if (isOver && batch.counts.completed !== rows.length) throw new Error(JSON.stringify(batch));
  }
  const { rows: found } = await pool.query(
    `select max(o.ledger) - min(o.ledger) + 1 as ledgers, count(distinct o.reference)::int as transactions,
       extract(epoch from max(o.ended_at) - min(o.ended_at))::float8 as seconds
     from payouts p join outbound_transfers o on o.merchant_id = p.merchant_id and o.resource_id = p.id
     where p.batch_id = $1 and o.state = 'completed'`,
    [id],
  );
  const { ledgers, transactions, seconds } = found[0];
  console.log(`  ${rows.length} payouts: ${ledgers} ledgers, ${transactions} transactions, ${seconds.toFixed(1)} s`);
  // The sandbox closes no empty ledgers, but the public network would.
  return { transactions, ledgers: Math.max(ledgers, Math.round((seconds * 1000) / ledgerMs) + 1) };
}

/** Opens an account for each payout, and returns their addresses. */
async function openPayees(url: string): Promise<readonly string[]> {
  const http = createHttpExchange();
  const network = createHorizonNetwork({ http, passphrase: testPassphrase, url: () => `${url}/sandbox/horizon` });
  const opened = await Promise.all(Array.from({ length: openers }, () => openSome(url, network, many / openers)));
  http.close();
  return opened.flat();
}

async function openSome(url: string, network: StellarNetwork, count: number): Promise<readonly string[]> {
  const opener = Keypair.random();
  const source = opener.publicKey();
  await fetch(`${url}/sandbox/horizon/friendbot?addr=${source}`);
  let sequence = (await network.account(source))?.sequence ?? 0n;
  const payees = Array.from({ length: count }, () => Keypair.random().publicKey());
  for (let from = 0; from < count; from += operationsATransaction) {
    const operations = payees
      .slice(from, from + operationsATransaction)
      .map(destination => ({ type: 'createAccount', destination, startingBalance: 20_000_000n }) as const);
    const fee = 1_000n * BigInt(operations.length);
    const unsigned = buildEnvelope({ source, sequence: ++sequence, fee, timeBounds: null, operations });
    const hash = hashEnvelope(unsigned, testPassphrase);
    const signature = Buffer.from(opener.sign(Buffer.from(hash, 'hex'))).toString('base64');
    await network.submit(attachSignatures(unsigned, testPassphrase, { address: source, signature }));
    while ((await network.status(hash)).state !== 'applied') await sleep(50);
  }
  return payees;
}
