import type { ApiKeyType } from '../http/access/caller.ts';

/** The first merchant's keys, as far as they are known and still work: keys are kept as hashes only. */
export interface TestKeys {
  readonly merchantId: string;
  readonly secretKey: string | null;
  readonly publishableKey: string | null;
  /** The keys that came from the settings. Their texts are the operator's, so they are used and never shown. */
  readonly given: readonly ApiKeyType[];
}

/** Live keys that were made just now, by type. */
export type MadeKeys = { readonly [Type in ApiKeyType]?: string };

/** The body of the first request anybody tries. */
export const examplePayment = {
  amount: 4200,
  currency: 'EUR',
  settlement_asset: 'USDC',
  settlement_network: 'stellar',
  payment_methods: ['card', 'bank_transfer', 'crypto'],
  customer: { email: 'ada@example.com', name: 'Ada Lovelace' },
};

/** What stands for each key that came from the settings: their variables. */
const variables = { secret: 'PAY_SECRET_KEY', publishable: 'PAY_PUBLISHABLE_KEY' } as const;

/** A curl line that creates a payment. A key from the settings is named by its variable, an unknown one has a placeholder. */
export function curlLine(url: string, { secretKey, given }: Pick<TestKeys, 'secretKey' | 'given'>): string {
  const isNamed = secretKey !== null && given.includes('secret');
  return [
    `curl ${url}/v1/payments \\`,
    isNamed
      ? `  -H "Authorization: Bearer $${variables.secret}" \\`
      : `  -H 'Authorization: Bearer ${secretKey ?? 'sk_test_YOUR_SECRET_KEY'}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(examplePayment)}'`,
  ].join('\n');
}

/** What the server says of itself when it has started. */
interface WelcomeFacts {
  readonly url: string;
  readonly keys: TestKeys;
  readonly madeKeys: MadeKeys;
  readonly network: keyof typeof headlines;
  readonly demo: boolean;
}

const headlines = {
  sandbox: 'pay-checkout, sandbox: every rail is simulated and no real money moves.',
  testnet:
    'pay-checkout, Stellar testnet: crypto payments and settlements are on the test network, cards and banks are simulated, no real money moves.',
  public: 'pay-checkout, Stellar public network: money is real, and paid in crypto.',
} as const;

/** What the server prints when it has started: where to look, and what to try. Live keys are shown when they are made, and never again. */
export function welcome({ url, keys, madeKeys, network, demo }: WelcomeFacts): string {
  const shown = (type: keyof typeof variables, text: string | null) => {
    if (madeKeys[type] !== undefined) return `${madeKeys[type]}  (keep it now: only its hash is kept here)`;
    if (text === null) return 'the key you made (only its hash is kept)';
    return keys.given.includes(type) ? `the one in ${variables[type]}` : text;
  };
  const trial = `Take a payment, and open its checkout_url in a browser:\n\n${curlLine(url, keys)}\n`;
  return `
${headlines[network]}

${demo ? `  Shop             ${url}/demo/\n` : ''}  Docs             ${url}/docs
  Secret key       ${shown('secret', keys.secretKey)}
  Publishable key  ${shown('publishable', keys.publishableKey)}

${network === 'public' ? '' : trial}`;
}
