import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Invoice } from '../../../src/api/invoice/invoice-view.ts';
import type { RecurringInvoice } from '../../../src/api/invoice/recurring.ts';
import { createSandboxRates } from '../../../src/sandbox/rates.ts';
import type { RateSource } from '../../../src/server/rates/rates.ts';
import { startInvoiceLab } from './invoice-lab.ts';

let lab: Awaited<ReturnType<typeof startInvoiceLab>>;
const now = new Date('2026-01-15T12:00:00Z');
/** The sandbox's prices, without those of one currency. */
const sandbox = createSandboxRates({ now: () => lab?.clock.now() ?? now });
const unpriced = 'XAF';
const rateSource: RateSource = {
  ...sandbox,
  price: async (from, to) => (from === unpriced || to === unpriced ? null : await sandbox.price(from, to)),
};
beforeAll(async () => {
  lab = await startInvoiceLab({
    now,
    rateSource,
    merchant: { timezone: 'America/New_York' },
  });
});
afterAll(() => lab.close());

const template = {
  customer: { name: 'Ada', email: 'ada@reader.example' },
  currency: 'EUR',
  lines: [{ description: 'Rent', unit_amount: 50_000 }],
  days_until_due: 14,
};
const day = 86_400;

async function recur(changes: object = {}): Promise<RecurringInvoice> {
  const body = { rrule: 'FREQ=MONTHLY;BYMONTHDAY=1', starts_on: '2026-01-01', invoice: template, ...changes };
  const answer = await lab.request('POST /v1/recurring-invoices', { body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}
const read = async (id: string): Promise<RecurringInvoice> =>
  (await lab.request(`GET /v1/recurring-invoices/${id}`)).body;
const step = (id: string, name: string) => lab.request(`POST /v1/recurring-invoices/${id}/${name}`);

/** The invoices that a recurring invoice has created, and their days, oldest first. */
async function made(id: string): Promise<{ days: string[]; invoices: Invoice[] }> {
  const { data } = (await lab.request(`GET /v1/recurring-invoices/${id}/occurrences`)).body;
  const rows: { day: string; invoice: string }[] = data.reverse();
  return { days: rows.map(row => row.day), invoices: await Promise.all(rows.map(row => lab.readInvoice(row.invoice))) };
}

async function clockTo(moment: string): Promise<void> {
  lab.clock.advance((Date.parse(moment) - lab.clock.now().getTime()) / 1000);
  await lab.sweep();
}

it('creates and sends an invoice at nine in the morning on each day of its rule', async () => {
  const recurring = await recur({ count: 3 });
  expect(recurring).toMatchObject({ status: 'active', next_on: '2026-02-01', occurrences: 0, auto_send: true });
  await clockTo('2026-02-01T13:59:59Z');
  expect((await made(recurring.id)).days).toEqual([]);
  await clockTo('2026-02-01T14:00:00Z');
  await clockTo('2026-03-01T14:00:00Z');
  // In summer time, nine in the morning is an hour earlier in UTC.
  await clockTo('2026-04-01T12:59:59Z');
  expect((await made(recurring.id)).days).toHaveLength(2);
  await clockTo('2026-04-01T13:00:00Z');
  await clockTo('2026-06-01T14:00:00Z');
  const { days, invoices } = await made(recurring.id);
  expect(days).toEqual(['2026-02-01', '2026-03-01', '2026-04-01']);
  expect(invoices.map(({ status, issue_date, due_date }) => [status, issue_date, due_date])).toEqual([
    ['overdue', '2026-02-01', '2026-02-15'],
    ['overdue', '2026-03-01', '2026-03-15'],
    ['overdue', '2026-04-01', '2026-04-15'],
  ]);
  expect(new Set(invoices.map(({ number }) => number)).size).toBe(3);
  expect(await read(recurring.id)).toMatchObject({ status: 'ended', next_on: null, occurrences: 3 });
});

it('creates the invoice of each day once, also late and with many at a time', async () => {
  const recurring = await recur({ rrule: 'FREQ=WEEKLY;BYDAY=MO', starts_on: '2026-06-01', ends_on: '2026-07-06' });
  lab.clock.advance(60 * day);
  await Promise.all([lab.sweep(), lab.sweep(), lab.sweep()]);
  lab.clock.advance(-30 * day);
  await lab.sweep();
  lab.clock.advance(60 * day);
  await lab.sweep();
  const { days } = await made(recurring.id);
  expect(days).toEqual([...new Set(days)]);
  expect(days.at(-1)).toBe('2026-07-06');
  const from = days[0] ?? '';
  const expected = ['2026-06-01', '2026-06-08', '2026-06-15', '2026-06-22', '2026-06-29', '2026-07-06'];
  expect(days).toEqual(expected.filter(monday => monday >= from));
  expect(days.length).toBeGreaterThanOrEqual(5);
});

it('leaves drafts if configured, and creates none for days during a pause', async () => {
  const now = lab.clock.now().toISOString().slice(0, 10);
  const recurring = await recur({ rrule: 'FREQ=DAILY', starts_on: now, auto_send: false });
  lab.clock.advance(2 * day);
  await lab.sweep();
  expect((await step(recurring.id, 'pause')).body.status).toBe('paused');
  const before = (await made(recurring.id)).days;
  lab.clock.advance(10 * day);
  await lab.sweep();
  expect((await made(recurring.id)).days).toEqual(before);
  expect((await step(recurring.id, 'resume')).body.status).toBe('active');
  lab.clock.advance(day);
  await lab.sweep();
  const { days, invoices } = await made(recurring.id);
  expect(days.length).toBeLessThanOrEqual(before.length + 2);
  expect(days.length).toBeGreaterThan(before.length);
  expect(invoices.every(({ status }) => status === 'draft')).toBe(true);
  expect((await step(recurring.id, 'end')).body).toMatchObject({ status: 'ended', next_on: null });
  lab.clock.advance(5 * day);
  await lab.sweep();
  expect((await made(recurring.id)).days).toEqual(days);
  expect((await step(recurring.id, 'resume')).status).toBe(409);
});

it('reports why an invoice cannot be created, and continues when it can', async () => {
  const now = lab.clock.now().toISOString().slice(0, 10);
  const recurring = await recur({ rrule: 'FREQ=DAILY;COUNT=1', starts_on: now, auto_send: false });
  const { db } = lab.database;
  const breakIt = (template: object) =>
    db
      .updateTable('recurring_invoices')
      .set({ template: JSON.stringify(template) })
      .where('id', '=', recurring.id)
      .execute();
  await breakIt({ ...template, settlement_asset: 'GONE' });
  lab.clock.advance(2 * day);
  await lab.sweep();
  const troubled = await read(recurring.id);
  expect(troubled).toMatchObject({ status: 'active', occurrences: 0, last_error: expect.stringContaining('GONE') });
  await breakIt(template);
  lab.clock.advance(3_700);
  await lab.sweep();
  expect(await read(recurring.id)).toMatchObject({ status: 'ended', occurrences: 1, last_error: null });
});

it('reports why a created invoice cannot be sent, until it is sent', async () => {
  const tomorrow = new Date(lab.clock.now().getTime() + day * 1000).toISOString().slice(0, 10);
  const recurring = await recur({ rrule: 'FREQ=DAILY;COUNT=2', starts_on: tomorrow });
  const noRate = JSON.stringify({ ...template, exchange: { currency: unpriced } });
  const { db } = lab.database;
  await db.updateTable('recurring_invoices').set({ template: noRate }).where('id', '=', recurring.id).execute();
  lab.clock.advance(day);
  await lab.sweep();
  const { days, invoices } = await made(recurring.id);
  expect(invoices.map(({ status }) => status)).toEqual(['draft']);
  const { last_error: reason } = await read(recurring.id);
  expect(reason).toContain(days[0]);
  expect(reason).toContain(unpriced);
  // The next invoice can be sent, but the first invoice's error stays.
  await db
    .updateTable('recurring_invoices')
    .set({ template: JSON.stringify(template) })
    .where('id', '=', recurring.id)
    .execute();
  lab.clock.advance(day);
  await lab.sweep();
  expect(await read(recurring.id)).toMatchObject({ occurrences: 2, last_error: reason });
  const [first = '', second = ''] = (await made(recurring.id)).invoices.map(({ id }) => id);
  expect((await lab.readInvoice(second)).status).toBe('sent');
  const patched = await lab.request(`PATCH /v1/invoices/${first}`, { body: { exchange: null } });
  expect(patched.status, patched.text).toBe(200);
  lab.clock.advance(3_700);
  await lab.sweep();
  expect((await lab.readInvoice(first)).status).toBe('sent');
  expect((await read(recurring.id)).last_error).toBeNull();
});

describe('is refused', () => {
  it.each([
    ['a rule by hours', { rrule: 'FREQ=HOURLY' }, 'rrule'],
    ['no rule', { rrule: 'every month' }, 'rrule'],
    ['a rule that sets its own start', { rrule: 'FREQ=DAILY;DTSTART=20200101' }, 'rrule'],
    ['lines of a calendar', { rrule: 'FREQ=DAILY\nEXDATE:20200101' }, 'rrule'],
    ['a day that does not exist', { rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' }, 'rrule'],
    ['a start that is no day', { starts_on: '2026-02-30' }, 'starts_on'],
    ['an end before now', { starts_on: '2020-01-01', ends_on: '2020-06-01' }, 'ends_on'],
    ['two counts', { rrule: 'FREQ=DAILY;COUNT=2', count: 3 }, 'count'],
    ['an invalid time zone', { timezone: 'Mars/Base' }, 'timezone'],
    ['an invoice that is wrong', { invoice: { ...template, currency: 'XXZ' } }, 'invoice.currency'],
    ['an invalid address', { invoice: { ...template, customer: { email: 'x' } } }, 'invoice.customer.email'],
    [
      'an invoice in a currency without a rate',
      { invoice: { ...template, exchange: { currency: unpriced } } },
      'invoice.exchange.currency',
    ],
    [
      'an invoice that cannot be carried in the other currency',
      { invoice: { ...template, exchange: { currency: 'USD', rate: '999999999999' } } },
      'invoice.exchange.rate',
    ],
    ['an invoice with a day of its own', { invoice: { ...template, due_date: '2027-01-01' } }, 'invoice.due_date'],
    ['an invoice with a period', { invoice: { ...template, period: { start: '2026-01-01' } } }, 'invoice.period'],
  ])('%s', async (_, changes, param) => {
    const body = { rrule: 'FREQ=DAILY', starts_on: '2026-01-01', invoice: template, ...changes };
    const answer = await lab.request('POST /v1/recurring-invoices', { body });
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body.error.param).toBe(param);
  });
});

it('is visible to its merchant only, and listed newest first', async () => {
  const recurring = await recur({ starts_on: '2027-01-01' });
  const other = await lab.addMerchant();
  for (const call of ['GET', 'POST'] as const) {
    const path = call === 'GET' ? '' : '/pause';
    const answer = await lab.request(`${call} /v1/recurring-invoices/${recurring.id}${path}`, { key: other.secretKey });
    expect(answer.status).toBe(404);
  }
  const { data } = (await lab.request('GET /v1/recurring-invoices?limit=1')).body;
  expect(data.map(({ id }: RecurringInvoice) => id)).toEqual([recurring.id]);
});
