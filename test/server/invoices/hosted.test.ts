import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Invoice } from '../../../src/api/invoice/invoice-view.ts';
import { browserDir } from '../../support/built.ts';
import { refusal } from '../payments/payment-lab.ts';
import { type InvoiceLab, startInvoiceLab } from './invoice-lab.ts';

let lab: InvoiceLab;
beforeAll(async () => {
  lab = await startInvoiceLab({ browserDir });
}, 300_000);
afterAll(() => lab.close());

const pathOf = ({ hosted_invoice_url: url }: Invoice) => new URL(url ?? '').pathname as `/${string}`;
/** A request from the invoice's page in a browser. */
const fromPage = (path: `/${string}`, body: object, headers: Record<string, string> = {}) =>
  lab.request(`POST ${path}`, {
    key: null,
    body,
    headers: { 'sec-fetch-site': 'same-origin', origin: 'http://localhost:4242', ...headers },
  });
const see = (invoice: Invoice, visitor: string, headers = {}) =>
  fromPage(`${pathOf(invoice)}/views`, { visitor }, headers);

describe('the token of an invoice’s page', () => {
  it('opens nothing when one character differs', async () => {
    const invoice = await lab.sent();
    const path = pathOf(invoice);
    const get = async (address: `/${string}`) => (await lab.request(`GET ${address}`, { key: null })).status;
    expect(await get(path)).toBe(200);
    for (const at of [3, 24, 25, 46, 47, 68]) {
      const altered: `/${string}` = `/${path.slice(1, at)}${path[at] === 'a' ? 'b' : 'a'}${path.slice(at + 1)}`;
      expect([at, await get(altered)]).toEqual([at, 404]);
      expect([at, await get(`${altered}/pdf`)]).toEqual([at, 404]);
      expect((await fromPage(`${altered}/payments`, { amount: 100 })).status).toBe(404);
    }
    expect(await get('/i/short')).toBe(404);
    expect(path.slice(3)).toMatch(/^[0-9A-Za-z]{66}$/);
  });

  it('opens the PDF, and the receipt after a payment', async () => {
    const invoice = await lab.sent();
    const path = new URL(invoice.pdf_url ?? '').pathname as `/${string}`;
    const pdf = await lab.request(`GET ${path}`, { key: null });
    expect([pdf.status, pdf.headers['content-type'], pdf.text.slice(0, 5)]).toEqual([200, 'application/pdf', '%PDF-']);
    const receipt = () => lab.request(`GET ${pathOf(invoice)}/receipt`, { key: null });
    expect((await receipt()).status).toBe(404);
    await lab.payInvoice(invoice.id, 500);
    expect((await receipt()).text.slice(0, 5)).toBe('%PDF-');
  });
});

it.each([
  ['en', 'Germany'],
  ['ja', 'ドイツ'],
  ['ar', 'ألمانيا'],
])('the page names countries in the language of the invoice: %s', async (locale, name) => {
  const address = { line1: 'Hauptstr. 1', postal_code: '10115', city: 'Berlin', country: 'de' };
  const invoice = await lab.sent({ locale, customer: { email: 'ada@example.com', address } });
  expect((await lab.request(`GET ${pathOf(invoice)}`, { key: null })).text).toContain(name);
});

describe('a view', () => {
  const people = ['a'.repeat(22), 'b'.repeat(22)] as const;

  it('is stored and reported once for each person', async () => {
    const invoice = await lab.sent();
    expect((await see(invoice, people[0])).status).toBe(204);
    const first = lab.clock.now().toISOString();
    expect(await lab.readInvoice(invoice.id)).toMatchObject({ status: 'viewed', viewed_at: first });
    lab.clock.advance(3600);
    await Promise.all([see(invoice, people[0]), see(invoice, people[1]), see(invoice, people[1])]);
    expect(await lab.readInvoice(invoice.id)).toMatchObject({ status: 'viewed', viewed_at: first });
    expect(await lab.eventsOf(invoice.id)).toEqual(['invoice.created', 'invoice.sent', 'invoice.viewed']);
    const { rows } = await lab.database.pool.query('select views from invoices where id = $1', [invoice.id]);
    expect(rows).toEqual([{ views: 2 }]);
  });

  it('is not counted when a mail program requests the page, the PDF, a prefetch or a cross-site view', async () => {
    const invoice = await lab.sent();
    for (const call of ['GET', 'HEAD'] as const) {
      for (const path of [pathOf(invoice), `${pathOf(invoice)}/pdf`] as const)
        await lab.request(`${call} ${path}`, { key: null });
    }
    const elsewhere = await see(invoice, people[0], { 'sec-fetch-site': 'cross-site', origin: 'https://mail.example' });
    expect(elsewhere.status).toBe(403);
    for (const headers of [{ 'sec-purpose': 'prefetch' }, { purpose: 'prefetch' }, { 'x-moz': 'prefetch' }]) {
      await see(invoice, people[0], headers);
    }
    expect(await lab.readInvoice(invoice.id)).toMatchObject({ status: 'sent', viewed_at: null });
  });

  it('does not revert a later status', async () => {
    const invoice = await lab.sent();
    await lab.payInvoice(invoice.id, 100);
    await see(invoice, people[0]);
    expect(await lab.readInvoice(invoice.id)).toMatchObject({
      status: 'partially_paid',
      viewed_at: expect.any(String),
    });
    const types = ['invoice.created', 'invoice.sent', 'invoice.partially_paid', 'invoice.viewed'];
    expect(await lab.eventsOf(invoice.id)).toEqual(types);
  });
});

describe('paying on the page', () => {
  const start = (invoice: Invoice, amount: number) => fromPage(`${pathOf(invoice)}/payments`, { amount });

  it('creates a payment that the customer continues with its client secret', async () => {
    const invoice = await lab.sent();
    const { status, body } = await start(invoice, 11_900);
    expect(status).toBe(201);
    const paid = await lab.request(`POST /v1/payments/${body.id}/confirm`, {
      key: body.client_secret,
      body: { method: 'card', token: 'tok_visa' },
    });
    expect(paid.body.status).toBe('completed');
    expect(await lab.readInvoice(invoice.id)).toMatchObject({ status: 'paid', amount_paid: 11_900 });
  });

  it('continues an unstarted payment instead of creating another', async () => {
    const invoice = await lab.sent();
    const [first, second] = [await start(invoice, 11_900), await start(invoice, 11_900)];
    expect(second.body.id).toBe(first.body.id);
    expect((await lab.request(`GET /v1/invoices/${invoice.id}/payments`)).body.data).toHaveLength(1);
  });

  it('requires an e-mail address when the invoice has none, and creates one payment for each address', async () => {
    const invoice = await lab.sent({ customer: { name: 'Somebody' } });
    expect(refusal(await start(invoice, 11_900))).toEqual([400, 'parameter_missing', 'customer.email']);
    const startAs = (email: string) => fromPage(`${pathOf(invoice)}/payments`, { amount: 11_900, email });
    const [one, same, other] = [
      await startAs('one@example.com'),
      await startAs('one@example.com'),
      await startAs('two@example.com'),
    ];
    expect(one.status).toBe(201);
    expect(same.body.id).toBe(one.body.id);
    expect(other.body.id).not.toBe(one.body.id);
  });

  it('accepts only the full amount or the first whole instalments, unless the merchant allows any part', async () => {
    const whole = await lab.sent();
    expect(refusal(await start(whole, 100))).toEqual([400, 'amount_not_allowed', 'amount']);
    const parts = await lab.sent({
      installments: [
        { due_date: '2026-11-10', amount: 1900 },
        { due_date: '2026-11-20', amount: 5000 },
        { due_date: '2026-11-30', amount: 5000 },
      ],
    });
    for (const [amount, status] of [
      [1900, 201],
      [6900, 201],
      [11_900, 201],
      [5000, 400],
      [1, 400],
    ] as const) {
      expect([amount, (await start(parts, amount)).status]).toEqual([amount, status]);
    }
    const any = await lab.sent({ allow_partial: true });
    expect((await start(any, 1)).status).toBe(201);
    expect(refusal(await start(any, 11_901))).toEqual([400, 'amount_out_of_range', 'amount']);
  });

  it('is refused when the invoice is void', async () => {
    const invoice = await lab.sent();
    await lab.invoice(invoice.id, 'void');
    expect(refusal(await start(invoice, 11_900))).toEqual([409, 'illegal_state', null]);
  });
});

it('a credit note for the overdue amount changes the status from “overdue” back to “viewed”', async () => {
  const invoice = await lab.sent({
    customer: { email: 'viewed-again@example.com' },
    installments: [
      { due_date: '2026-11-10', amount: 2000 },
      { due_date: '2026-11-30', amount: 9900 },
    ],
  });
  expect((await see(invoice, 'c'.repeat(22))).status).toBe(204);
  lab.clock.advance(9 * 86_400);
  await lab.sweep('invoices.overdue');
  expect((await lab.readInvoice(invoice.id)).status).toBe('overdue');
  await lab.invoice(invoice.id, 'credit-notes', { amount: 2000 });
  expect(await lab.readInvoice(invoice.id)).toMatchObject({ status: 'viewed', amount_paid: 0 });
  expect(await lab.eventsOf(invoice.id)).toEqual([
    ...['invoice.created', 'invoice.sent', 'invoice.viewed', 'invoice.overdue', 'invoice.updated'],
  ]);
});
