import type { TestKeys } from './merchants/first-merchant.store.ts';

/** The body of the first request anybody tries. */
export const examplePayment = {
  amount: 4200,
  currency: 'EUR',
  settlement_asset: 'USDC',
  settlement_network: 'stellar',
  payment_methods: ['card', 'bank_transfer'],
  customer: { email: 'ada@example.com', name: 'Ada Lovelace' },
};

/** A curl line that creates a payment. Without a key it has a placeholder. */
export function curlLine(url: string, secretKey: string | null): string {
  return [
    `curl ${url}/v1/payments \\`,
    `  -H 'Authorization: Bearer ${secretKey ?? 'sk_test_YOUR_SECRET_KEY'}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(examplePayment)}'`,
  ].join('\n');
}

/** What the server prints when it has started: where to look, and what to try. */
export function welcome(url: string, keys: TestKeys, demo: boolean): string {
  const hidden = 'the key you made (only its hash is kept)';
  return `
pay-checkout, sandbox: every rail is simulated and no real money moves.

${demo ? `  Shop             ${url}/demo/\n` : ''}  Docs             ${url}/docs
  Secret key       ${keys.secretKey ?? hidden}
  Publishable key  ${keys.publishableKey ?? hidden}

Take a payment, and open its checkout_url in a browser:

${curlLine(url, keys.secretKey)}
`;
}
