import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Invoice } from '../../../src/api/invoice/invoice-view.ts';
import { browserDir } from '../../support/built.ts';
import { type InvoiceLab, startInvoiceLab } from './invoice-lab.ts';

let lab: InvoiceLab;
beforeAll(async () => {
  lab = await startInvoiceLab({ browserDir });
}, 300_000);
afterAll(() => lab.close());

/** Presses the page's button `times` times concurrently. Returns the ids of the payments. */
async function press({ hosted_invoice_url: url }: Invoice, times: number, body: object): Promise<string[]> {
  const headers = { 'sec-fetch-site': 'same-origin', origin: 'http://localhost:4242' };
  const path = `${new URL(url ?? '').pathname}/payments` as `/${string}`;
  const one = () => lab.request(`POST ${path}`, { key: null, body, headers });
  const answers = await Promise.all(Array.from({ length: times }, one));
  expect(answers.map(({ status }) => status)).toEqual(Array(times).fill(201));
  return answers.map(({ body: payment }) => payment.id);
}
const paymentsOf = async ({ id }: Invoice): Promise<{ id: string }[]> =>
  (await lab.request(`GET /v1/invoices/${id}/payments?limit=100`)).body.data;

it('ten concurrent presses create one payment, and further ones after its end create one more', async () => {
  const invoice = await lab.sent({ allow_partial: true });
  const first = new Set(await press(invoice, 10, { amount: 1_000 }));
  expect(first.size).toBe(1);
  expect(await paymentsOf(invoice)).toHaveLength(1);
  for (const id of first) await lab.request(`POST /v1/payments/${id}/cancel`);
  const second = new Set(await press(invoice, 4, { amount: 1_000 }));
  expect([second.size, new Set([...first, ...second]).size]).toEqual([1, 2]);
  for (const id of second) expect((await lab.payByCard(id)).body.status).toBe('completed');
  const third = new Set(await press(invoice, 4, { amount: 1_000 }));
  expect([third.size, new Set([...first, ...second, ...third]).size]).toEqual([1, 3]);
  expect(await paymentsOf(invoice)).toHaveLength(3);
});

it('concurrent presses with other amounts or by other customers create separate payments', async () => {
  const invoice = await lab.sent({ customer: { name: 'Ada' }, allow_partial: true });
  const people = ['ada@example.com', 'bob@example.com'];
  const presses = people.flatMap(email => [700, 800].map(amount => press(invoice, 3, { amount, email })));
  const ids = (await Promise.all(presses)).map(given => new Set(given));
  expect(ids.map(({ size }) => size)).toEqual([1, 1, 1, 1]);
  expect(await paymentsOf(invoice)).toHaveLength(4);
});

it('data that only the page needs is not read for a view or a press', async () => {
  const invoice = await lab.sent();
  const { pathname } = new URL(invoice.hosted_invoice_url ?? '');
  const headers = { 'sec-fetch-site': 'same-origin' };
  const busy = await lab.database.pool.connect();
  try {
    await busy.query('begin');
    await busy.query('lock table credit_notes in access exclusive mode');
    const view = { visitor: 'a-visitor-of-a-page' };
    const asked = Promise.all([
      press(invoice, 1, { amount: invoice.amount_remaining }),
      lab.request(`POST ${pathname as '/i/'}/views`, { key: null, headers, body: view }),
    ]);
    const answers = await Promise.race([asked, new Promise<[]>(done => setTimeout(() => done([]), 3_000))]);
    expect(answers.slice(1)).toMatchObject([{ status: 204 }]);
  } finally {
    await busy.query('rollback');
    busy.release();
  }
});
