/**
 * A program that prepares an account for payments: who is paid where, which pages may pay, and who hears of it.
 *
 *     PAY_URL=https://pay.example.com PAY_SECRET_KEY=sk_live_… node demo/guides/go-live.ts
 *
 * In your own project the import is `pay-checkout/client`.
 */
import { createPayClient } from '../../src/api/client.ts';

interface Shop {
  readonly name: string;
  readonly origin: string;
  readonly supportEmail: string;
  /** The Stellar account (G…) that receives the money. */
  readonly stellarAddress: string;
  readonly webhookUrl: string;
}

/** Sets the account up. Returns the secret of the webhook endpoint: keep it, it is shown once. */
export async function prepareAccount(baseUrl: string, secretKey: string, shop: Shop): Promise<string> {
  const pay = createPayClient({ baseUrl, apiKey: secretKey });
  await pay.account.update({
    name: shop.name,
    support_email: shop.supportEmail,
    settlement: { asset: 'USDC', stellar_address: shop.stellarAddress },
    allowed_origins: [shop.origin],
    redirect_origins: [shop.origin],
    // Your server sets the price. Pages may only pay what it created.
    client_amounts: false,
  });
  const endpoint = await pay.webhookEndpoints.create({
    url: shop.webhookUrl,
    events: ['payment.*', 'refund.*'],
  });
  return endpoint.secret ?? '';
}

if (import.meta.main) {
  const { PAY_URL = '', PAY_SECRET_KEY = '', SHOP_ORIGIN = '', PAY_ACCOUNT = '' } = process.env;
  const secret = await prepareAccount(PAY_URL, PAY_SECRET_KEY, {
    name: 'Nordlys Supply',
    origin: SHOP_ORIGIN,
    supportEmail: 'help@example.com',
    stellarAddress: PAY_ACCOUNT,
    webhookUrl: `${SHOP_ORIGIN}/webhooks`,
  });
  console.log(`PAY_WEBHOOK_SECRET=${secret}`);
}
