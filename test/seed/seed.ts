import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { createPayClient } from '../../src/api/client.ts';
import { systemClock } from '../../src/core/clock.ts';
import { createApp } from '../../src/server/app.ts';
import { ledgerSums } from '../../src/server/ledger/ledger.store.ts';
import { insertApiKey, newApiKey, newKeyText } from '../../src/server/merchants/api-key.store.ts';
import { ensureFirstMerchant } from '../../src/server/merchants/first-merchant.store.ts';
import { createDatabase, type Database } from '../../src/server/platform/db/database.ts';
import { startEmbeddedPostgres } from '../../src/server/platform/db/embedded/embedded-postgres.ts';
import { foldSums } from '../../src/server/platform/db/folded-sums.ts';
import { migrate, migrationsFolder } from '../../src/server/platform/db/migrate.ts';
import { ensureEventPartitions } from '../../src/server/platform/events/event.store.ts';
import { createLog } from '../../src/server/platform/logging.ts';
import { claimNetwork, loadRootSecret } from '../../src/server/platform/root-secret.store.ts';
import { createSecrets } from '../../src/server/platform/secrets.ts';
import { figures } from '../../src/server/reports/figures.store.ts';
import { type Config, readConfig } from '../../src/server/settings/config.ts';
import { localKey } from '../../src/server/stellar/transaction/signing-key.ts';
import { copyPayments } from './copies.ts';
import { makeOriginals, makeOthers, seedCustomers } from './originals.ts';

/**
 * `npm run seed -- --payments 50000`: fills the sandbox's first merchant. At most 150 payments are made through the
 * API. The others are copies of them, inserted by SQL and spread over the last days. `docs/operating.md` says what the
 * copies lack.
 */

const options = {
  payments: { type: 'string', default: '50000' },
  days: { type: 'string', default: '90' },
  customers: { type: 'string' },
} as const;

async function seed(): Promise<void> {
  const { values } = parseArgs({ options });
  const [payments, days] = [wholeNumber('payments', values.payments), wholeNumber('days', values.days)];
  const customers = seedCustomers(wholeNumber('customers', values.customers ?? String(Math.ceil(payments / 12) + 1)));
  // Ledgers close quickly, so that the originals are settled soon.
  const config = readConfig({ PAY_SANDBOX_LEDGER_MS: '100', PAY_RATE_LIMIT: '0', ...process.env });
  if (config.network !== 'sandbox') throw new Error('Only a sandbox can be seeded. Unset PAY_NETWORK.');
  const postgres =
    config.databaseUrl === null ? await startEmbeddedPostgres({ dataDir: config.dataDir, log: quiet }) : null;
  const connection: pg.ClientConfig = postgres?.connection ?? { connectionString: config.databaseUrl ?? '' };
  const database = createDatabase({ connection, silenceMs: 0 });
  try {
    await fill({ config, connection, database }, { payments, days, customers });
  } finally {
    await database.close();
    await postgres?.release();
  }
}

/** Maximum number of payments made through the API. Each takes several calls. */
const mostOriginals = 150;
const quiet = { info: () => undefined, error: console.error };

interface Target {
  readonly config: Config;
  readonly connection: pg.ClientConfig;
  readonly database: Database;
}

interface Wanted {
  readonly payments: number;
  readonly days: number;
  readonly customers: ReturnType<typeof seedCustomers>;
}

async function fill({ config, connection, database }: Target, { payments, days, customers }: Wanted): Promise<void> {
  await migrate(database.pool, migrationsFolder);
  await ensureEventPartitions(database.db);
  const rootSecret = await loadRootSecret(database.db);
  await claimNetwork(database.db, config.network);
  const secrets = createSecrets(rootSecret);
  const { merchantId } = await ensureFirstMerchant({
    db: database.db,
    secrets,
    clock: systemClock,
    livemode: false,
    secretKey: null,
    publishableKey: null,
    stellarAddress: localKey(secrets.stellarSeed('settlement')).address,
  });
  const [began, since] = [performance.now(), systemClock.now()];
  const seconds = () => Math.round((performance.now() - began) / 1000);
  const made = await makeByApi(
    { config, connection, database },
    { merchantId, rootSecret },
    { payments, days, customers },
  );
  console.log(`${made} payments made through the API, after ${seconds()} s`);
  const withIds = customers.map(customer => ({
    ...customer,
    id: secrets.customerId(merchantId, false, customer.email),
  }));
  const client = await database.pool.connect();
  const plan = {
    merchantId,
    days,
    since,
    customers: withIds,
    count: payments - made,
    salt: randomBytes(8).toString('hex'),
  };
  await copyPayments(client, plan, done => console.log(`${made + done} of ${payments} payments, after ${seconds()} s`));
  client.release(true);
  for (const sums of [figures, ledgerSums]) while ((await foldSums(database.db, sums)) > 0);
  await database.pool.query('analyze');
}

/** Runs the service in this process, and makes some of the payments by calls of its API, as real clients do. */
async function makeByApi(
  { config, connection, database }: Target,
  { merchantId, rootSecret }: { readonly merchantId: string; readonly rootSecret: Buffer },
  { payments, customers }: Wanted,
): Promise<number> {
  const text = newKeyText('secret', false);
  const fields = { merchant_id: merchantId, type: 'secret', livemode: false, name: 'npm run seed' } as const;
  const key = newApiKey(text, { ...fields, scopes: ['*'], created_at: systemClock.now() });
  await database.db.transaction().execute(tx => insertApiKey(tx, key));
  const app = await createApp({
    config,
    connection,
    database,
    rootSecret,
    clock: systemClock,
    browserDir: null,
    log: createLog({ ...config, logLevel: 'error' }, line => console.error(line.trim())),
    publicUrl: () => config.publicUrl ?? `http://localhost:${config.port}`,
    testKeys: async () => ({ secretKey: null, publishableKey: null, merchantId, given: [] }),
  });
  await app.http.listen({ host: '127.0.0.1', port: 0 });
  await app.start();
  const { port } = app.http.server.address() as AddressInfo;
  const pay = createPayClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: text });
  try {
    const made = await makeOriginals(pay, Math.min(mostOriginals, payments), customers);
    await makeOthers(pay, customers);
    await untilSettled(database, merchantId);
    return made;
  } finally {
    await app.stop();
    await database.pool.query('update api_keys set revoked_at = now() where merchant_id = $1 and id = $2', [
      merchantId,
      key.id,
    ]);
  }
}

/** Waits until all settlements and refunds of the originals are done, for a minute at most. */
async function untilSettled({ pool }: Database, merchantId: string): Promise<void> {
  for (let look = 0; look < 240; look++) {
    const { rowCount } = await pool.query(
      `select from payments where merchant_id = $1 and not livemode
         and (amount_settling > 0 or amount_refunding > 0 or settlement_due_at < now()) limit 1`,
      [merchantId],
    );
    if (rowCount === 0) return;
    await sleep(250);
  }
}

function wholeNumber(name: string, text: string): number {
  if (/^[1-9][0-9]{0,7}$/.test(text)) return Number(text);
  throw new Error(`--${name} takes a whole number above 0.`);
}

await seed();
