import pg from 'pg';
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
import { type Measure, median } from './table.ts';

const rounds = 3;
const many = 10_000;
const few = 100;
/** Nearly as many as a batch takes. */
const full = 450;

/**
 * Ten thousand invoices of ten lines that are due for a reminder at the same moment: how long until every one has its mail in the
 * outbox and its event, and how many statements a batch takes.
 */
export async function benchReminders(folder: string): Promise<Measure[]> {
  // Before there is a connection: each keeps the `query` that it begins with.
  const counter = countStatements();
  const log = { info: () => undefined, error: console.error };
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log });
  const database = createDatabase({ connection: postgres.connection });
  // Seeding is one long statement.
  const seeder = createDatabase({ connection: postgres.connection, max: 1, silenceMs: 0 });
  await migrate(database.pool, migrationsFolder);
  let ahead = 0;
  const clock = { now: () => addSeconds(systemClock.now(), ahead) };
  const config = readConfig({ PAY_LOG_LEVEL: 'silent', PAY_RATE_LIMIT: '0', PAY_ROLE: 'api' });
  const app = await createApp({
    ...{ config, database, connection: postgres.connection, clock, browserDir: null },
    rootSecret: await loadRootSecret(database.db),
    log: createLog(config, () => {}),
    publicUrl: () => 'http://localhost:4242',
    testKeys: async () => ({ secretKey: null, publishableKey: null, merchantId: '', given: [] }),
  });
  const key = await newKey(database);
  const post = async (url: string, payload: object) => {
    const answer = await app.http.inject({ method: 'POST', url, payload, headers: { authorization: `Bearer ${key}` } });
    if (answer.statusCode >= 300) throw new Error(answer.body);
    return answer.json();
  };
  const run = async (count: number) => {
    await seed(seeder, post, count);
    ahead += 40 * 86_400;
    const statements = counter.read();
    const begun = performance.now();
    const done = await app.sweeper.runAll(['invoices.remind']);
    const took = (performance.now() - begun) / 1000;
    if (done !== count) throw new Error(`${done} of ${count} reminders were done`);
    return { took, statements: counter.read() - statements };
  };
  await run(few);
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round++) seconds.push((await run(many)).took);
  const one = await run(few);
  const whole = await run(full);
  counter.restore();
  await expectEach(seeder);
  await app.stop();
  await seeder.close();
  await database.close();
  await postgres.release();
  return [
    {
      name: `${many} reminders found and queued`,
      value: `${median(seconds).toFixed(2)} s`,
      target: 'under 5 s',
      met: median(seconds) < 5,
    },
    {
      name: `statements of a batch of ${few} and of ${full}`,
      value: `${one.statements} and ${whole.statements}`,
      target: 'the same',
      met: one.statements === whole.statements,
    },
  ];
}

/** Copies of one invoice that was sent over the API, each with one reminder to come. */
async function seed({ pool }: Database, post: (url: string, body: object) => Promise<{ id: string }>, count: number) {
  const line = {
    description: 'An hour of work',
    quantity: '1.5',
    unit_amount: 9_000,
    tax: { name: 'VAT', percent: 19 },
  };
  const { id } = await post('/v1/invoices', {
    ...{ customer: { name: 'Ada Lovelace', email: 'ada@example.com' }, currency: 'EUR', days_until_due: 20 },
    ...{ lines: Array.from({ length: 10 }, () => line), reminders: { offsets_days: [0] } },
  });
  await post(`/v1/invoices/${id}/send`, {});
  const copy = `c${newId('invoice').slice(-8)}`;
  await pool.query(
    `insert into invoices select (jsonb_populate_record(i, jsonb_build_object(
       'id', 'inv_${copy}' || n, 'number', '${copy}' || n))).* from invoices i, generate_series(2, $2::int) n where i.id = $1`,
    [id, count],
  );
  await pool.query(
    `insert into invoice_reminders select (jsonb_populate_record(r, jsonb_build_object(
       'id', 'rem_${copy}' || n, 'invoice_id', 'inv_${copy}' || n))).* from invoice_reminders r, generate_series(2, $2::int) n
     where r.invoice_id = $1`,
    [id, count],
  );
  await pool.query('analyze invoices, invoice_reminders');
}

/** Counts what is asked of the database by anybody in this process. */
function countStatements() {
  const { prototype } = pg.Client;
  const { query } = prototype;
  let count = 0;
  prototype.query = function (this: pg.Client, ...parameters: unknown[]) {
    count++;
    return Reflect.apply(query, this, parameters);
  } as typeof query;
  return {
    read: () => count,
    restore: () => {
      prototype.query = query;
    },
  };
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

async function expectEach({ pool }: Database): Promise<void> {
  const { rows } = await pool.query(`select
    (select count(*) from invoice_reminders where status = 'sent') as sent,
    (select count(*) from mails where dedupe_key like 'invoice.reminder:%') as mails,
    (select count(*) from events where type = 'invoice.reminder_sent') as events`);
  const { sent, mails, events } = rows[0];
  if (sent !== mails || sent !== events) throw new Error(`${sent} reminders, ${mails} mails, ${events} events`);
}
