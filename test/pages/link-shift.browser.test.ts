import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Site, startSite } from './site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite({ name: 'Nordlys Supply' });
}, 90_000);
afterAll(() => site?.close());

const choice = { min: 500, preset: 2_000, presets: [1_000, 2_000, 5_000, 10_000], currencies: ['USD'] };
const links: Readonly<Record<string, object>> = {
  'a price that stands': { amount: 12_840 },
  'an amount of the payer’s own': { custom_amount: {} },
  'sums to choose from': { custom_amount: choice },
  'a part to pay': { amount: 30_000, allow_partial: true },
};

interface Shift extends PerformanceEntry {
  readonly value: number;
  readonly hadRecentInput: boolean;
}

describe('a slow line to the page of a link', () => {
  for (const width of [360, 1280]) {
    it.each(Object.entries(links))(
      `lets nothing jump as the form for %s arrives, ${width} px wide`,
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
