import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
