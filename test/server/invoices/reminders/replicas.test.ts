import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Invoice } from '../../../../src/api/invoice/invoice-view.ts';
import { createReminderSweep } from '../../../../src/server/invoices/reminders/reminder.service.ts';
import { createDatabase } from '../../../../src/server/platform/db/database.ts';
import { createSweeper, type Sweeper } from '../../../../src/server/platform/jobs/sweeper.ts';
import { loadRootSecret } from '../../../../src/server/platform/root-secret.store.ts';
import { createSecrets } from '../../../../src/server/platform/secrets.ts';
import { startInvoiceLab } from '../invoice-lab.ts';

let lab: Awaited<ReturnType<typeof startInvoiceLab>>;
beforeAll(async () => {
  lab = await startInvoiceLab();
});
afterAll(() => lab.close());

const day = 86_400;
const invoices = 30;
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A server that only sends reminders, with its own connections to the shared database. */
async function addServer(): Promise<{ sweeper: Sweeper; close: () => Promise<void> }> {
  const database = createDatabase({ connection: lab.database.connection, max: 4 });
  const sweep = createReminderSweep({
    db: database.db,
    clock: lab.clock,
    log,
    wake: () => undefined,
    secrets: createSecrets(await loadRootSecret(database.db)),
    publicUrl: () => 'http://localhost:4242',
    hosts: { baseUrl: () => 'http://localhost:4242' },
  });
  return { sweeper: createSweeper({ sweeps: [sweep], log }), close: () => database.close() };
}

it('three servers on one database, some of which lose it, send each reminder exactly once', async () => {
  const sent: Invoice[] = [];
  for (let index = 0; index < invoices; index++) {
    sent.push(await lab.sent({ customer: { email: `reader-${index}@reader.example` }, due_date: '2026-12-01' }));
  }
  const servers = await Promise.all([addServer(), addServer(), addServer()]);
  for (const hop of [26, 3, 3]) {
    lab.clock.advance(hop * day);
    const rounds = Promise.allSettled(servers.map(({ sweeper }) => sweeper.runAll()));
    await sleep(5);
    await cutConnections();
    await rounds;
    await Promise.all(servers.map(({ sweeper }) => sweeper.runAll()));
  }
  await Promise.all(servers.map(({ close }) => close()));
  const { db } = lab.database;
  const reminders = await db.selectFrom('invoice_reminders').select(['id', 'status', 'invoice_id']).execute();
  expect(reminders).toHaveLength(3 * invoices);
  expect(reminders.every(({ status }) => status === 'sent')).toBe(true);
  const mails = await db.selectFrom('mails').select('dedupe_key').where('dedupe_key', 'like', '%reminder:%').execute();
  expect(mails.map(mail => mail.dedupe_key).sort()).toEqual(reminders.map(({ id }) => `invoice.reminder:${id}`).sort());
  const events = await db
    .selectFrom('events')
    .select('resource_id')
    .where('type', '=', 'invoice.reminder_sent')
    .execute();
  expect(events).toHaveLength(3 * invoices);
  expect(new Set(events.map(({ resource_id: id }) => id))).toEqual(new Set(sent.map(({ id }) => id)));
});

/** Ends open transactions, as the database does when servers are killed. */
async function cutConnections(): Promise<void> {
  const { pool } = lab.database;
  await pool.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and state = 'idle in transaction'`);
}

it('the merchant’s calls and the sending of reminders do not deadlock: pause, resume and skip', async () => {
  const ids: string[] = [];
  for (let index = 0; index < 8; index++) {
    const offsets_days = Array.from({ length: 20 }, (_, offset) => offset - 20);
    const { id } = await lab.sent({
      customer: { email: `paused-${index}@reader.example` },
      due_date: null,
      days_until_due: 25,
      reminders: { offsets_days },
    });
    ids.push(id);
  }
  const server = await addServer();
  for (let hop = 0; hop < 20; hop++) {
    lab.clock.advance(day);
    const steps = ids.flatMap(id => ['pause', 'resume', 'skip'].map(step => lab.invoice(id, `reminders/${step}`)));
    const [, ...answers] = await Promise.all([server.sweeper.runAll(), ...steps]);
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
  }
  await server.close();
});
