import type { Invoice } from '../../src/api/invoice/invoice-view.ts';
import type { TestApp } from '../support/app.ts';

/** Lines with two taxes and a discount, in EUR. With the discount on the invoice, the total is €1,190.38. */
const content = {
  currency: 'EUR',
  customer: {
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    address: { line1: '12 St James’s Square', city: 'London', postal_code: 'SW1Y 4LB', country: 'GB' },
    tax_id: 'GB123456789',
  },
  lines: [
    { description: 'Analytical engine, hire', quantity: '3', unit: 'day', unit_amount: 25_000, tax: vat('20') },
    { description: 'Punched cards', quantity: '400', unit_amount: 55, discount: { percent: '10' }, tax: vat('7') },
    { description: 'Delivery', unit_amount: 4_500, tax: vat('20') },
  ],
  discount: { amount: 5_000 },
  payment_methods: ['card', 'bank_transfer'],
  memo: 'Thank you for your order.',
  footer: 'Nordlys Supply, Tromsø',
};

function vat(percent: string) {
  return { name: 'VAT', percent };
}

export async function draftInvoice(app: TestApp, fields: object = {}): Promise<Invoice> {
  const answer = await app.request('POST /v1/invoices', { body: { ...content, ...fields } });
  if (answer.status !== 201) throw new Error(`no invoice: ${answer.text}`);
  return answer.body as Invoice;
}

export async function sendInvoice(
  app: TestApp,
  fields: object = {},
): Promise<Invoice & { hosted_invoice_url: string }> {
  const { id } = await draftInvoice(app, fields);
  const answer = await app.request(`POST /v1/invoices/${id}/send`, { body: {} });
  if (answer.status !== 200) throw new Error(`not sent: ${answer.text}`);
  return answer.body as Invoice & { hosted_invoice_url: string };
}

export async function readInvoice(app: TestApp, id: string): Promise<Invoice> {
  return (await app.request(`GET /v1/invoices/${id}`)).body as Invoice;
}

/** The date in `days` days, as `YYYY-MM-DD`. */
export function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}
