import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defectsOf } from '../support/axe.ts';
import { inDays, readInvoice, sendInvoice } from './example-invoice.ts';
import { type Site, startSite } from './site.ts';
import { cardForm, createVisits, doubleText, passTime, payByCard } from './visits.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite({ name: 'Nordlys Supply', supportEmail: 'help@nordlys.example' });
}, 90_000);
afterAll(() => site?.close());
const open = createVisits(() => site.browser);

const plan = {
  due_date: inDays(70),
  installments: [
    { due_date: inDays(10), percent: '40' },
    { due_date: inDays(40), percent: '30' },
    { due_date: inDays(70), percent: '30' },
  ],
};

describe('the customer on the page of an invoice', () => {
  it('pays the next instalment, and then sees the remaining amount', async () => {
    const invoice = await sendInvoice(site, plan);
    const page = await open(invoice.hosted_invoice_url);
    expect(await page.locator('.amount').innerText()).toBe('€1,107.15 EUR');
    await page.getByRole('radio', { name: 'Installment 1' }).waitFor();
    await page.getByRole('button', { name: 'Pay €442.86' }).click();
    await payByCard(page);
    await page.getByRole('heading', { name: 'Paid, thank you' }).waitFor();
    expect(await page.locator('.amount').innerText()).toBe('€664.29 EUR still due');
    await expect.poll(async () => (await readInvoice(site, invoice.id)).amount_paid).toBe(44_286);
    await page.getByRole('progressbar', { name: '€442.86 of €1,107.15 is paid' }).waitFor();
    expect(await page.locator('.about').innerText()).toContain('€332.15 due');
    expect(await page.locator('.plan li').first().innerText()).toContain('Paid');
    expect(await page.getByRole('heading', { name: 'Paid, thank you' }).isVisible()).toBe(true);
    expect(page.complaints).toEqual([]);
    await page.getByRole('button', { name: 'Pay the rest' }).click();
    expect(await page.locator('.amount').innerText()).toBe('€664.29 EUR still due');
    await page.getByRole('button', { name: 'Pay €332.15' }).waitFor();
    expect(await page.getByRole('link', { name: 'Download the receipt' }).count()).toBe(1);
    expect(page.complaints).toEqual([]);
  });

  it('reaches the card fields by keyboard only', async () => {
    const invoice = await sendInvoice(site, plan);
    const page = await open(invoice.hosted_invoice_url);
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Download as PDF');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Pay €1,107.15');
    await page.keyboard.press('Enter');
    await cardForm(page);
  });

  it('chooses an amount where the merchant accepts parts, and reads why an amount is refused', async () => {
    const invoice = await sendInvoice(site, { allow_partial: true });
    const page = await open(invoice.hosted_invoice_url);
    expect(await page.getByLabel('Amount in EUR').isVisible()).toBe(false);
    await page.getByRole('radio', { name: 'Another amount' }).check();
    const field = page.getByLabel('Amount in EUR');
    const button = page.locator('form button');
    for (const [entry, words] of [
      ['', 'Enter an amount.'],
      ['abc', 'Enter an amount of EUR, like 25.00.'],
      ['-5', 'Enter an amount of EUR, like 25.00.'],
      ['0', 'Enter an amount of EUR, like 25.00.'],
      ['5000', 'Enter up to €1,107.15.'],
    ] as const) {
      await field.fill(entry);
      await button.click();
      expect(await page.getByRole('alert').innerText(), entry).toBe(words);
      expect(await field.getAttribute('aria-invalid')).toBe('true');
    }
    await field.fill('99,5');
    expect(await button.innerText()).toBe('Pay €99.50');
    expect(await page.getByRole('alert').count()).toBe(0);
    await button.click();
    await cardForm(page);
    await page.getByRole('button', { name: 'Pay €99.50' }).waitFor();
  });

  it('finds the payment again after a reload, and may choose another amount', async () => {
    const invoice = await sendInvoice(site, plan);
    const page = await open(invoice.hosted_invoice_url);
    await page.getByRole('button', { name: 'Pay €442.86' }).click();
    await cardForm(page);
    await page.reload();
    await cardForm(page);
    await page.getByRole('button', { name: 'Choose another amount' }).click();
    await page.getByRole('radio', { name: 'Remaining balance' }).waitFor();
    const { data } = (await site.request(`GET /v1/invoices/${invoice.id}/payments`)).body;
    expect(data).toHaveLength(1);
  });

  it('keeps the focus on the way into the payment and back to the form, where the choice stays', async () => {
    const invoice = await sendInvoice(site, plan);
    const page = await open(invoice.hosted_invoice_url);
    await page.getByRole('radio', { name: 'Remaining balance' }).check();
    await page.getByRole('button', { name: 'Pay €1,107.15' }).press('Enter');
    await cardForm(page);
    expect(await page.evaluate(() => document.activeElement?.matches('[aria-label=Payment]'))).toBe(true);
    await page.getByRole('button', { name: 'Choose another amount' }).press('Enter');
    const chosen = page.getByRole('radio', { name: 'Remaining balance' });
    await chosen.waitFor();
    expect(await chosen.evaluate(radio => radio === document.activeElement)).toBe(true);
    await page.getByRole('button', { name: 'Pay €1,107.15' }).press('Enter');
    await cardForm(page);
    expect(page.complaints).toEqual([]);
  });

  it('sees each error on a small phone, and has the focus there', async () => {
    const invoice = await sendInvoice(site, { ...plan, allow_partial: true });
    const page = await open(invoice.hosted_invoice_url, { viewport: { width: 375, height: 300 } });
    await page.route('**/payments', route => route.abort());
    const pay = page.getByRole('button', { name: 'Pay €442.86' });
    await pay.evaluate(button => button.scrollIntoView({ block: 'start' }));
    await pay.press('Enter');
    const alert = page.getByRole('alert');
    await alert.getByText(/./).waitFor();
    const [isInSight, hasFocus] = await alert.evaluate(shown => {
      const { top, bottom } = shown.getBoundingClientRect();
      return [top >= 0 && bottom <= innerHeight, document.activeElement === shown];
    });
    expect([isInSight, hasFocus]).toEqual([true, true]);
  });

  it('is read in another language, and stays as it was issued', async () => {
    const invoice = await sendInvoice(site);
    const page = await open(invoice.hosted_invoice_url, { asStranger: true });
    await page.getByRole('navigation').getByRole('link', { name: '日本語' }).click();
    await page.getByRole('button', { name: /1,107.15を?支払う|支払う/ }).waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('ja');
    expect((await readInvoice(site, invoice.id)).locale).toBe(invoice.locale);
    expect(page.complaints).toEqual([]);
  });

  it('keeps the chosen amount while the language changes', async () => {
    const invoice = await sendInvoice(site, { ...plan, allow_partial: true });
    const page = await open(invoice.hosted_invoice_url, { asStranger: true });
    await page.getByRole('radio', { name: 'Another amount' }).check();
    await page.locator('#own').fill('25');
    await page.getByRole('navigation').getByRole('link', { name: '日本語' }).click();
    await expect.poll(() => page.locator('#own').inputValue(), { timeout: 15_000 }).toBe('25');
    await page.getByRole('button', { name: /€\s?25/ }).waitFor();
    expect(page.complaints).toEqual([]);
  });

  it('is asked for an e-mail address when the invoice has none', async () => {
    const invoice = await sendInvoice(site, { customer: { name: 'Ada Lovelace' } });
    const page = await open(invoice.hosted_invoice_url);
    await page.getByRole('button', { name: 'Pay €1,107.15' }).click();
    await page.getByText('Check the address').waitFor();
    await page.getByLabel('E-mail').fill('ada@example.com');
    await page.getByRole('button', { name: 'Pay €1,107.15' }).click();
    await cardForm(page);
  });

  it('is told when the invoice has changed', async () => {
    const invoice = await sendInvoice(site);
    const page = await open(invoice.hosted_invoice_url);
    await site.request(`POST /v1/invoices/${invoice.id}/void`, { body: {} });
    await page.getByRole('button', { name: 'Pay €1,107.15' }).click();
    await page.getByText('This invoice has changed in the meantime').waitFor();
    await page.getByRole('button', { name: 'Show the invoice as it stands now' }).click();
    await page.getByRole('heading', { name: 'This invoice is canceled' }).waitFor();
  });

  it('is told in the open checkout when the invoice has been paid elsewhere', async () => {
    const invoice = await sendInvoice(site);
    const page = await open(invoice.hosted_invoice_url);
    await page.getByRole('button', { name: /^Pay €/ }).click();
    await page.locator('pay-checkout iframe').waitFor();
    await site.request(`POST /v1/invoices/${invoice.id}/record-payment`, { body: {} });
    await site.sweep('invoices.close');
    await page.getByRole('heading', { name: 'This invoice has been paid already' }).waitFor();
    await page.getByText('Nothing more is due').waitFor();
    await page.getByRole('button', { name: 'Show the invoice as it stands now' }).click();
    await page.getByRole('link', { name: 'Download the receipt' }).waitFor();
    expect(await page.getByRole('button', { name: /^Pay €/ }).count()).toBe(0);
    expect(await page.locator('main').innerText()).toContain('Paid');
  });
});

describe('viewing an invoice', () => {
  const viewsOf = async (id: string) => {
    const { data } = (await site.request(`GET /v1/events?limit=100`)).body;
    return data.filter((event: { type: string; data: { object: { id: string } } }) => {
      return event.type === 'invoice.viewed' && event.data.object.id === id;
    }).length;
  };

  it('is counted after an action of a person, once for each person', async () => {
    const invoice = await sendInvoice(site);
    const page = await open(invoice.hosted_invoice_url);
    expect((await readInvoice(site, invoice.id)).status).toBe('sent');
    const viewReport = page.waitForResponse(answer => answer.url().endsWith('/views'));
    await page.mouse.click(4, 400);
    expect((await viewReport).status()).toBe(204);
    expect(await readInvoice(site, invoice.id)).toMatchObject({ status: 'viewed' });
    const again = page.waitForResponse(answer => answer.url().endsWith('/views'));
    await page.reload();
    await page.keyboard.press('Tab');
    await again;
    expect(await viewsOf(invoice.id)).toBe(1);
  });

  it('is counted without an action when the page stays visible', async () => {
    const invoice = await sendInvoice(site);
    const page = await open(invoice.hosted_invoice_url, { hasTestTime: true });
    const viewReport = page.waitForResponse(answer => answer.url().endsWith('/views'));
    await passTime(page, 3_000);
    await viewReport;
    expect((await readInvoice(site, invoice.id)).viewed_at).not.toBe(null);
  });

  it('is not counted for a mail scanner or the merchant', async () => {
    const invoice = await sendInvoice(site);
    await fetch(invoice.hosted_invoice_url);
    const scanner = await open(invoice.hosted_invoice_url);
    // A browser sends this automatically when a page appears under the pointer.
    await scanner.mouse.move(0, 0);
    await scanner.close();
    const merchant = await open(`${invoice.hosted_invoice_url}?preview`, { hasTestTime: true });
    await merchant.mouse.move(100, 200);
    await passTime(merchant, 3_500);
    expect(await merchant.locator('form button').isDisabled()).toBe(true);
    expect(await readInvoice(site, invoice.id)).toMatchObject({ status: 'sent', viewed_at: null });
  });
});

describe('the page of an invoice', () => {
  it.each([
    ['a phone, light', 'en', { colorScheme: 'light' }],
    ['a desktop, dark', 'en', { colorScheme: 'dark', viewport: { width: 1280, height: 800 } }],
    ['a narrow phone, in Arabic', 'ar', { viewport: { width: 320, height: 640 } }],
    ['a desktop, in Arabic', 'ar-EG', { viewport: { width: 1280, height: 800 } }],
    ['a phone, in Japanese, dark', 'ja', { colorScheme: 'dark' }],
  ] as const)('has no accessibility defect and no truncated text on %s', async (_, locale, options) => {
    const invoice = await sendInvoice(site, { ...plan, locale, allow_partial: true });
    const page = await open(invoice.hosted_invoice_url, options);
    await page.locator('form button').waitFor();
    expect(await page.locator('html').getAttribute('dir')).toBe(locale.startsWith('ar') ? 'rtl' : 'ltr');
    expect(await defectsOf(page, { except: 'iframe' })).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    await page.locator('form button').click();
    await cardForm(page);
    expect(await defectsOf(page, { except: 'iframe' })).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    expect(page.complaints).toEqual([]);
  });

  it('shows everything with text of twice the size, on small and wide screens', async () => {
    const page = await open('about:blank');
    await doubleText(page);
    const { hosted_invoice_url: url } = await sendInvoice(site, { ...plan, allow_partial: true });
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 740 });
      await page.goto(url);
      await page.locator('form button').waitFor();
      expect(await page.locator('.about').evaluate(node => getComputedStyle(node).fontSize)).toBe('30px');
      const cutOff = await page.evaluate(() =>
        [...document.querySelectorAll('main *')]
          .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1)
          .map(({ className, tagName }) => `${tagName}.${className}`),
      );
      expect(cutOff, `${width} px`).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    }
  });

  it('can be read and downloaded as PDF without scripts', async () => {
    const invoice = await sendInvoice(site, plan);
    const page = await open(invoice.hosted_invoice_url, { javaScriptEnabled: false });
    await page.getByRole('heading', { name: 'Nordlys Supply Invoice' }).waitFor();
    for (const text of ['Analytical engine, hire', 'VAT 20% on', 'Payment plan', 'Installment 3']) {
      expect(await page.getByText(text).first().isVisible(), text).toBe(true);
    }
    expect(await page.locator('.no-script').isVisible()).toBe(true);
    expect(await page.locator('form').isVisible()).toBe(false);
    const href = (await page.getByRole('link', { name: 'Download as PDF' }).getAttribute('href')) ?? '';
    const pdf = await fetch(new URL(href, site.url));
    expect(pdf.headers.get('content-type')).toBe('application/pdf');
    expect((await pdf.text()).slice(0, 5)).toBe('%PDF-');
  });
});
