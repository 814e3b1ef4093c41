import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringsFor } from '../../src/core/locale/string-tables.ts';
import { findMerchant } from '../../src/server/merchants/merchant.store.ts';
import { refundPage } from '../../src/server/payments/refunds/refund-page.ts';
import { readPageAssets } from '../../src/server/platform/pages/page-assets.ts';
import { browserDir } from '../support/built.ts';
import { type Site, startSite } from './site.ts';
import { tornIn } from './torn-text.ts';

const pictures = join(import.meta.dirname, '../../dist/pictures/links');
let site: Site;
beforeAll(async () => {
  mkdirSync(pictures, { recursive: true });
  site = await startSite({ name: 'Nordlicht Handweberei' });
}, 90_000);
afterAll(() => site?.close());

const links: Readonly<Record<string, object>> = {
  euros: { currency: 'EUR', custom_amount: { min: 500, max: 50_000, presets: [1_000, 2_500, 5_000, 10_000] } },
  'dinars, in Arabic': {
    ...{ currency: 'KWD', locale: 'ar', description: 'دعم الورشة 2026' },
    custom_amount: { min: 1_000, max: 500_000, presets: [5_000, 10_000, 25_500] },
  },
  'yen, in Japanese': { currency: 'JPY', locale: 'ja', custom_amount: { presets: [1_000, 5_000, 10_000, 50_000] } },
  dong: { currency: 'VND', custom_amount: { presets: [100_000, 1_000_000, 10_000_000] } },
  'dong by the billion': { currency: 'VND', custom_amount: { presets: [1_000_000_000, 25_000_000_000] } },
};

describe('the sums that a link offers', () => {
  it.each(Object.entries(links))('in %s stay whole', async (name, fields) => {
    const { body: link } = await site.request('POST /v1/payment-links', { body: fields });
    const page = await site.browser.newPage();
    await page.goto(link.url);
    for (const width of [320, 360, 412]) {
      for (const percent of [100, 200]) {
        await page.setViewportSize({ width, height: 740 });
        await page.evaluate(size => document.documentElement.style.setProperty('font-size', size), `${percent}%`);
        await page.locator('pay-checkout .offers button').first().waitFor();
        await page.screenshot({ path: join(pictures, `offers-${name}-${width}-${percent}.png`), fullPage: true });
        for (const part of ['pay-checkout', 'main']) {
          expect(await tornIn(page, part), `${width} px, ${percent} %`).toEqual([]);
        }
        const tooWide = await page
          .locator('pay-checkout .offers button')
          .evaluateAll(buttons => buttons.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length);
        expect(tooWide, `${width} px, ${percent} %`).toBe(0);
        expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      }
    }
    await page.close();
  });
});

/** On a small phone, with text of one and of twice the size. */
async function expectWhole(page: Page): Promise<void> {
  await page.setViewportSize({ width: 320, height: 740 });
  for (const percent of [100, 200]) {
    await page.evaluate(size => document.documentElement.style.setProperty('font-size', size), `${percent}%`);
    expect(await tornIn(page, 'main > header'), `${percent} %`).toEqual([]);
  }
}

describe('the sum at the head of a page', () => {
  it.each([
    ['that the payer named', { custom_amount: { min: 1, presets: [25_000_000_000] } }],
    ['of which parts are paid', { amount: 25_000_000_000, allow_partial: true }],
  ])('of a link %s stays whole', async (_, fields) => {
    const body = { ...fields, currency: 'VND', payment_methods: ['card'] };
    const { body: link } = await site.request('POST /v1/payment-links', { body });
    const page = await site.browser.newPage();
    await page.goto(link.url);
    await page.getByLabel('E-mail').waitFor();
    await expectWhole(page);
    if ('custom_amount' in fields) await page.locator('pay-checkout .offers button').first().click();
    await page.getByLabel('E-mail').fill('grace@example.com');
    await page.getByLabel('Name', { exact: true }).fill('Grace Hopper');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.locator('main > header .choice').waitFor({ state: 'detached' });
    expect(await page.locator('main > header .amount').innerText()).toBe('₫25,000,000,000');
    await expectWhole(page);
    await page.close();
  });

  it('of a refund stays whole, of each asset', async () => {
    const amounts = [123_456_789_123_456_7n, 99_999_999_999_999_9n];
    const merchant = await findMerchant(site.database.db, site.merchant.id);
    if (merchant === null) throw new Error('there is no merchant');
    const { markup } = refundPage({
      ...{ state: 'waiting', reason: null, address: null, transactions: [], livemode: false, entry: null },
      ...{ merchant, strings: await stringsFor('refund-page', 'en'), brandStyles: null },
      sums: amounts.map((amount, index) => ({ asset: index === 0 ? 'USDC' : 'XLM', amount })),
      files: readPageAssets(browserDir).refund,
    });
    const page = await site.browser.newPage();
    await page.route('**/refund/example', route => route.fulfill({ body: markup, contentType: 'text/html' }));
    await page.goto(`${site.url}/refund/example`);
    await expectWhole(page);
    await page.close();
  });
});
