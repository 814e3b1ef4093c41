/**
 * A program that pays wages to three people with one call, by mobile money and bank transfer.
 *
 *     PAY_URL=http://localhost:4242 PAY_SECRET_KEY=sk_test_… node demo/guides/pay-many.ts
 *
 * It puts test money into the balance first. In your own project the import is `pay-checkout/client`.
 */
import { createPayClient } from '../../src/api/client.ts';

/** Pays wages of a month. Returns the completed batch. A second run with the same month pays nothing. */
export async function payWages(baseUrl: string, secretKey: string, month: string) {
  const pay = createPayClient({ baseUrl, apiKey: secretKey });
  await pay.testHelpers.fund({ currency: 'EUR', amount: 500_000 });
  const batch = await pay.payouts.bulk(
    {
      description: `Wages ${month}`,
      payouts: [
        {
          reference: `ada-${month}`,
          amount: 125_000,
          currency: 'EUR',
          destination: { type: 'bank_account', iban: 'DE89370400440532013000', account_holder: 'Ada Lovelace' },
        },
        {
          reference: `kwame-${month}`,
          amount: 80_000,
          currency: 'EUR',
          destination: { type: 'mobile_money', provider: 'mtn', number: '+233241234567' },
        },
        {
          // This number has no account in test mode.
          reference: `wrong-number-${month}`,
          amount: 10_000,
          currency: 'EUR',
          destination: { type: 'mobile_money', provider: 'mtn', number: '+233241234089' },
        },
      ],
    },
    { idempotencyKey: `wages-${month}` },
  );

  let ended = await pay.payoutBatches.retrieve(batch.id);
  while (ended.completed_at === null) {
    // With the webhook `payout_batch.completed` this loop is not needed.
    await new Promise(resolve => setTimeout(resolve, 500));
    ended = await pay.payoutBatches.retrieve(batch.id);
  }
  for await (const { reference, status, failure } of pay.payoutBatches.payouts(batch.id)) {
    console.log(`${reference}: ${failure?.message ?? status}`);
  }
  return ended;
}

if (import.meta.main) {
  const month = new Date().toISOString().slice(0, 7);
  await payWages(process.env['PAY_URL'] ?? 'http://localhost:4242', process.env['PAY_SECRET_KEY'] ?? '', month);
}
