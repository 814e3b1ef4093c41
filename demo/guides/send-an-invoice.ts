/**
 * A program that sends an invoice with two taxes, a discount, a deposit and two instalments. The customer pays the
 * deposit by card and the rest by bank.
 *
 *     PAY_URL=http://localhost:4242 PAY_SECRET_KEY=sk_test_… node demo/guides/send-an-invoice.ts
 *
 * Without a mail server the mail is at /sandbox/outbox. In your own project the import is `pay-checkout/client`.
 */
import { createPayClient } from '../../src/api/client.ts';

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** Bills €4,590.00 less 10 %, plus taxes. Returns the paid invoice. */
export async function sendAnInvoice(baseUrl: string, secretKey: string) {
  const pay = createPayClient({ baseUrl, apiKey: secretKey });
  const draft = await pay.invoices.create({
    customer: { name: 'Lindqvist AB', email: 'accounts@lindqvist.example' },
    currency: 'EUR',
    lines: [
      { description: 'Design', quantity: '12.5', unit: 'h', unit_amount: 12_000, tax: { name: 'VAT', percent: 25 } },
      { description: 'Handbook, printed', quantity: 103, unit_amount: 3_000, tax: { name: 'VAT', percent: 6 } },
    ],
    discount: { percent: 10 },
    deposit: { percent: 30 },
    installments: [
      { percent: 50, due_date: day(30) },
      { percent: 50, due_date: day(60) },
    ],
    settlement_asset: 'USDC',
    metadata: { project: 'P-7' },
  });
  console.log(`draft ${draft.id}: ${draft.total} cents, of which tax ${draft.tax_total}`);

  const invoice = await pay.invoices.send(draft.id);
  console.log(`${invoice.number} is at ${invoice.hosted_invoice_url}, its PDF at ${invoice.pdf_url}`);

  const deposit = await pay.invoices.pay(invoice.id);
  await pay.payments.confirm(deposit.id, { method: 'card', token: 'tok_visa' });
  const { amount_remaining } = await pay.invoices.retrieve(invoice.id);
  console.log(`the deposit of ${deposit.amount} is paid, ${amount_remaining} is left`);

  await pay.invoices.recordPayment(invoice.id, { method: 'bank_transfer', reference: 'statement 118' });
  return await pay.invoices.retrieve(invoice.id);
}

if (import.meta.main) {
  await sendAnInvoice(process.env['PAY_URL'] ?? 'http://localhost:4242', process.env['PAY_SECRET_KEY'] ?? '');
}
