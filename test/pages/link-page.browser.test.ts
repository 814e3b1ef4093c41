import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PaymentLink } from '../../src/api/link.ts';
import { defectsOf } from '../support/axe.ts';
import { type Site, startSite } from './site.ts';
import { createVisits, payByCard } from './visits.ts';

vi.setConfig({ testTimeout: 60_000 });
const pictures = join(import.meta.dirname, '../../dist/pictures/links');
let site: Site;
beforeAll(async () => {
  mkdirSync(pictures, { recursive: true });
  site = await startSite({ name: 'Nordlys Supply', supportEmail: 'help@nordlys.example' });
}, 60_000);
const { open, end } = createVisits(() => site.browser);
afterEach(end);
afterAll(() => site?.close());

const items = [
  { name: 'Merino base layer', quantity: 1, amount: 8_900 },
  { name: 'Enamel mug', quantity: 2, amount: 3_940 },
];

async function makeLink(fields: object = {}): Promise<PaymentLink> {
  const body = { currency: 'EUR', payment_methods: ['card', 'bank_transfer'], ...fields };
  const answer = await site.request('POST /v1/payment-links', { body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

/** How far the letters of the payee's name are from the logo, in px. */
async function gapBesideLogo(page: Page): Promise<number> {
  return await page.evaluate(() => {
    const letters = document.createRange();
    letters.selectNodeContents(document.querySelector('.name') as Element);
    const [name, logo] = [
      letters.getBoundingClientRect(),
      (document.querySelector('.logo') as Element).getBoundingClientRect(),
    ];
    return Math.max(name.left - logo.right, logo.left - name.right);
  });
}

async function sayWho(page: Page): Promise<void> {
  await page.getByLabel('E-mail').fill('grace@example.com');
  await page.getByLabel('Name', { exact: true }).fill('Grace Hopper');
  await page.getByRole('button', { name: 'Continue' }).click();
}

const readLink = async ({ id }: PaymentLink): Promise<PaymentLink> =>
  (await site.request(`GET /v1/payment-links/${id}`)).body;

describe('the page of a link', () => {
  it('takes a payment for the price that stands, once; the next payer is told', async () => {
    const link = await makeLink({
      ...{ amount: 12_840, line_items: items, single_use: true, description: 'Two of everything' },
      success_message: 'Thank you.\nIt ships tomorrow.',
    });
    const [page, other] = [await open(link.url), await open(link.url, { asStranger: true })];
    expect(await page.locator('.payee .amount').innerText()).toBe('€128.40');
    await sayWho(other);
    await other.getByRole('tab', { name: 'Card' }).waitFor();
    await sayWho(page);
    await payByCard(page);
    await page.getByRole('heading', { name: 'Paid, thank you' }).waitFor();
    await page.getByText('It ships tomorrow.').waitFor();
    expect(page.complaints).toEqual([]);
    await other.getByRole('heading', { name: 'Somebody else was faster' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Paid, thank you' }).waitFor();
    expect(await page.getByText('This link has been used').count()).toBe(0);
    const late = await open(link.url, { asStranger: true });
    await late.getByRole('heading', { name: 'This link has been used' }).waitFor();
    expect(await late.locator('pay-checkout').isVisible()).toBe(false);
    expect(await readLink(link)).toMatchObject({ uses: 1, status: 'completed', total_received: 12_840 });
  });

  it('takes an amount and a currency of the payer’s choice, and says what is wrong with one', async () => {
    const custom = { min: 500, max: 50_000, preset: 2_000, presets: [1_000, 2_000, 5_000], currencies: ['USD', 'JPY'] };
    const link = await makeLink({ description: 'Keep the lighthouse lit', custom_amount: custom });
    const page = await open(link.url);
    const sum = page.getByLabel('Amount');
    await sum.waitFor();
    expect(await sum.inputValue()).toBe('20.00');
    await page.getByRole('button', { name: '€50.00' }).click();
    expect(await sum.inputValue()).toBe('50.00');
    await sum.fill('4.99');
    await sayWho(page);
    expect(await page.getByText('Between €5.00 and €500.00').isVisible()).toBe(true);
    expect(await sum.getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Currency').selectOption('USD');
    await sum.fill('31,50');
    await page.getByRole('button', { name: 'Continue' }).click();
    await payByCard(page);
    await page.getByRole('heading', { name: 'Paid, thank you' }).waitFor();
    expect(await page.locator('.payee .amount').innerText()).toBe('$31.50');
    expect((await readLink(link)).received).toEqual([{ currency: 'USD', amount: 3_150 }]);
    expect(page.complaints).toEqual([]);
  });

  it('takes a part, and then the rest', async () => {
    const link = await makeLink({ amount: 10_000, allow_partial: true });
    const page = await open(link.url);
    await page.getByLabel('Amount').fill('40');
    await sayWho(page);
    await payByCard(page);
    await page.getByRole('heading', { name: 'Paid, thank you' }).waitFor();
    const next = await open(link.url, { asStranger: true });
    expect(await next.locator('.choice').innerText()).toContain('€60.00');
    expect(await next.getByLabel('Amount').inputValue()).toBe('60.00');
  });

  it('leads on to the shop, with the payment', async () => {
    const thanks = site.shop('<title>Thanks</title><h1>Thanks</h1>');
    const page = await open((await makeLink({ amount: 900, redirect_url: thanks })).url);
    await sayWho(page);
    await payByCard(page);
    await page.getByText('Taking you back to Nordlys Supply').waitFor();
    await page.waitForURL(url => url.searchParams.get('status') === 'completed');
  });
});

describe('a shop’s page with nothing but the link', () => {
  it('pays it without a key or a server', async () => {
    const link = await makeLink({ amount: 4_200, description: 'A poster' });
    const markup = `<!doctype html><script src="${site.url}/pay-checkout.js"></script><pay-checkout link="${link.id}"></pay-checkout>`;
    const page = await open(site.shop(markup));
    await page.getByText('€42.00').first().waitFor();
    await page.getByText('A poster').waitFor();
    await sayWho(page);
    await payByCard(page);
    await page.getByRole('heading', { name: 'Paid, thank you' }).waitFor();
    expect(await readLink(link)).toMatchObject({ uses: 1, total_received: 4_200 });
    expect(page.complaints).toEqual([]);
  });

  it('says what a link is that is none', async () => {
    const markup = `<script src="${site.url}/pay-checkout.js"></script><pay-checkout link="plink_0000000000000000000000"></pay-checkout>`;
    const page = await open(site.shop(markup));
    await page.getByText('This link does not exist.').waitFor();
  });
});

const states = [
  ['open', { amount: 12_840, line_items: items, description: 'Two of everything', reference: 'N-204' }],
  [
    'choice',
    {
      description: 'Keep the lighthouse lit',
      custom_amount: { min: 500, preset: 2_000, presets: [1_000, 2_000, 5_000, 10_000], currencies: ['USD', 'JPY'] },
    },
  ],
  ['used', { amount: 900, single_use: true }],
  ['expired', { amount: 900 }],
  ['disabled', { amount: 900 }],
  ['not_started', { amount: 900, starts_at: '2099-01-01T09:00:00Z' }],
  ['arabic', { amount: 900, locale: 'ar', description: 'فانوس المنارة' }],
] as const;

describe('every state of it', () => {
  it.each(states)(
    '%s: is sound, whole and free of accessibility defects on small and wide screens',
    async (state, fields) => {
      const link = await makeLink(fields);
      await bringInto(link, state);
      for (const [width, colorScheme] of [
        [360, 'light'],
        [1280, 'dark'],
      ] as const) {
        const page = await open(link.url, { colorScheme, viewport: { width, height: 800 } });
        await page
          .locator(state === 'open' || state === 'choice' || state === 'arabic' ? 'pay-checkout input' : '.closed')
          .first()
          .waitFor();
        await page.waitForTimeout(300);
        await page.screenshot({ path: join(pictures, `${state}-${width}-${colorScheme}.png`), fullPage: true });
        expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
        expect(await gapBesideLogo(page)).toBeLessThanOrEqual(16);
        expect(await defectsOf(page)).toEqual([]);
      }
    },
  );

  async function bringInto({ id }: PaymentLink, state: string): Promise<void> {
    if (state === 'disabled') await site.request(`PATCH /v1/payment-links/${id}`, { body: { status: 'disabled' } });
    if (state === 'expired') {
      const soon = new Date(Date.now() + 300).toISOString();
      await site.request(`PATCH /v1/payment-links/${id}`, { body: { expires_at: soon } });
      await new Promise(done => setTimeout(done, 400));
    }
    if (state !== 'used') return;
    const customer = { email: 'grace@example.com' };
    const { body } = await site.request(`POST /v1/payment-links/${id}/payments`, { key: null, body: { customer } });
    await site.request(`POST /v1/payments/${body.id}/confirm`, { body: { method: 'card', token: 'tok_visa' } });
  }
});
