/**
 * A program that makes a payment link for one sale, shows its QR code, and lists who paid.
 *
 *     PAY_URL=http://localhost:4242 PAY_SECRET_KEY=sk_test_… node demo/guides/make-a-link.ts
 *
 * In your own project the import is `pay-checkout/client`.
 */
import { createPayClient } from '../../src/api/client.ts';

/** Sells one item by a link. A test payer pays it at once. Returns the link and its payments. */
export async function sellByLink(baseUrl: string, secretKey: string) {
  const pay = createPayClient({ baseUrl, apiKey: secretKey });
  const link = await pay.paymentLinks.create({
    amount: 4990,
    currency: 'EUR',
    description: 'Merino throw',
    single_use: true,
    metadata: { item: 'throw-7' },
  });
  console.log(`send ${link.url}, or print the code at ${link.qr_code_url}`);

  // The payer does this on the link's page. A card token comes from the card fields.
  const payment = await pay.paymentLinks.pay(link.id, { customer: { email: 'ada@example.com', name: 'Ada Lovelace' } });
  await pay.payments.confirm(payment.id, { method: 'card', token: 'tok_visa' });

  for await (const paid of pay.paymentLinks.payments(link.id)) {
    console.log(`${paid.customer?.name ?? 'somebody'} paid ${paid.amount_received} cents: ${paid.status}`);
  }
  const { data } = await pay.paymentLinks.payments(link.id);
  return { link: await pay.paymentLinks.retrieve(link.id), payments: data };
}

if (import.meta.main) {
  await sellByLink(process.env['PAY_URL'] ?? 'http://localhost:4242', process.env['PAY_SECRET_KEY'] ?? '');
}
