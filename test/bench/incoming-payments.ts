import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../src/core/clock.ts';
import { newId } from '../../src/core/id.ts';
import { parseUnits } from '../../src/core/money.ts';
import { stellarDecimals } from '../../src/core/stellar/stellar-amount.ts';
import { type App, createApp } from '../../src/server/app.ts';
import { insertApiKey, newApiKey, newKeyText } from '../../src/server/merchants/api-key.store.ts';
import { insertMerchant } from '../../src/server/merchants/merchant.store.ts';
import { createDatabase, type Database } from '../../src/server/platform/db/database.ts';
import { startEmbeddedPostgres } from '../../src/server/platform/db/embedded/embedded-postgres.ts';
import { migrate, migrationsFolder } from '../../src/server/platform/db/migrate.ts';
import { createLog } from '../../src/server/platform/logging.ts';
import { loadRootSecret } from '../../src/server/platform/root-secret.store.ts';
import { readConfig } from '../../src/server/settings/config.ts';
import { operation, payment, type SandboxKey, sandboxKey, signedEnvelope } from '../sandbox/stellar/load.ts';
import type { Measure } from './table.ts';

const payments = 10_000;
/** Each payer makes one payment per ledger, in its own transaction. */
const payers = 500;
const atOnce = 32;

/** The instructions for the payer. `amount` is in stroops of XLM. */
interface Asked {
  readonly address: string;
  readonly amount: bigint;
}

/**
 * Time to read ten thousand waiting payments over Horizon’s HTTP, match them, book them and write their events. The
 * sandbox network runs in the same process, on the same core.
 */
export async function benchIncoming(folder: string): Promise<Measure[]> {
  const postgres = await startEmbeddedPostgres({
    dataDir: folder,
    log: { info: () => undefined, error: console.error },
  });
  const database = createDatabase({ connection: postgres.connection });
  await migrate(database.pool, migrationsFolder);
  const app = await startApp(database, postgres.connection);
  await app.http.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.http.server.address() as AddressInfo;
  const key = await newKey(database);
  await app.sweeper.runAll(['treasury', 'payments.deposits']);
  await payAll(`http://127.0.0.1:${port}/sandbox/horizon`, await inParallel(payments, () => askOne(app, key)));
  const begun = performance.now();
  let read = 0;
  while (read < payments) read += await app.sweeper.runAll(['payments.deposits']);
  const perSecond = read / ((performance.now() - begun) / 1000);
  await expectAllPaid(database);
  await app.stop();
  await database.close();
  await postgres.release();
  return [
    {
      name: `${payments} incoming payments, read and credited`,
      value: `${perSecond.toFixed(0)}/s`,
      target: 'at least 1,000/s',
      met: perSecond >= 1_000,
    },
  ];
}

async function startApp(database: Database, connection: Parameters<typeof createApp>[0]['connection']): Promise<App> {
  const settings = { PAY_LOG_LEVEL: 'silent', PAY_SANDBOX_LEDGER_MS: '20', PAY_RATE_LIMIT: '0', PAY_ROLE: 'api' };
  const config = readConfig(settings);
  const app = await createApp({
    config,
    database,
    connection,
    clock: systemClock,
    browserDir: null,
    rootSecret: await loadRootSecret(database.db),
    log: createLog(config, () => {}),
    publicUrl: () => 'http://localhost:4242',
    testKeys: async () => ({ secretKey: null, publishableKey: null, merchantId: '', given: [] }),
  });
  await app.start();
  return app;
}

async function newKey({ db }: Database): Promise<string> {
  const [merchantId, text] = [newId('account'), newKeyText('secret', false)];
  const key = { merchant_id: merchantId, type: 'secret', livemode: false, name: null } as const;
  await db.transaction().execute(async tx => {
    await insertMerchant(tx, { id: merchantId, name: 'Bench', clientAmounts: false });
    await insertApiKey(tx, newApiKey(text, { ...key, scopes: ['*'], created_at: systemClock.now() }));
  });
  return text;
}

/** Creates a payment. Returns the instructions for the payer. */
async function askOne({ http }: App, key: string): Promise<Asked> {
  const post = async (url: string, payload: object) => {
    const answer = await http.inject({ method: 'POST', url, payload, headers: { authorization: `Bearer ${key}` } });
    if (answer.statusCode >= 300) throw new Error(answer.body);
    return answer.json();
  };
  const { id } = await post('/v1/payments', {
    amount: 50,
    currency: 'EUR',
    settlement_asset: 'XLM',
    settlement_network: 'stellar',
    payment_methods: ['crypto'],
    customer: { email: 'ada@example.com' },
  });
  const choice = { method: 'crypto', chain: 'stellar', asset: 'XLM' };
  const { next_action: action } = await post(`/v1/payments/${id}/confirm`, choice);
  return { address: action.address, amount: parseUnits(action.amount, stellarDecimals) ?? 0n };
}

async function payAll(horizon: string, asked: readonly Asked[]): Promise<void> {
  const each = asked.length / payers;
  await Promise.all(
    Array.from({ length: payers }, async (_, index) => {
      const { key, sequence: first } = await openPayer(horizon);
      let sequence = first;
      for (const one of asked.slice(index * each, (index + 1) * each)) await pay(horizon, key, sequence++, one);
    }),
  );
}

/** Opens an account with 10,000 XLM. Returns its key and sequence. */
export async function openPayer(horizon: string): Promise<{ readonly key: SandboxKey; readonly sequence: bigint }> {
  const key = sandboxKey(randomBytes(32));
  await (await fetch(`${horizon}/friendbot?addr=${key.address}`)).arrayBuffer();
  const account = await (await fetch(`${horizon}/accounts/${key.address}`)).json();
  return { key, sequence: BigInt((account as { sequence: string }).sequence) };
}

/** Sends XLM, and waits for its ledger. `sequence`: the payer's account before the payment. Returns the ledger. */
export async function pay(
  horizon: string,
  key: SandboxKey,
  sequence: bigint,
  { address, amount }: Asked,
): Promise<number> {
  const operations = [operation(payment(address, 'native', amount))];
  const body = new URLSearchParams({ tx: signedEnvelope({ source: key, sequence, operations }) });
  const answer = await fetch(`${horizon}/transactions`, { method: 'POST', body });
  if (!answer.ok) throw new Error(await answer.text());
  return ((await answer.json()) as { ledger: number }).ledger;
}

async function inParallel<T>(count: number, work: () => Promise<T>): Promise<T[]> {
  const done: T[] = [];
  let left = count;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) done.push(await work());
    }),
  );
  return done;
}

async function expectAllPaid({ pool }: Database): Promise<void> {
  const { rows } = await pool.query("select count(*)::int as paid from audit_payments where status = 'completed'");
  if (rows[0].paid !== payments) throw new Error(`only ${rows[0].paid} of ${payments} payments are paid`);
}
