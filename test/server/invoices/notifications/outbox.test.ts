import { afterAll, beforeAll, expect, it } from 'vitest';
import { type InvoiceLab, startInvoiceLab } from '../invoice-lab.ts';

let lab: InvoiceLab;
beforeAll(async () => {
  lab = await startInvoiceLab({ merchant: { name: 'Outbox shop' } });
});
afterAll(() => lab.close());

const visit = async (path: string) => await lab.request(`GET ${path as `/${string}`}`, { key: null });

it('without a mail server an invoice’s mail is in the outbox with its PDF, and its link can be paid', async () => {
  const invoice = await lab.sent();
  await lab.sweep();
  const path = /href="(\/sandbox\/outbox\/mail_\w+)"/.exec((await visit('/sandbox/outbox')).text)?.[1] ?? '';
  const page = await visit(path);
  expect(page.text).toContain(`Invoice ${invoice.number} from Outbox shop`);
  expect(page.text).toContain(`href="${path}/documents/0"`);
  const message = await visit(`${path}/message`);
  expect(message.text).toContain(`<base target="_blank">`);
  expect(message.text).toContain(`href="${invoice.hosted_invoice_url}"`);
  const pdf = await visit(`${path}/documents/0`);
  expect(pdf).toMatchObject({ status: 200, headers: { 'content-type': 'application/pdf' } });
  expect(pdf.text.slice(0, 5)).toBe('%PDF-');
  await lab.invoice(invoice.id, 'void');
  expect((await visit(`${path}/documents/0`)).status).toBe(404);
});
