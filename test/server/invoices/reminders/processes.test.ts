import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Invoice } from '../../../../src/api/invoice/invoice-view.ts';
import { createTestDatabase, type TestDatabase, urlOf } from '../../../support/database.ts';
import { type MailServer, startMailServer } from '../../../support/mail-server.ts';
import { type ServerProcess, startServerProcess } from '../../../support/server-process.ts';
import { order } from '../invoice-lab.ts';

let database: TestDatabase;
let mail: MailServer;
const running: ServerProcess[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
  mail = await startMailServer();
});
afterAll(async () => {
  for (const server of running) await server.stop('SIGKILL');
  await mail.close();
  await database.drop();
});

const key = `sk_test_${'r'.repeat(32)}`;
const customers = 12;
const addressOf = (index: number) => `reader-${index}@reader.example`;

async function start(role: string): Promise<ServerProcess> {
  const settings = { DATABASE_URL: urlOf(database), PAY_SECRET_KEY: key, PAY_ROLE: role, SMTP_URL: mail.url };
  const server = await startServerProcess(settings);
  running.push(server);
  return server;
}

it('three servers, two of which are killed at work, send each customer exactly three reminders', async () => {
  const server = await start('all');
  const call = async (path: string, body: object) => {
    const answer = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.ok, path).toBe(true);
    return (await answer.json()) as Invoice;
  };
  for (let index = 0; index < customers; index++) {
    const { id } = await call('/v1/invoices', {
      ...order,
      due_date: null,
      days_until_due: 10,
      customer: { email: addressOf(index) },
    });
    await call(`/v1/invoices/${id}/send`, {});
  }
  const idsOf = (index: number) =>
    new Set(
      mail
        .to(addressOf(index))
        .flatMap(({ email }) => (/ is (over)?due/.test(email.subject ?? '') ? [email.messageId] : [])),
    );
  const counts = () => Array.from({ length: customers }, (_, index) => idsOf(index).size);
  // Each move ends the leases of the killed worker, and leases of running servers, whose mails wait for a pause.
  const later = async () => {
    await call('/v1/test_helpers/clock', { advance: 'PT1M' });
    return counts();
  };
  const each = (reminders: number) => Array.from({ length: customers }, () => reminders);
  const workers = await Promise.all([start('worker'), start('worker')]);
  for (const [hop, worker] of [...workers, undefined].entries()) {
    const moved = call('/v1/test_helpers/clock', { advance: hop === 0 ? 'P8D' : 'P3D' });
    await sleep(30);
    await worker?.stop('SIGKILL');
    await moved;
    // Of two reminders that are due, a customer gets the later one only. So each reminder is sent before the next hop.
    await expect.poll(later, { timeout: 30_000, interval: 500 }).toEqual(each(hop + 1));
  }
  const rows = await database.db.selectFrom('invoice_reminders').select('status').execute();
  expect(rows.map(({ status }) => status)).toEqual(Array.from({ length: 3 * customers }, () => 'sent'));
  await sleep(1_500);
  expect(counts()).toEqual(each(3));
}, 120_000);
