import pg from 'pg';
import { inject } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { listen, startTestApp } from './app.ts';
import { copyDatabase, createTestDatabase, execute, type TestDatabase } from './database.ts';

/** The clock of the ledgers: the machine's, or the clock of `startTestApp` before a test moves it. */
export type LedgerTime = 'running' | 'standing';

/**
 * Makes a database without a merchant, in which the sandbox network exists and the treasury is ready. The first test
 * file that asks sets the network up. The others copy its database, because a setup takes a second of CPU time.
 */
export async function createTreasuryDatabase(time: LedgerTime): Promise<TestDatabase> {
  const { server, template } = inject('testServer');
  const name = `${template}_treasury_${time}`;
  const client = new pg.Client(server);
  await client.connect();
  try {
    // Files of several workers ask at once, so one must wait. The end of the connection unlocks.
    await client.query('select pg_advisory_lock(hashtext($1))', [name]);
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount === 0) await setUp(time, original => execute(server, `alter database ${original} rename to ${name}`));
  } finally {
    await client.end();
  }
  return await copyDatabase(name);
}

async function setUp(time: LedgerTime, rename: (original: string) => Promise<unknown>): Promise<void> {
  const database = await createTestDatabase();
  const { name, close } = database;
  const lab = await startTestApp({
    // The app's `close` calls `drop`, which must not drop this database.
    database: { ...database, drop: close },
    settings: { PAY_SANDBOX_LEDGER_MS: '30' },
    ...(time === 'running' && { clock: systemClock }),
  });
  await listen(lab);
  await lab.sweep('treasury', 'payments.deposits');
  await database.pool.query('delete from api_keys');
  await database.pool.query('delete from merchants');
  await lab.close();
  await rename(name);
}
