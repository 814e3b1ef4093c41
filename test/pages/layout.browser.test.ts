import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringsFor } from '../../src/core/locale/string-tables.ts';
import { findMerchant } from '../../src/server/merchants/merchant.store.ts';
import { refundPage } from '../../src/server/payments/refunds/refund-page.ts';
import { readPageAssets } from '../../src/server/platform/pages/static-files.ts';
import { browserDir } from '../support/built.ts';
import { picture } from '../support/picture.ts';
import { brokenTextsIn } from './broken-text.ts';
import { inDays, sendInvoice } from './example-invoice.ts';
import { createPayment, type Site, startSite } from './site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite({ name: 'Nordlicht Handweberei', supportEmail: 'help@nordlicht.example' });
}, 90_000);
afterAll(() => site?.close());

const links: Readonly<Record<string, object>> = {
  euros: { currency: 'EUR', custom_amount: { min: 500, max: 50_000, presets: [1_000, 2_500, 5_000, 10_000] } },
  'dinars, in Arabic': {
    currency: 'KWD',
    locale: 'ar',
    description: 'دعم الورشة 2026',
    custom_amount: { min: 1_000, max: 500_000, presets: [5_000, 10_000, 25_500] },
  },
  'yen, in Japanese': { currency: 'JPY', locale: 'ja', custom_amount: { presets: [1_000, 5_000, 10_000, 50_000] } },
  dong: { currency: 'VND', custom_amount: { presets: [100_000, 1_000_000, 10_000_000] } },
  'dong by the billion': { currency: 'VND', custom_amount: { presets: [1_000_000_000, 25_000_000_000] } },
};

describe('the amounts that a link offers', () => {
  it.each(Object.entries(links))('in %s are not broken across lines', async (name, fields) => {
    const { body: link } = await site.request('POST /v1/payment-links', { body: fields });
    const page = await site.browser.newPage();
    await page.goto(link.url);
    for (const width of [320, 360, 412]) {
      for (const percent of [100, 200]) {
        await page.setViewportSize({ width, height: 740 });
        await page.evaluate(size => document.documentElement.style.setProperty('font-size', size), `${percent}%`);
        await page.locator('pay-checkout .offers button').first().waitFor();
        await picture(page, `offers-${name}-${width}-${percent}`);
        for (const part of ['pay-checkout', 'main']) {
          expect(await brokenTextsIn(page, part), `${width} px, ${percent} %`).toEqual([]);
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

/** Checks the page on a small phone, with normal and double text size. */
async function expectWhole(page: Page): Promise<void> {
  await page.setViewportSize({ width: 320, height: 740 });
  for (const percent of [100, 200]) {
    await page.evaluate(size => document.documentElement.style.setProperty('font-size', size), `${percent}%`);
    expect(await brokenTextsIn(page, 'main > header'), `${percent} %`).toEqual([]);
  }
}

describe('the amount in the heading of a page', () => {
  it.each([
    ['whose amount the payer chooses', { custom_amount: { min: 1, presets: [25_000_000_000] } }],
    ['that is paid in parts', { amount: 25_000_000_000, allow_partial: true }],
  ])('of a link %s is not broken across lines', async (_, fields) => {
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
    expect(await page.locator('main > header .amount').innerText()).toBe('₫25,000,000,000 VND');
    await expectWhole(page);
    await page.close();
  });

  it('of a refund is not broken across lines, for each asset', async () => {
    const amounts = [123_456_789_123_456_7n, 99_999_999_999_999_9n];
    const merchant = await findMerchant(site.database.db, site.merchant.id);
    if (merchant === null) throw new Error('there is no merchant');
    const { markup } = refundPage({
      state: 'waiting',
      reason: null,
      address: null,
      transactions: [],
      livemode: false,
      entry: null,
      merchant,
      strings: await stringsFor('refund-page', 'en'),
      brandStyles: null,
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

const parts = {
  deposit: { percent: 20 },
  installments: [
    { due_date: inDays(15), percent: '40' },
    { due_date: inDays(30), percent: '60' },
  ],
  due_date: inDays(30),
  allow_partial: true,
  discount: { percent: '10' },
  reference: 'PO-778',
};

const invoices: Readonly<Record<string, object>> = {
  'with a tax of a long name': {
    lines: [
      {
        description: 'Gestaltungsberatung, erste Phase',
        quantity: '12.5',
        unit: 'h',
        unit_amount: 800_000,
        discount: { percent: '5' },
        tax: { name: 'Mehrwertsteuer (Normalsatz)', percent: '19' },
      },
    ],
  },
  'in dinars, in Arabic': {
    locale: 'ar',
    currency: 'KWD',
    lines: [
      {
        description: 'سجادة صوف منسوجة يدويا (Model X-200) مع حاشية',
        quantity: '2.5',
        unit: 'م²',
        unit_amount: 125_500,
        discount: { percent: '10' },
        tax: { name: 'ضريبة القيمة المضافة', percent: '5' },
      },
      { description: 'توصيل وتركيب', unit_amount: 20_000, tax: { name: 'رسوم', percent: '2.5' } },
    ],
  },
  'in yen, in Japanese': {
    locale: 'ja',
    currency: 'JPY',
    lines: [
      {
        description: '手織りブランケット（特大サイズ、チャコールグレー）、名入れ刺繍付き、桐箱入り',
        quantity: '2',
        unit: '枚',
        unit_amount: 48_000,
        tax: { name: '消費税', percent: '10' },
      },
      { description: '送料', unit_amount: 1_500, tax: { name: '消費税', percent: '8' } },
    ],
  },
  'of a large sum': {
    currency: 'VND',
    lines: [{ description: 'Hand-woven curtains for a hall', unit_amount: 12_345_678_900 }],
  },
};

describe('the amounts of an invoice', () => {
  it.each(Object.entries(invoices))(
    '%s are not broken across lines at any width and text size',
    async (name, fields) => {
      const invoice = await sendInvoice(site, { ...parts, ...fields });
      const paid = await site.request(`POST /v1/invoices/${invoice.id}/record-payment`, {
        body: { amount: Math.round(invoice.total / 5) },
      });
      expect(paid.status).toBe(200);
      const page = await site.browser.newPage();
      await page.goto(invoice.hosted_invoice_url);
      for (const width of [320, 360, 900]) {
        for (const percent of [100, 200]) {
          await page.setViewportSize({ width, height: 740 });
          await page.evaluate(size => document.documentElement.style.setProperty('font-size', size), `${percent}%`);
          await page.getByRole('radio').last().check();
          await picture(page, `invoice-${name}-${width}-${percent}`);
          expect(await brokenTextsIn(page, 'main'), `${width} px, ${percent} %`).toEqual([]);
          expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
        }
      }
      await page.close();
    },
  );
});

const choice = { min: 500, preset: 2_000, presets: [1_000, 2_000, 5_000, 10_000], currencies: ['USD'] };
const slowLinks: Readonly<Record<string, object>> = {
  'a price that stands': { amount: 12_840 },
  'an amount of the payer’s own': { custom_amount: {} },
  'sums to choose from': { custom_amount: choice },
  'a part to pay': { amount: 30_000, allow_partial: true },
};

interface Shift extends PerformanceEntry {
  readonly value: number;
  readonly hadRecentInput: boolean;
}

// Concurrent, because these tests wait for the slow connection, not for the CPU.
describe.concurrent('the page of a link on a slow connection', () => {
  for (const width of [360, 1280]) {
    it.each(Object.entries(slowLinks))(
      `has no layout shift when the form for %s arrives, ${width} px wide`,
      async (_, fields) => {
        const { body: link } = await site.request('POST /v1/payment-links', { body: { currency: 'EUR', ...fields } });
        const page = await site.browser.newPage({ viewport: { width, height: 740 } });
        const line = await page.context().newCDPSession(page);
        await line.send('Network.enable');
        const speed = { downloadThroughput: 200_000, uploadThroughput: 90_000, latency: 150 };
        await line.send('Network.emulateNetworkConditions', { offline: false, ...speed });
        await page.addInitScript(() => {
          Object.assign(globalThis, { shifts: [] });
          const note = (list: PerformanceObserverEntryList) => {
            for (const entry of list.getEntries() as Shift[]) {
              if (!entry.hadRecentInput) (globalThis as unknown as { shifts: number[] }).shifts.push(entry.value);
            }
          };
          new PerformanceObserver(note).observe({ type: 'layout-shift', buffered: true });
        });
        await page.goto(link.url);
        await page.getByRole('button', { name: 'Continue' }).waitFor();
        await page.waitForTimeout(500);
        const shifts = await page.evaluate(() => (globalThis as unknown as { shifts: number[] }).shifts);
        expect(shifts.reduce((sum, value) => sum + value, 0)).toBeLessThan(0.005);
        await page.close();
      },
    );
  }
});

describe('a name of 41 letters without a space', () => {
  const name = 'W'.repeat(41);
  const pages: Readonly<Record<string, () => Promise<string>>> = {
    'a checkout': async () => {
      const line_items = [
        { name, quantity: 2, amount: 10_000 },
        { name: 'Mug', description: name, quantity: 1, amount: 2_840 },
      ];
      return (await createPayment(site, { reference: name, description: name, line_items })).checkout_url;
    },
    'a payment link': async () =>
      (await site.request('POST /v1/payment-links', { body: { currency: 'EUR', amount: 500, description: name } })).body
        .url,
    'an invoice': async () =>
      (await sendInvoice(site, { lines: [{ description: name, unit_amount: 50_000 }], reference: name }))
        .hosted_invoice_url,
  };
  it.each(Object.entries(pages))('does not widen the page of %s', async (_, urlOf) => {
    const { name: usual } = (await site.request('GET /v1/account')).body;
    await site.request('PATCH /v1/account', { body: { name } });
    const page = await site.browser.newPage();
    await page.goto(await urlOf());
    await page.locator('pay-checkout, form').first().waitFor();
    for (const fold of await page.locator('.fold').all()) if (await fold.isVisible()) await fold.click();
    for (const width of [280, 320, 360]) {
      await page.setViewportSize({ width, height: 740 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), `${width} px`).toBe(0);
    }
    await page.close();
    await site.request('PATCH /v1/account', { body: { name: usual } });
  });
});

describe('an order in Arabic', () => {
  it('has Latin and Arabic names at the right edge, and prices at the left edge', async () => {
    const line_items = ['Merino base layer', 'قميص صوف'].map(name => ({ name, quantity: 1, amount: 6_420 }));
    const payment = await createPayment(site, { locale: 'ar', line_items });
    for (const width of [360, 1280]) {
      const page = await site.browser.newPage({ viewport: { width, height: 900 } });
      await page.goto(payment.checkout_url);
      const fold = page.locator('.fold');
      if (await fold.isVisible()) await fold.click();
      const edges = await page.locator('.order li, .order .total').evaluateAll(rows =>
        rows.map(row => {
          const whole = row.getBoundingClientRect();
          const textOf = (part: Element | null | undefined) => {
            const range = document.createRange();
            range.selectNodeContents(part as Element);
            return range.getBoundingClientRect();
          };
          const [words, price] = [row.querySelector('.name, dt'), row.querySelector(':scope > bdi, dd')];
          return [whole.right - textOf(words).right, textOf(price).left - whole.left].map(Math.round);
        }),
      );
      expect(edges, `${width} px`).toEqual(edges.map(() => [0, 0]));
      await page.close();
    }
  });
});
