import { rmSync } from 'node:fs';
import { test as base, expect, type Page } from 'playwright/test';
import { createPayClient, type PayClient } from '../../src/api/client.ts';
import type { Payment } from '../../src/api/payment.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { picture } from '../support/picture.ts';
import { startServerProcess } from '../support/server-process.ts';

/** A real service of the worker, with a merchant's key. */
export interface Service {
  readonly url: string;
  readonly secretKey: string;
  readonly publishableKey: string;
  readonly client: PayClient;
  /** Creates a payment, by default of €128.40 with every method. */
  pay(fields?: Record<string, unknown>): Promise<Payment>;
}

/** A screen size and colour scheme. Journeys alternate between them; pages and element are tested with both. */
export interface Look {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly colorScheme: 'light' | 'dark';
}

export const phone: Look = { name: '360-light', width: 360, height: 800, colorScheme: 'light' };
export const desktop: Look = { name: '1280-dark', width: 1280, height: 900, colorScheme: 'dark' };

/** The options of a test that runs on that screen. */
export const on = ({ width, height, colorScheme }: Look) => ({ viewport: { width, height }, colorScheme });

export const test = base.extend<{ errors: string[] }, { service: Service }>({
  service: [
    // biome-ignore lint/correctness/noEmptyPattern: the first parameter's pattern names the fixtures needed
    async ({}, use) => {
      const dataDir = makeDataFolder('pay-e2e-');
      const secretKey = `sk_test_${'e'.repeat(32)}`;
      const publishableKey = `pk_test_${'e'.repeat(32)}`;
      const server = await startServerProcess({
        PAY_DATA_DIR: dataDir,
        PAY_SECRET_KEY: secretKey,
        PAY_PUBLISHABLE_KEY: publishableKey,
        PAY_WEBHOOK_ALLOW_LOOPBACK: '1',
        PAY_LOG_REQUESTS: 'errors',
        PAY_SANDBOX_LEDGER_MS: '250',
      });
      const client = createPayClient({ baseUrl: server.url, apiKey: secretKey });
      await client.account.update({ name: 'Nordlys Supply', support_email: 'help@nordlys.example' });
      await use({
        url: server.url,
        secretKey,
        publishableKey,
        client,
        pay: fields => client.payments.create({ ...order, ...fields } as never),
      });
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
    { scope: 'worker' },
  ],
  // Any error of the page (scripts, security policies) fails its test.
  errors: [
    async ({ page }, use) => {
      const errors: string[] = [];
      page.on('pageerror', error => errors.push(error.message));
      page.on('console', message => {
        if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) errors.push(message.text());
      });
      await use(errors);
      expect(errors).toEqual([]);
    },
    { auto: true },
  ],
});

const order = {
  amount: 12_840,
  currency: 'EUR',
  settlement_asset: 'USDC',
  settlement_network: 'stellar',
  payment_methods: ['card', 'bank_transfer'],
  customer: { email: 'ada@example.com', name: 'Ada Lovelace' },
  reference: 'A-1042',
  line_items: [
    { name: 'Merino base layer', quantity: 1, amount: 8_900 },
    { name: 'Enamel mug', quantity: 2, amount: 3_440 },
    { name: 'Shipping', quantity: 1, amount: 500 },
  ],
};

/** Signs in to the dashboard by the sandbox's button, as a newcomer does. */
export async function signIn(page: Page, { url }: Service): Promise<void> {
  await page.goto(`${url}/dashboard/`);
  await page.getByRole('button', { name: /sandbox/i }).click();
  await expect(page.getByRole('heading', { level: 1, name: /^Good / })).toBeVisible();
}

/** Types a card into the card frame as a payer does. */
export async function fillCard(page: Page, number: string): Promise<void> {
  const frame = page.frameLocator('iframe[title^="Card details"]');
  await frame.getByLabel('Card number').fill(number);
  await frame.getByLabel('Expires').fill('12 / 34');
  await frame.getByLabel('Security code').fill('123');
  await frame.getByLabel('Name on card').fill('Ada Lovelace');
}

/** Types a card into a frame in any language. It finds the fields by their `autocomplete` attributes. */
export async function fillForeignCard(page: Page, number: string): Promise<void> {
  const field = (name: string) => page.frameLocator('pay-checkout iframe').locator(`[autocomplete="${name}"]`);
  await field('cc-number').fill(number);
  await field('cc-exp').fill('12 / 34');
  await field('cc-csc').fill('123');
  await field('cc-name').fill('Ada Lovelace');
}

/** Skips the six seconds before the redirect to the shop. Install the page's clock before paying. */
export async function leaveForShop(page: Page): Promise<void> {
  await expect(page.getByText(/^Taking you back/)).toBeVisible();
  await page.clock.runFor(6_000);
}

export { expect, picture };
