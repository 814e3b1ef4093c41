import { newId } from '../../src/core/id.ts';
import type { Database } from '../../src/server/platform/db/database.ts';
import { startBenchApp } from './bench-app.ts';
import { type Measure, median } from './table.ts';

const rounds = 3;
const many = 10_000;
const few = 100;
/** The number of reminders in almost the largest batch. */
const full = 450;

/**
 * Ten thousand invoices of ten lines are due for a reminder at the same moment. Measures the time until each has its
 * mail and its event, and counts the SQL statements of a batch.
 */
export async function benchReminders(folder: string): Promise<Measure[]> {
  const { seeder, ...bench } = await startBenchApp(folder);
  const run = async (count: number) => {
    await seed(seeder, bench.post, count);
    bench.advance(40 * 86_400);
    const statements = bench.statements();
    const begun = performance.now();
    const done = await bench.run('invoices.remind');
    const took = (performance.now() - begun) / 1000;
    if (done !== count) throw new Error(`${done} of ${count} reminders were done`);
    return { took, statements: bench.statements() - statements };
  };
  await run(few);
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round++) seconds.push((await run(many)).took);
  const one = await run(few);
  const whole = await run(full);
  await expectEach(seeder);
  await bench.stop();
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

/** Sends an invoice and copies it until there are `count`. Each has one reminder that is due later. */
async function seed({ pool }: Database, post: (url: string, body: object) => Promise<{ id: string }>, count: number) {
  const line = {
    description: 'An hour of work',
    quantity: '1.5',
    unit_amount: 9_000,
    tax: { name: 'VAT', percent: 19 },
  };
  const { id } = await post('/v1/invoices', {
    customer: { name: 'Ada Lovelace', email: 'ada@example.com' },
    currency: 'EUR',
    days_until_due: 20,
    lines: Array.from({ length: 10 }, () => line),
    reminders: { offsets_days: [0] },
  });
  await post(`/v1/invoices/${id}/send`, {});
  const copy = `c${newId('invoice').slice(-8)}`;
  await pool.query(
    `insert into invoices select copy.* from invoices i, generate_series(2, $2::int) n,
       jsonb_populate_record(i, jsonb_build_object('id', 'inv_${copy}' || n, 'number', '${copy}' || n)) copy
     where i.id = $1`,
    [id, count],
  );
  await pool.query(
    `insert into invoice_reminders select copy.* from invoice_reminders r, generate_series(2, $2::int) n,
       jsonb_populate_record(r, jsonb_build_object('id', 'rem_${copy}' || n, 'invoice_id', 'inv_${copy}' || n)) copy
     where r.invoice_id = $1`,
    [id, count],
  );
  await pool.query('analyze invoices, invoice_reminders');
}

async function expectEach({ pool }: Database): Promise<void> {
  const { rows } = await pool.query(`select
    (select count(*) from invoice_reminders where status = 'sent') as sent,
    (select count(*) from mails where dedupe_key like 'invoice.reminder:%') as mails,
    (select count(*) from events where type = 'invoice.reminder_sent') as events`);
  const { sent, mails, events } = rows[0];
  if (sent !== mails || sent !== events) throw new Error(`${sent} reminders, ${mails} mails, ${events} events`);
}
