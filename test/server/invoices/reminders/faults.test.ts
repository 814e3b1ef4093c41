import { afterAll, beforeAll, expect, it } from 'vitest';
import { day, type ReminderLab, startReminderLab } from './reminder-lab.ts';

let lab: ReminderLab;
beforeAll(async () => {
  lab = await startReminderLab();
});
afterAll(() => lab.close());

const statusOf = async (id: string) => (await lab.reminders(id)).map(({ status }) => status);

/** Ids of the reminders in the log's errors, sorted. */
const named = () =>
  lab.logs
    .map(line => JSON.parse(line))
    .filter(({ msg }) => msg === 'a reminder could not be sent and is postponed')
    .map(({ reminder, err }) => {
      expect(err.message).not.toBe('');
      return reminder;
    })
    .sort();

it('a failing reminder delays no other; it is reported, postponed, and sent when it can be', async () => {
  const other = await lab.addMerchant({ supportEmail: 'other@shop.example' });
  const terms = { reminders: { offsets_days: [0] } };
  const [good, bad, worse] = [lab.newAddress(), lab.newAddress(), lab.newAddress()];
  const broken = [await lab.sentTo(bad, terms), await lab.sentTo(worse, terms)];
  const fine = await lab.sentTo(good, terms);
  const draft = await lab.request('POST /v1/invoices', {
    key: other.secretKey,
    body: {
      currency: 'EUR',
      lines: [{ description: 'Tea', unit_amount: 500 }],
      customer: { email: 'far@reader.example' },
      ...terms,
      due_date: lab.dayFromNow(10),
    },
  });
  await lab.request(`POST /v1/invoices/${draft.body.id}/send`, { key: other.secretKey });
  await lab.sweep();
  const set = (index: number, customer: string) =>
    lab.database.pool.query('update invoices set customer = $2 where id = $1', [broken[index]?.id, customer]);
  await set(0, '{"name":"Ada","email":"no address","address":null,"tax_id":null}');
  await set(1, 'null');
  const ids = (await Promise.all(broken.map(({ id }) => lab.reminders(id)))).map(([reminder]) => reminder?.id).sort();

  lab.clock.advance(11 * day);
  await lab.sweep();
  expect([lab.kindsTo(good), lab.kindsTo('far@reader.example')]).toEqual([
    ['Invoice', 'Invoice'],
    ['Invoice', 'Invoice'],
  ]);
  expect(await statusOf(fine.id)).toEqual(['sent']);
  for (const { id } of broken) expect(await statusOf(id)).toEqual(['planned']);
  expect(named()).toEqual(ids);
  await lab.sweep();
  expect(named()).toEqual(ids);

  const pass = () => lab.database.pool.query('update invoice_reminders set due_at = remind_at');
  await pass();
  await lab.sweep();
  expect(named()).toHaveLength(4);
  await set(0, JSON.stringify({ name: 'Ada', email: bad, address: null, tax_id: null }));
  await pass();
  await lab.sweep();
  expect(lab.kindsTo(bad)).toEqual(['Invoice', 'Invoice']);
  expect(await Promise.all(broken.map(({ id }) => statusOf(id)))).toEqual([['sent'], ['planned']]);
  const { rows } = await lab.database.pool.query(
    'select failures, extract(epoch from due_at - $1)::int as seconds from invoice_reminders where failures = 3',
    [lab.clock.now()],
  );
  expect(rows).toHaveLength(1);
  expect(Number(rows[0].seconds)).toBeGreaterThan(900);
});
