import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCsv } from '../../../src/server/platform/csv.ts';
import { type PaymentLab, startPaymentLab } from './payment-lab.ts';

let lab: PaymentLab;
beforeAll(async () => {
  lab = await startPaymentLab();
});
afterAll(() => lab.close());

async function readExport(query: Record<string, string> = {}) {
  const answer = await lab.request(`GET /v1/payments.csv?${new URLSearchParams(query)}`);
  expect(answer.status, answer.text).toBe(200);
  const [names = ''] = /^\ufeff([^\r]+)/.exec(answer.text)?.slice(1) ?? [];
  const rows = [];
  const source = (async function* () {
    yield answer.bytes;
  })();
  for await (const row of readCsv(source, { required: names.split(','), optional: [] }, 10_000)) rows.push(row.cells);
  return { answer, rows };
}

describe('GET /v1/payments.csv', () => {
  it('has a line for each payment, newest first, with decimal amounts', async () => {
    const { id } = await lab.createPaid({ reference: 'A-1', metadata: { size: 'L' } });
    lab.clock.advance(1);
    await lab.create({ amount: 500, currency: 'JPY', description: 'Tea, "green"\nand black' });
    const { answer, rows } = await readExport();
    expect(answer.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="payments-2026-11-02.csv"',
    });
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({ currency: 'JPY', amount: '500', description: 'Tea, "green"\nand black' });
    expect(rows[1]).toMatchObject({
      id,
      status: 'completed',
      amount: '128.40',
      amount_received: '128.40',
      method: 'card',
      card_brand: 'visa',
      reference: 'A-1',
      customer_email: 'ada@example.com',
      metadata: '{"size":"L"}',
    });
  });

  it('tells a disputed payment from a paid one', async () => {
    const { id } = await lab.createPaid({ currency: 'CAD' });
    await lab.request('POST /v1/test_helpers/cards/disputes', { body: { payment: id } });
    const { rows } = await readExport({ currency: 'cad' });
    expect(rows).toMatchObject([{ amount_received: '128.40', amount_refunded: '0.00', amount_disputed: '128.40' }]);
  });

  it('takes the filters of the list, and refuses those it does not have', async () => {
    expect((await readExport({ currency: 'jpy' })).rows.map(row => row['currency'])).toEqual(['JPY']);
    const { rows } = await readExport({ 'metadata[size]': 'L' });
    expect(rows).toHaveLength(1);
    expect((await readExport({ id: rows[0]?.['id'] ?? '' })).rows).toEqual(rows);
    expect((await readExport({ 'created_at[gt]': '2027-01-01T00:00:00Z' })).rows).toEqual([]);
    expect((await lab.request('GET /v1/payments.csv?limit=5')).status).toBe(400);
    expect((await lab.request('GET /v1/payments.csv?status=lost')).status).toBe(400);
  });

  it.each(['=HYPERLINK("https://evil.example";"Pay")', '+1+1', '-1+1', '@SUM(A1)', '\t=1'])(
    'makes the formula %j a text',
    async formula => {
      const name = `${formula} `;
      await lab.create({ description: formula, reference: formula, customer: { email: 'x@example.com', name } });
      const { text } = await lab.request('GET /v1/payments.csv?customer=x@example.com');
      const cells = text.split('\r\n').flatMap(line => line.split(','));
      expect(cells.filter(cell => /^"?[=+\-@\t]/.test(cell))).toEqual([]);
      expect(text).toContain(`'${formula.replaceAll('"', '""')}`);
    },
  );

  it('streams more than a page', async () => {
    const { id } = await lab.create({ amount: 77 });
    await lab.database.pool.query(
      `insert into payments select copy.*
       from payments p, generate_series(1, 1200) n,
         jsonb_populate_record(p, jsonb_build_object('id', 'pay_many' || n)) copy
       where p.id = $1`,
      [id],
    );
    const { rows } = await readExport({ 'amount[lte]': '77' });
    expect(new Set(rows.map(row => row['id'])).size).toBe(1_201);
  });

  it('leaves out other merchants, and refuses keys without the scope', async () => {
    const other = await lab.addMerchant();
    expect((await lab.request('GET /v1/payments.csv', { key: other.secretKey })).text.split('\r\n')).toHaveLength(2);
    const key = await lab.addKey(lab.merchant.id, 'secret', { scopes: ['invoices:read'] });
    expect((await lab.request('GET /v1/payments.csv', { key })).status).toBe(403);
  });
});
