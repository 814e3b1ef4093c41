import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logStatements, type StatementLog } from '../../support/statements.ts';
import { touchedRows } from '../../support/touched-rows.ts';
import { type PaymentLab, startPaymentLab } from './payment-lab.ts';

const many = 8_000;
const batch = 1_000;
let log: StatementLog;
let lab: PaymentLab;
beforeAll(async () => {
  log = logStatements();
  lab = await startPaymentLab();
  const rare = {
    amount: 99_999_999,
    currency: 'JPY',
    reference: 'PO-7',
    metadata: { order: 'A-1', boxes: 12 },
    customer: { email: 'grace@example.com' },
  };
  await lab.credit({ reference: 'nothing', amount: 1_000 });
  await lab.createForBank(rare);
  lab.clock.advance(1);
  const { id, currency } = await lab.createPaid({ reference: 'PO-1', metadata: { order: 'B-2' } });
  await lab.refund(id, { amount: 100 });
  const copy = (first: number) =>
    lab.database.pool.query(
      `insert into payments select copy.*
     from payments p, generate_series(${first}, ${first + batch - 1}) n, jsonb_populate_record(p, jsonb_build_object(
       'id', 'pay_many' || n, 'reference', 'PO-many-' || n, 'created_at', p.created_at + n * interval '1 second',
       'settlement_due_at', null, 'settlement_status', 'settled', 'phase', 'paid')) copy
     where p.id = $1`,
      [id],
    );
  for (let first = 1; first <= many; first += batch) await copy(first);
  expect(currency).toBe('EUR');
  await lab.database.pool.query('analyze payments');
  await copyDocuments();
});
afterAll(async () => {
  log.stop();
  await lab.close();
});

/** Copies an invoice and a payment link, which the filters of their lists do not match. */
async function copyDocuments(): Promise<void> {
  const metadata = { order: 'B-2' };
  const draft = { customer: { name: 'Ada' }, currency: 'EUR', lines: [{ description: 'Work', unit_amount: 5_000 }] };
  const made = {
    invoices: await lab.request('POST /v1/invoices', { body: { ...draft, metadata } }),
    payment_links: await lab.request('POST /v1/payment-links', { body: { amount: 5_000, currency: 'EUR', metadata } }),
  };
  for (const [table, { status, text, body }] of Object.entries(made)) {
    expect(status, text).toBe(201);
    await lab.database.pool.query(
      `insert into ${table} select copy.*
       from ${table} o, generate_series(1, ${many / 2}) n, jsonb_populate_record(o, jsonb_build_object(
         'id', o.id || n, 'created_at', o.created_at + n * interval '1 second')) copy
       where o.id = $1`,
      [body.id],
    );
    await lab.database.pool.query(`analyze ${table}`);
  }
}

describe(`the lists of ${many / 2} invoices and payment links`, () => {
  it.each([
    'invoices?currency=CHF',
    'invoices?total[gte]=6000',
    'invoices?metadata[order]=none',
    'payment-links?currency=CHF',
    'payment-links?amount[lt]=100',
    'payment-links?metadata[order]=none',
  ])('read few rows for %s', async query => {
    const call = async () => {
      const { body } = await lab.request(`GET /v1/${query}`);
      expect(body.data).toEqual([]);
    };
    expect(await touchedRows(lab.database, log, call)).toBeLessThanOrEqual(40);
  });
});

describe(`the list of ${many} payments`, () => {
  it.each<[Record<string, string>, number]>([
    [{}, 10],
    [{ reference: 'PO-7' }, 1],
    [{ reference: 'PO-8' }, 0],
    [{ id: 'pay_many77' }, 1],
    [{ customer: 'grace@example.com' }, 1],
    [{ status: 'pending' }, 1],
    [{ status: 'refunded' }, 0],
    [{ phase: 'partially_refunded' }, 1],
    [{ phase: 'canceled' }, 0],
    [{ method: 'crypto' }, 0],
    [{ exception: 'wrong_network' }, 0],
    [{ refund_requires_destination: 'true' }, 0],
    [{ settlement_status: 'pending' }, 1],
    [{ settlement_status: 'submitted' }, 0],
    [{ settlement_status: 'settled', currency: 'JPY' }, 0],
    [{ currency: 'JPY' }, 1],
    [{ currency: 'KWD' }, 0],
    [{ 'amount[gte]': '50000000' }, 1],
    [{ 'amount[lt]': '100' }, 0],
    [{ 'metadata[order]': 'A-1' }, 1],
    [{ 'metadata[boxes]': '12' }, 1],
    [{ 'metadata[order]': 'none' }, 0],
    [{ status: 'completed', method: 'card', currency: 'EUR' }, 10],
    [{ 'created_at[lt]': '2020-01-01T00:00:00Z' }, 0],
  ])('reads few rows for %j', async (query, expected) => {
    const call = async () => {
      const { body } = await lab.request(`GET /v1/payments?${new URLSearchParams(query)}`);
      expect(body.data).toHaveLength(expected);
    };
    expect(await touchedRows(lab.database, log, call)).toBeLessThanOrEqual(40);
  });

  it.each([
    ['PO-7', 1],
    ['PO-many-77', 1],
    ['grace@example.com', 2],
    ['ada@example.com', 6],
    ['a'.repeat(64), 0],
    ['nothing', 1],
    ['pay_many77', 1],
  ])('reads few rows to search for %s', async (q, expected) => {
    const call = async () => {
      const { body } = await lab.request(`GET /v1/search?${new URLSearchParams({ q })}`);
      expect(body.data).toHaveLength(expected);
    };
    expect(await touchedRows(lab.database, log, call)).toBeLessThanOrEqual(20);
  });
});
