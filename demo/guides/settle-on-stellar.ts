/**
 * A program that takes a card payment and waits until the money is in your Stellar account.
 *
 *     PAY_URL=http://localhost:4242 PAY_SECRET_KEY=sk_test_… PAY_ACCOUNT=G… node demo/guides/settle-on-stellar.ts
 *
 * In your own project the import is `pay-checkout/client`.
 */
import { createPayClient } from '../../src/api/client.ts';

/** Takes €42.00, settled in XLM to `account`. Returns the payment and its transaction as Horizon answers it. */
export async function settleOnStellar(baseUrl: string, secretKey: string, account: string) {
  const pay = createPayClient({ baseUrl, apiKey: secretKey });
  await pay.account.update({ settlement: { stellar_address: account } });

  const payment = await pay.payments.create({
    amount: 4200,
    currency: 'EUR',
    settlement_asset: 'XLM',
    settlement_network: 'stellar',
    payment_methods: ['card'],
    customer: { email: 'ada@example.com' },
  });
  console.log(`you will receive ${payment.quote.settlement_amount} XLM`);
  await pay.payments.confirm(payment.id, { method: 'card', token: 'tok_visa' });

  // With the webhook `payment.settled` this loop is not needed.
  let { settlement } = await pay.payments.retrieve(payment.id);
  while (settlement.status !== 'settled' && settlement.status !== 'failed') {
    await new Promise(resolve => setTimeout(resolve, 500));
    ({ settlement } = await pay.payments.retrieve(payment.id));
  }
  console.log(`${settlement.status}: ${settlement.amount} ${settlement.asset} in ledger ${settlement.ledger}`);

  // The sandbox answers as Horizon does. On a real network, ask its own Horizon.
  const answer = await fetch(`${baseUrl}/sandbox/horizon/transactions/${settlement.tx_hash}`);
  return { settlement, transaction: (await answer.json()) as { successful: boolean; ledger: number } };
}

if (import.meta.main) {
  const { PAY_URL = 'http://localhost:4242', PAY_SECRET_KEY = '', PAY_ACCOUNT = '' } = process.env;
  await settleOnStellar(PAY_URL, PAY_SECRET_KEY, PAY_ACCOUNT);
}
