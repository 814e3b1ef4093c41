/**
 * A program that creates a payment, pays it with a test card, waits until it is complete, and refunds half.
 *
 *     PAY_URL=http://localhost:4242 PAY_SECRET_KEY=sk_test_… node demo/guides/take-a-payment.ts
 *
 * In your own project the import is `pay-checkout/client`.
 */
import { createPayClient } from '../../src/api/client.ts';

/** Takes €42.00 by card and refunds €21.00. Returns the payment, the refund and the types of all events. */
export async function takePayment(baseUrl: string, secretKey: string) {
  const pay = createPayClient({ baseUrl, apiKey: secretKey });

  const payment = await pay.payments.create({
    amount: 4200,
    currency: 'EUR',
    settlement_asset: 'USDC',
    settlement_network: 'stellar',
    payment_methods: ['card', 'bank_transfer'],
    customer: { email: 'ada@example.com', name: 'Ada Lovelace' },
    metadata: { order: 'A-1042' },
  });
  console.log(`${payment.id} waits for its payer at ${payment.checkout_url}`);

  await pay.payments.confirm(payment.id, { method: 'card', token: 'tok_visa' });
  for await (const { status, phase } of pay.payments.stream(payment.id)) {
    console.log(`${status}: ${phase}`);
    if (status !== 'pending') break;
  }

  const refund = await pay.payments.refund(payment.id, { amount: 2100, reason: 'requested_by_customer' });
  console.log(`${refund.id} gives ${refund.amount} cents back: ${refund.status}`);

  const types: string[] = [];
  for await (const event of pay.events.list({ limit: 100 })) types.unshift(event.type);
  return { payment: await pay.payments.retrieve(payment.id), refund, types };
}

if (import.meta.main) {
  await takePayment(process.env['PAY_URL'] ?? 'http://localhost:4242', process.env['PAY_SECRET_KEY'] ?? '');
}
