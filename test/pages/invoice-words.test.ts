import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { readPdf } from '../support/read-pdf.ts';
import { sendInvoice } from './example-invoice.ts';
import { startPages } from './site.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startPages({ name: 'Nordlys Supply' });
}, 90_000);
afterAll(() => app?.close());

const installments = [
  { due_date: '2031-01-10', percent: '40' },
  { due_date: '2031-02-10', percent: '60' },
];

/** What the customer reads of the invoice: its page and its PDF. */
async function bothOf({ hosted_invoice_url: url }: { hosted_invoice_url: string }): Promise<readonly string[]> {
  const { pathname } = new URL(url);
  const page = await app.request(`GET /${pathname.slice(1)}`, { key: null });
  const pdf = await app.request(`GET /${pathname.slice(1)}/pdf`, { key: null });
  const { pages } = await readPdf(pdf.bytes);
  return [page.text.replace(/<[^>]*>/g, ' '), pages.join(' ')].map(text => text.replace(/\s+/g, ' '));
}

describe('the page of an invoice and its PDF', () => {
  it('mean the same sum by a subtotal', async () => {
    for (const text of await bothOf(await sendInvoice(app))) {
      expect(text).toMatch(/Subtotal €1,015\.00 Discounts on lines [-−]€22\.00/);
    }
  });

  it('have one word for what is not paid yet, and one for what is cancelled', async () => {
    const planned = await bothOf(await sendInvoice(app, { installments, due_date: '2031-02-10' }));
    for (const text of planned) {
      expect(text).toContain('To pay');
      expect(text).not.toMatch(/\bOpen\b/);
    }
    const invoice = await sendInvoice(app);
    await app.request(`POST /v1/invoices/${invoice.id}/void`, { body: {} });
    for (const text of await bothOf(invoice)) {
      expect(text).toMatch(/Cancelled/i);
      expect(text).not.toMatch(/\bVoid\b/i);
    }
  });
});
