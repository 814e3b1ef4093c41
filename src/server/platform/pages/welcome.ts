import type { ApiKeyType } from '../http/access/caller.ts';

/** The first merchant's keys. Null: the key is invalid, or only its hash is known. */
export interface TestKeys {
  readonly merchantId: string;
  readonly secretKey: string | null;
  readonly publishableKey: string | null;
  /** Types of the keys that the settings provide. Such keys are never shown. */
  readonly given: readonly ApiKeyType[];
}

/** Live keys that this start of the server created, by type. */
export type MadeKeys = { readonly [Type in ApiKeyType]?: string };

/** The body of the example request in the start-up text and the documentation. */
export const examplePayment = {
  amount: 4200,
  currency: 'EUR',
  settlement_asset: 'USDC',
  settlement_network: 'stellar',
  payment_methods: ['card', 'bank_transfer', 'crypto', 'mobile_money'],
  customer: { email: 'ada@example.com', name: 'Ada Lovelace' },
};

/** The setting that provides each key. Its name is shown instead of the key. */
const variables = { secret: 'PAY_SECRET_KEY', publishable: 'PAY_PUBLISHABLE_KEY' } as const;

/**
 * A curl command that creates a payment. It shows a key from the settings as its variable, and an unknown key as a
 * placeholder.
 */
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

interface WelcomeFacts {
  readonly url: string;
  readonly keys: TestKeys;
  readonly madeKeys: MadeKeys;
  readonly network: keyof typeof headlines;
  readonly demo: boolean;
  /** The URL of the dashboard. It signs in as owner until a person has a password or a passkey. */
  readonly dashboard: string;
  /** The first merchant's settlement account, or null. */
  readonly settlesTo: string | null;
}

const noSettlement = 'no account is set: payments wait until PATCH /v1/account sets settlement.stellar_address';

const headlines = {
  sandbox: 'pay-checkout, sandbox: every rail is simulated and no real money moves.',
  testnet:
    'pay-checkout, Stellar testnet: crypto payments and settlements use the test network, cards and banks are simulated, and no real money moves.',
  public: 'pay-checkout, Stellar public network: payments are real and made in crypto.',
} as const;

/** The start-up text: URLs, keys and an example request. Shows live keys only when they are created. */
export function welcome({ url, keys, madeKeys, network, demo, dashboard, settlesTo }: WelcomeFacts): string {
  const shown = (type: keyof typeof variables, text: string | null) => {
    if (madeKeys[type] !== undefined) return `${madeKeys[type]}  (keep it now: only its hash is kept here)`;
    if (text === null) return 'the key you made (only its hash is kept)';
    return keys.given.includes(type) ? `the one in ${variables[type]}` : text;
  };
  const trial = `Take a payment, and open its checkout_url in a browser:\n\n${curlLine(url, keys)}\n`;
  return `
${headlines[network]}

${demo ? `  Shop             ${url}/demo/\n` : ''}  Dashboard        ${dashboard}
  Docs             ${url}/docs
  Secret key       ${shown('secret', keys.secretKey)}
  Publishable key  ${shown('publishable', keys.publishableKey)}
  Settlement       ${settlesTo ?? noSettlement}

${network === 'public' ? '' : trial}`;
}
