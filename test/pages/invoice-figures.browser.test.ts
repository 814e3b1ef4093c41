import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inDays, sendInvoice } from './example-invoice.ts';
import { type Site, startSite } from './site.ts';
import { tornIn } from './torn-text.ts';

const pictures = join(import.meta.dirname, '../../dist/pictures/invoices');
let site: Site;
beforeAll(async () => {
  mkdirSync(pictures, { recursive: true });
  site = await startSite({ name: 'Nordlicht Handweberei', supportEmail: 'help@nordlicht.example' });
}, 90_000);
afterAll(() => site?.close());

const parts = {
  deposit: { percent: 20 },
  installments: [
    { due_date: inDays(15), percent: '40' },
    { due_date: inDays(30), percent: '60' },
  ],
  ...{ due_date: inDays(30), allow_partial: true, discount: { percent: '10' }, reference: 'PO-778' },
};

const invoices: Readonly<Record<string, object>> = {
  'with a tax of a long name': {
    lines: [
      {
        description: 'Gestaltungsberatung, erste Phase',
        ...{ quantity: '12.5', unit: 'h', unit_amount: 800_000, discount: { percent: '5' } },
        tax: { name: 'Mehrwertsteuer (Normalsatz)', percent: '19' },
      },
    ],
  },
  'in dinars, in Arabic': {
    ...{ locale: 'ar', currency: 'KWD' },
    lines: [
      {
        description: 'سجادة صوف منسوجة يدويا (Model X-200) مع حاشية',
        ...{ quantity: '2.5', unit: 'م²', unit_amount: 125_500, discount: { percent: '10' } },
        tax: { name: 'ضريبة القيمة المضافة', percent: '5' },
      },
      { description: 'توصيل وتركيب', unit_amount: 20_000, tax: { name: 'رسوم', percent: '2.5' } },
    ],
  },
  'in yen, in Japanese': {
    ...{ locale: 'ja', currency: 'JPY' },
    lines: [
      {
        description: '手織りブランケット（特大サイズ、チャコールグレー）、名入れ刺繍付き、桐箱入り',
        ...{ quantity: '2', unit: '枚', unit_amount: 48_000 },
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

describe('the figures of an invoice', () => {
  it.each(Object.entries(invoices))(
    '%s stay whole, whatever the width and the size of the text',
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
          await page.screenshot({ path: join(pictures, `${name}-${width}-${percent}.png`), fullPage: true });
          expect(await tornIn(page, 'main'), `${width} px, ${percent} %`).toEqual([]);
          expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
        }
      }
      await page.close();
    },
  );
});
