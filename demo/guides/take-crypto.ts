/**
 * A program that takes a payment on Stellar. The payer chooses an asset and receives an address; after the deposit the
 * merchant receives the asset it requested.
 *
 *     PAY_URL=http://localhost:4242 PAY_SECRET_KEY=sk_test_… node demo/guides/take-crypto.ts
 *
 * In your own project the import is `pay-checkout/client`.
 */
import { createPayClient } from '../../src/api/client.ts';

/** Takes €42.00 in XLM, as the checkout page would; the merchant is owed USDC. Returns the payment. */
export async function takeCrypto(baseUrl: string, secretKey: string) {
  const pay = createPayClient({ baseUrl, apiKey: secretKey });

  const { id } = await pay.payments.create({
    amount: 4200,
    currency: 'EUR',
    settlement_asset: 'USDC',
    settlement_network: 'stellar',
    payment_methods: ['crypto'],
    customer: { email: 'ada@example.com', name: 'Ada Lovelace' },
    metadata: { order: 'A-1043' },
  });

  const { crypto } = await pay.payments.options(id);
  for (const { asset, amount } of crypto?.assets ?? []) console.log(`${amount} ${asset}`);
  const choice = crypto?.assets.find(({ asset }) => asset === 'XLM');
  if (!choice) throw new Error('this payment takes no XLM just now');

  const confirmed = await pay.payments.confirm(id, { method: 'crypto', chain: choice.chain, asset: choice.asset });
  if (confirmed.next_action?.type !== 'crypto_transfer') throw new Error('there is nothing to send');
  const { address, asset, amount, uri } = confirmed.next_action;
  console.log(`send exactly ${amount} ${asset} to ${address}, or open ${uri} in a wallet`);

  // In test mode a helper sends the deposit. With real money the payer sends it.
  const { tx_hash } = await pay.testHelpers.deposit({ chain: 'stellar', address, asset, amount });
  console.log(`sent in transaction ${tx_hash}`);

  for await (const { status, phase } of pay.payments.stream(id)) {
    console.log(`${status}: ${phase}`);
    if (status !== 'pending') break;
  }
  return await pay.payments.retrieve(id);
}

if (import.meta.main) {
  await takeCrypto(process.env['PAY_URL'] ?? 'http://localhost:4242', process.env['PAY_SECRET_KEY'] ?? '');
}
