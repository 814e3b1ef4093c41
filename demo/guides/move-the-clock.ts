/**
 * A program that tries what takes days in reality: a declined card, and a payment that expires.
 *
 *     PAY_URL=http://localhost:4242 PAY_SECRET_KEY=sk_test_… node demo/guides/move-the-clock.ts
 *
 * In your own project the import is `pay-checkout/client`.
 */
import { createPayClient, PayApiError } from '../../src/api/client.ts';

/** Returns the code of the declined card, and the payment after its session has ended. */
export async function moveTheClock(baseUrl: string, secretKey: string) {
  const pay = createPayClient({ baseUrl, apiKey: secretKey });
  const { id } = await pay.payments.create({
    amount: 4200,
    currency: 'EUR',
    settlement_asset: 'USDC',
    settlement_network: 'stellar',
    payment_methods: ['card'],
    customer: { email: 'ada@example.com' },
  });

  // A declined card answers 402, and the payment stays open for another try.
  const declined = await pay.payments.confirm(id, { method: 'card', token: 'tok_insufficient_funds' }).then(
    () => null,
    error => (error instanceof PayApiError ? error.code : null),
  );
  console.log(`the card was refused: ${declined}`);

  // Two days later the payer's session has ended. The clock of test mode moves for your account only.
  const { now } = await pay.testHelpers.advanceClock({ advance: 'P2D' });
  console.log(`it is now ${now}`);
  const { status, phase } = await pay.payments.retrieve(id);
  console.log(`the payment is ${status}: ${phase}`);
  return { declined, status, phase };
}

if (import.meta.main) {
  await moveTheClock(process.env['PAY_URL'] ?? 'http://localhost:4242', process.env['PAY_SECRET_KEY'] ?? '');
}
