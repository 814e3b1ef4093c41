import { randomUUID } from 'node:crypto';
import { addSeconds, systemClock } from '../../src/core/clock.ts';
import { newId } from '../../src/core/id.ts';
import { createApp } from '../../src/server/app.ts';
import { insertApiKey, newApiKey, newKeyText } from '../../src/server/merchants/api-key.store.ts';
import { insertMerchant } from '../../src/server/merchants/merchant.store.ts';
import { createDatabase, type Database } from '../../src/server/platform/db/database.ts';
import { startEmbeddedPostgres } from '../../src/server/platform/db/embedded/embedded-postgres.ts';
import { migrate, migrationsFolder } from '../../src/server/platform/db/migrate.ts';
import { createLog } from '../../src/server/platform/logging.ts';
import { loadRootSecret } from '../../src/server/platform/root-secret.store.ts';
import { readConfig } from '../../src/server/settings/config.ts';
import { logStatements, type StatementLog } from '../support/statements.ts';

/** A service in the process of the benchmark. It counts SQL statements. Sweeps run only on request. */
export interface BenchApp {
  readonly database: Database;
  /** A connection for long statements. */
  readonly seeder: Database;
  readonly statements: () => number;
  readonly log: StatementLog;
  readonly merchantId: string;
  advance(seconds: number): void;
  post(url: string, payload: object): Promise<{ id: string }>;
  /** Runs the sweeps until no work is left. Returns the number of done items. */
  run(...sweeps: string[]): Promise<number>;
  stop(): Promise<void>;
}

/** Starts the service on a new database in the folder, with its own merchant. */
export async function startBenchApp(folder: string): Promise<BenchApp> {
  // The log starts before the first connection, because each connection keeps its first `query` function.
  const sent = logStatements();
  const log = { info: () => undefined, error: console.error };
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log });
  const database = createDatabase({ connection: postgres.connection });
  const seeder = createDatabase({ connection: postgres.connection, max: 1, silenceMs: 0 });
  await migrate(database.pool, migrationsFolder);
  let ahead = 0;
  // The clock stands still. Otherwise other work could become due while statements are counted.
  const begun = systemClock.now();
  const clock = { now: () => addSeconds(begun, ahead) };
  const config = readConfig({ PAY_LOG_LEVEL: 'silent', PAY_RATE_LIMIT: '0', PAY_ROLE: 'api' });
  const app = await createApp({
    config,
    database,
    connection: postgres.connection,
    clock,
    browserDir: null,
    rootSecret: await loadRootSecret(database.db),
    log: createLog(config, () => {}),
    publicUrl: () => 'http://localhost:4242',
    testKeys: async () => ({ secretKey: null, publishableKey: null, merchantId: '', given: [] }),
  });
  const { key, merchantId } = await newMerchant(database);
  return {
    database,
    seeder,
    merchantId,
    statements: () => sent.statements.length,
    log: sent,
    advance: seconds => {
      ahead += seconds;
    },
    post: async (url, payload) => {
      const headers = { authorization: `Bearer ${key}`, 'idempotency-key': randomUUID() };
      const answer = await app.http.inject({ method: 'POST', url, payload, headers });
      if (answer.statusCode >= 300) throw new Error(answer.body);
      return answer.json();
    },
    run: (...sweeps) => app.sweeper.runAll(sweeps),
    stop: async () => {
      sent.stop();
      await app.stop();
      await seeder.close();
      await database.close();
      await postgres.release();
    },
  };
}

async function newMerchant({ db }: Database) {
  const [merchantId, text] = [newId('account'), newKeyText('secret', false)];
  const key = { merchant_id: merchantId, type: 'secret', livemode: false, name: null } as const;
  await db.transaction().execute(async tx => {
    await insertMerchant(tx, { id: merchantId, name: 'Bench', clientAmounts: false });
    await insertApiKey(tx, newApiKey(text, { ...key, scopes: ['*'], created_at: systemClock.now() }));
  });
  return { key: text, merchantId };
}
