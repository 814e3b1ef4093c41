import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { readPdf } from '../support/read-pdf.ts';
import { draftInvoice, sendInvoice } from './example-invoice.ts';
import { startPages } from './site.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startPages({ name: 'Nordlys Supply' });
}, 90_000);
afterAll(() => app?.close());

const plain = { lines: [{ description: 'Blanket', unit_amount: 12_500 }], discount: null };
const act = (id: string, what: string, body: object = {}) => app.request(`POST /v1/invoices/${id}/${what}`, { body });
type Sent = { hosted_invoice_url: string };
const show = ({ hosted_invoice_url: url }: Sent, end = '', given = app) =>
  given.request(`GET /${new URL(url).pathname.slice(1)}${end}`, { key: null });
const wordsOf = (markup: string) => markup.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');

/** The page's text. */
const read = async (invoice: Sent) => wordsOf((await show(invoice)).text);

describe('a customer who has overpaid', () => {
  const customer = { name: 'Grace Hopper', email: 'grace@example.com' };

  it('reads the received amount and the credit, and on the next invoice the spent credit', async () => {
    const invoice = await sendInvoice(app, { ...plain, customer });
    expect((await act(invoice.id, 'record-payment', { amount: 15_000 })).status).toBe(200);
    const words = await read(invoice);
    expect(words).toContain('Nordlys Supply has received €150.00.');
    expect(words).toContain('€25.00 is kept as your credit.');
    expect(words).toContain('Kept as credit €25.00');
    await act(invoice.id, 'credit-notes', { amount: 4_000 });
    const credited = await read(invoice);
    expect(credited).toContain('Nordlys Supply has received €150.00.');
    expect(credited).toContain('€65.00 is kept as your credit.');
    const next = await read(await sendInvoice(app, { ...plain, customer }));
    expect(next).toContain('Credit used −€65.00');
    expect(next).not.toContain('Paid -€');
    expect(next).not.toContain('of €125.00 is paid');
    expect(next).not.toContain('Download the receipt');
    expect(next).toContain('€60.00 EUR still due');
  });

  it('reads both on the receipt', async () => {
    const invoice = await sendInvoice(app, { ...plain, customer: { name: 'Ada', email: 'ada.more@example.com' } });
    await act(invoice.id, 'record-payment', { amount: 15_000 });
    const { pages } = await readPdf((await show(invoice, '/receipt')).bytes);
    expect(pages.join(' ').replace(/\s+/g, ' ')).toContain('Kept as credit €25.00');
  });
});

describe('a customer with a credit note', () => {
  it('finds it on the invoice’s page, and no other invoice’s note there', async () => {
    const invoice = await sendInvoice(app, plain);
    const note = (await act(invoice.id, 'credit-notes', { amount: 4_000 })).body;
    const markup = (await show(invoice)).text;
    const [, href = ''] = markup.match(/href="([^"]*)"[^>]*>Credit note [^<]*</) ?? [];
    expect(wordsOf(markup)).toContain(`Credit note ${note.number}`);
    const pdf = await app.request(`GET ${href}` as `GET /${string}`, { key: null });
    expect([pdf.status, pdf.headers['content-type'], pdf.headers['x-robots-tag']]).toEqual([
      ...[200, 'application/pdf', 'noindex'],
    ]);
    expect((await readPdf(pdf.bytes)).pages.join(' ')).toContain(note.number);
    const other = await sendInvoice(app, plain);
    expect((await show(other, `/credit-notes/${note.id}`)).status).toBe(404);
    expect((await show(invoice, '/credit-notes/cn_0000000000000000000000')).status).toBe(404);
  });

  it('reads the final received amount, not the former amount due', async () => {
    const invoice = await sendInvoice(app, plain);
    await act(invoice.id, 'credit-notes', { amount: 4_000 });
    await act(invoice.id, 'record-payment');
    expect(await read(invoice)).toContain('Nordlys Supply has received €85.00.');
  });
});

describe('a customer who has paid several times', () => {
  it('reads on each receipt which payment it confirms', async () => {
    const invoice = await sendInvoice(app, { ...plain, allow_partial: true });
    await act(invoice.id, 'record-payment', { amount: 1_000, paid_at: '2026-01-05T12:00:00Z' });
    await act(invoice.id, 'record-payment', { amount: 2_000, paid_at: '2026-01-07T12:00:00Z' });
    expect(await read(invoice)).toContain('Download the receipt of January 7, 2026 (€20.00)');
  });

  it('finds no receipt on an unpaid invoice', async () => {
    expect((await draftInvoice(app, plain)).pdf_url).toBe(null);
    expect(await read(await sendInvoice(app, plain))).not.toContain('receipt');
  });
});
