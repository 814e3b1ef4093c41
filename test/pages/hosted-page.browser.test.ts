import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defectsOf } from '../support/axe.ts';
import { picture } from '../support/picture.ts';
import { createPayment, type Site, startSite } from './site.ts';
import { cardForm, createVisits, doubleText, type Look, passTime, payByCard } from './visits.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite({ name: 'Nordlys Supply', supportEmail: 'help@nordlys.example' });
}, 60_000);
afterAll(() => site?.close());
const visit = createVisits(() => site.browser);

const lineItems = [
  { name: 'Merino base layer', quantity: 1, amount: 8900 },
  { name: 'Enamel mug', quantity: 2, amount: 3940 },
];

const open = (payment: { checkout_url: string }, look?: Look) => visit(payment.checkout_url, look);

async function pay(page: Page): Promise<void> {
  await payByCard(page);
  await page.getByRole('heading', { name: 'Paid, thank you' }).waitFor();
}

describe('a payer on the hosted page', () => {
  it('pays by card under the page’s own policy, and is redirected to the shop with the payment and its status', async () => {
    const thanks = site.shop('<title>Thanks</title><h1>Thanks</h1>');
    const payment = await createPayment(site, { redirect_url: `${thanks}?cart=7` });
    const page = await open(payment, { hasTestTime: true });
    await pay(page);
    await page.getByText('Taking you back to Nordlys Supply').waitFor();
    expect(page.complaints).toEqual([]);
    await page.clock.runFor(6_000);
    await page.waitForURL(`${thanks}?cart=7&payment_id=${payment.id}&status=completed`);
  });

  it('sees each part of the money after paying, and opens the receipt', async () => {
    const payment = await createPayment(site, { line_items: lineItems });
    const { body } = await site.request(`POST /v1/payments/${payment.id}/confirm`, {
      body: { method: 'bank_transfer', rail: 'sepa' },
    });
    const { reference } = body.next_action;
    const half = { reference, amount: 6_420, currency: 'EUR' };
    await site.request('POST /v1/test_helpers/bank_transfers', { body: half });
    const page = await open(payment, { viewport: { width: 360, height: 740 } });
    await page.getByRole('tab', { name: 'Card' }).click();
    await pay(page);
    const parts = page.getByRole('list', { name: 'What to keep' });
    expect(await parts.innerText()).toMatch(/Bank transfer · SEPA\s+€64\.20\s+Card · Visa •••• 4242\s+€64\.20/);
    expect(await defectsOf(page)).toEqual([]);
    const opened = page.context().waitForEvent('request', request => request.url().endsWith('/receipt'));
    await page.getByRole('link', { name: 'Download the receipt' }).click();
    const answer = await page.request.get((await opened).url());
    expect([answer.status(), answer.headers()['content-type']]).toEqual([200, 'application/pdf']);
    const seen = await open(payment);
    await seen.getByRole('link', { name: 'Download the receipt' }).waitFor();
    for (const width of [360, 1280]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await seen.setViewportSize({ width, height: 900 });
        await seen.emulateMedia({ colorScheme });
        await picture(seen, `paid-in-parts-${width}-${colorScheme}`);
      }
    }
  });

  it('whose card is authorized is told so and redirected, and sees later what the shop took', async () => {
    const thanks = site.shop('<h1>Thanks</h1>');
    const payment = await createPayment(site, { capture_method: 'manual', redirect_url: thanks });
    const page = await open(payment, { hasTestTime: true });
    await payByCard(page);
    await page.getByText('Nordlys Supply takes up to €128.40 later').waitFor();
    expect(page.complaints).toEqual([]);
    expect(await defectsOf(page)).toEqual([]);
    await page.getByText('Taking you back to Nordlys Supply').waitFor();
    await page.clock.runFor(6_000);
    await page.waitForURL(`${thanks}?payment_id=${payment.id}&status=pending`);
    const again = await open(payment);
    await again.getByRole('heading', { name: 'Your card is authorized' }).waitFor();
    await site.request(`POST /v1/payments/${payment.id}/capture`, { body: { amount: 5_000 } });
    await again.getByText('€50.00 to Nordlys Supply').waitFor();
    expect(await again.locator('.amount').innerText()).toBe('€50.00 EUR');
    const plain = await open(payment, { javaScriptEnabled: false });
    expect(await plain.locator('.amount').innerText()).toBe('€50.00 EUR');
  });

  it('goes back to the shop before paying, on a small phone, and not after', async () => {
    const cart = site.shop('<title>Cart</title><h1>Cart</h1>');
    const payment = await createPayment(site, { cancel_url: `${cart}?id=7` });
    const page = await open(payment, { viewport: { width: 360, height: 740 } });
    await cardForm(page);
    const back = page.getByRole('link', { name: 'Back to Nordlys Supply' });
    expect((await back.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await back.click();
    await page.waitForURL(`${cart}?id=7`);
    const again = await open(payment);
    await pay(again);
    expect(await again.getByRole('link', { name: 'Back to Nordlys Supply' }).count()).toBe(0);
    const plain = await open(await createPayment(site, { cancel_url: cart }), { javaScriptEnabled: false });
    expect(await plain.getByRole('link', { name: 'Back to the shop' }).getAttribute('href')).toBe(cart);
  });

  it('may stop the redirect', async () => {
    const payment = await createPayment(site, { redirect_url: site.shop('<h1>Thanks</h1>') });
    const page = await open(payment, { hasTestTime: true });
    await pay(page);
    await page.getByRole('button', { name: 'Stay here' }).click();
    await passTime(page, 7_000);
    expect(page.url()).toBe(payment.checkout_url);
    expect(await page.getByText('Taking you back').count()).toBe(0);
  });

  it('is not redirected away from the note about an overpayment', async () => {
    const payment = await createPayment(site, { redirect_url: site.shop('<h1>Thanks</h1>') });
    const page = await open(payment, { hasTestTime: true });
    await page.getByRole('tab', { name: 'Bank' }).click();
    await page.getByRole('button', { name: 'Show bank details' }).click();
    await page.getByText('Waiting for the transfer').waitFor();
    const answer = await site.request(`POST /v1/payments/${payment.id}/simulate_bank_transfer`, {
      body: { amount: 13_340 },
    });
    expect(answer.status).toBe(200);
    await page.getByText('You sent €5.00 more than was asked.').waitFor();
    await passTime(page, 7_000);
    expect(page.url()).toBe(payment.checkout_url);
    expect(await page.getByRole('link', { name: 'Back to the shop' }).isVisible()).toBe(true);
  });

  it('sees the order at the start side in both writing directions', async () => {
    const payment = await createPayment(site, { reference: 'A-1042', description: 'Winter things', locale: 'ar' });
    const page = await open(payment);
    const sides = await page
      .locator('.about')
      .evaluateAll(lines => lines.map(line => getComputedStyle(line).direction));
    expect(sides).toEqual(['rtl', 'rtl']);
  });

  it('chooses a language by keyboard, which the other pages of the visit keep', async () => {
    const payment = await createPayment(site);
    const page = await visit(payment.checkout_url, { asStranger: true });
    await page.getByRole('navigation', { name: 'Language' }).getByRole('link', { name: '日本語' }).press('Enter');
    await page.getByRole('tab', { name: 'カード' }).waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('ja');
    await page.goto((await createPayment(site)).checkout_url);
    await page.getByRole('tab', { name: 'カード' }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'العربية' }).press('Enter');
    await page.getByRole('tab', { name: 'بطاقة' }).waitFor();
    const { url } = (await site.request('POST /v1/payment-links', { body: { currency: 'EUR', amount: 500 } })).body;
    await page.goto(url);
    expect(await page.evaluate(() => document.documentElement.dir)).toBe('rtl');
    expect(await page.getByRole('navigation').getByRole('link').allInnerTexts()).toEqual([
      'English',
      'العربية',
      '日本語',
    ]);
    expect(await defectsOf(page)).toEqual([]);
  });

  it('sees the contact once', async () => {
    const payment = await createPayment(site);
    expect((await site.request(`POST /v1/payments/${payment.id}/cancel`)).status).toBe(200);
    const page = await open(payment);
    await page.getByRole('heading', { name: 'Nordlys Supply has canceled this payment' }).waitFor();
    expect(await page.getByRole('link', { name: /help@nordlys\.example/ }).count()).toBe(1);
  });

  it('sees merchant and amount without scripts, and how to continue', async () => {
    const page = await open(await createPayment(site, { line_items: lineItems }), { javaScriptEnabled: false });
    expect(await page.getByRole('heading', { name: 'Pay Nordlys Supply' }).isVisible()).toBe(true);
    expect(await page.locator('.amount').innerText()).toBe('€128.40 EUR');
    expect(await page.locator('.no-script').isVisible()).toBe(true);
  });

  it('downloads the receipt without scripts', async () => {
    const payment = await createPayment(site);
    await site.request(`POST /v1/payments/${payment.id}/confirm`, { body: { method: 'card', token: 'tok_visa' } });
    const page = await open(payment, { javaScriptEnabled: false });
    const href = await page.getByRole('link', { name: 'Download the receipt' }).getAttribute('href');
    const answer = await page.request.get(href ?? '');
    expect([answer.status(), answer.headers()['content-type']]).toEqual([200, 'application/pdf']);
  });

  const pictured = [
    { ...lineItems[0], description: 'Moss, M', image: 'https://pictures.example/merino.jpg?w=112' },
    { ...lineItems[1], image: 'https://pictures.example/missing.jpg', amount: 4440 },
    { name: 'Welcome back', quantity: 1, amount: -1000, type: 'discount' },
    { name: 'Post', quantity: 1, amount: 500, type: 'shipping' },
  ];

  /** Serves every picture but one, and notes the headers that its host receives. */
  async function withPictures(page: Page): Promise<Readonly<Record<string, string>>[]> {
    const requests: Record<string, string>[] = [];
    await page.route('https://pictures.example/**', async route => {
      requests.push({ ...(await route.request().allHeaders()), url: route.request().url() });
      const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 10"><path d="M0 0h40v10H0z"/></svg>';
      if (route.request().url().includes('missing')) return await route.fulfill({ status: 404, body: '' });
      return await route.fulfill({ contentType: 'image/svg+xml', body: svg });
    });
    return requests;
  }

  it('unfolds the order above the card on a phone, with pictures whose host learns nothing of the payment', async () => {
    const payment = await createPayment(site, { line_items: pictured });
    const page = await open({ checkout_url: 'about:blank' }, { viewport: { width: 360, height: 740 } });
    const requests = await withPictures(page);
    await page.goto(payment.checkout_url);
    await cardForm(page);
    const fold = page.getByRole('button', { name: 'Your order · 3 items' });
    expect(await page.getByText('Moss, M').isVisible()).toBe(false);
    const card = await page.locator('pay-checkout').boundingBox();
    const box = await fold.boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(44);
    expect(box?.y ?? 0).toBeLessThan(card?.y ?? 0);
    await fold.click();
    await page.getByText('Moss, M').waitFor();
    expect(await fold.getAttribute('aria-expanded')).toBe('true');
    const boxes = await page
      .locator('.picture')
      .evaluateAll(all => all.map(one => [one.clientWidth, one.clientHeight]));
    expect(boxes).toEqual([
      [56, 56],
      [56, 56],
    ]);
    await expect.poll(() => requests.length).toBe(2);
    for (const headers of requests) expect(JSON.stringify(headers)).not.toMatch(/referer|secret|checkout|cookie/i);
    expect(await defectsOf(page, { except: 'iframe' })).toEqual([]);
    expect(page.complaints.filter(text => !text.includes('404'))).toEqual([]);
    await fold.click();
    await page.getByText('Moss, M').waitFor({ state: 'hidden' });
  });

  it('sees a letter in place of a logo that cannot be loaded, and no broken picture', async () => {
    const missing = 'https://pictures.example/missing.png';
    await site.request('PATCH /v1/account', { body: { branding: { logo: missing } } });
    const payment = await createPayment(site, { line_items: pictured });
    const page = await open({ checkout_url: 'about:blank' }, { viewport: { width: 1280, height: 800 } });
    await withPictures(page);
    await page.goto(payment.checkout_url);
    const header = page.getByRole('heading', { name: 'Pay Nordlys Supply' });
    await expect.poll(() => header.locator('.logo').innerText(), { timeout: 15_000 }).toBe('N');
    await expect.poll(() => page.locator('.picture img').count(), { timeout: 15_000 }).toBe(1);
    expect(await page.locator('.picture').count()).toBe(2);
    await site.request('PATCH /v1/account', { body: { branding: { logo: null } } });
  });

  it('sees the order beside the card on a desktop, and what is received and still due', async () => {
    const payment = await createPayment(site, { line_items: pictured });
    const look = { viewport: { width: 1280, height: 800 }, asStranger: true };
    const page = await open({ checkout_url: 'about:blank' }, look);
    await withPictures(page);
    await page.goto(payment.checkout_url);
    await page.getByRole('tab', { name: 'Bank' }).click();
    expect(await page.getByRole('button', { name: /Your order/ }).count()).toBe(0);
    await page.getByText('Moss, M').waitFor();
    expect(await page.getByText('Still due', { exact: true }).isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Show bank details' }).click();
    await page.getByText('Waiting for the transfer').waitFor();
    await site.request(`POST /v1/payments/${payment.id}/simulate_bank_transfer`, { body: { amount: 8_000 } });
    await page.getByText('Still due', { exact: true }).waitFor();
    const rows = await page.locator('.order dl > div:visible').allInnerTexts();
    expect(rows.map(row => row.replace(/\s+/g, ' '))).toEqual([
      ...['Subtotal €133.40', 'Welcome back −€10.00', 'Post €5.00', 'Total €128.40'],
      ...['Received −€80.00', 'Still due €48.40'],
    ]);
  });

  it.each([
    ['en', 'HUF', 'Ft\u00a012,840.00 HUF'],
    ['en', 'CAD', '$12,840.00 CAD'],
    ['en-IN', 'INR', '₹12,840.00 INR'],
    ['ar-EG', 'EUR', '١٢٬٨٤٠٫٠٠'],
    ['de-DE', 'EUR', '€12,840.00 EUR'],
  ])('reads the same amount before and after paying (%s, %s)', async (locale, currency, text) => {
    const page = await open(await createPayment(site, { amount: 1_284_000, currency, locale }));
    const amount = page.locator('.payee .amount');
    await cardForm(page);
    expect(await amount.innerText()).toContain(text);
    const before = await amount.innerText();
    await payByCard(page);
    await page.locator('pay-checkout[data-over]').waitFor();
    expect(await amount.innerText()).toBe(before);
  });

  it('reads the whole order without scripts on a phone', async () => {
    const payment = await createPayment(site, { line_items: pictured });
    const page = await open(payment, { viewport: { width: 360, height: 740 }, javaScriptEnabled: false });
    expect(await page.getByText('Moss, M').isVisible()).toBe(true);
    expect(await page.getByRole('button', { name: /Your order/ }).count()).toBe(0);
  });

  it.each([{}, { cancel_url: 'https://shop.example/cart' }])('sees no layout shift while %j loads', async changes => {
    const page = await open(await createPayment(site, { line_items: lineItems, ...changes }));
    await cardForm(page);
    const shifted = await page.evaluate(async () => {
      let sum = 0;
      const observer = new PerformanceObserver(list => {
        for (const entry of list.getEntries()) sum += (entry as unknown as { value: number }).value;
      });
      observer.observe({ type: 'layout-shift', buffered: true });
      await new Promise(resolve => setTimeout(resolve, 500));
      return sum;
    });
    expect(shifted).toBeLessThan(0.05);
  });

  it('sees the whole page with text of twice the size, on small and wide screens', async () => {
    const page = await open({ checkout_url: 'about:blank' });
    await doubleText(page);
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 740 });
      await page.goto((await createPayment(site, { line_items: lineItems })).checkout_url);
      await seesAll(page);
    }
  });

  async function seesAll(page: Page): Promise<void> {
    await cardForm(page);
    const about = page.locator('.about, .order li').first();
    expect(await about.evaluate(node => getComputedStyle(node).fontSize)).toBe('30px');
    await page.getByRole('button', { name: 'Pay €128.40' }).click();
    await page.frameLocator('pay-checkout iframe').getByText('Enter the name on the card.').waitFor();
    await page.waitForTimeout(200);
    const cutOff = () => {
      const { scrollWidth, scrollHeight, clientHeight } = document.documentElement;
      return [scrollWidth > innerWidth, window !== top && scrollHeight > clientHeight];
    };
    expect(await page.evaluate(cutOff)).toEqual([false, false]);
    expect(await page.frames()[1]?.evaluate(cutOff)).toEqual([false, false]);
    const letter = await page
      .locator('.payee .letter')
      .evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
    expect(letter).toBeLessThanOrEqual(0);
  }

  it.each([
    ['a phone, light', { colorScheme: 'light' }, 'ltr'],
    ['a desktop, dark', { colorScheme: 'dark', viewport: { width: 1280, height: 800 } }, 'ltr'],
    ['a narrow phone, right to left', { viewport: { width: 320, height: 640 } }, 'rtl'],
  ] as const)('finds no accessibility defect and no truncated text on %s', async (_, look, dir) => {
    const payment = await createPayment(site, {
      amount: 9_007_199_254_740_991,
      currency: 'VND',
      description: 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft',
      line_items: [{ name: 'قميص من الصوف', quantity: 1_000_000, amount: 9_007_199_254_740_991 }],
    });
    const page = await open(payment, look);
    await page.evaluate(value => document.documentElement.setAttribute('dir', value), dir);
    await cardForm(page);
    // Axe does not see the element's card behind the transparent frame.
    expect(await defectsOf(page, { except: 'iframe' })).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
  });

  it.each([
    ['ar', 'rtl', 'تم الدفع، شكرًا لك'],
    ['ja', 'ltr', 'お支払いが完了しました'],
  ])('reads and pays in %s, without an accessibility defect', async (locale, dir, paid) => {
    const page = await open(await createPayment(site, { locale, line_items: lineItems }));
    expect(await page.locator('html').evaluate(({ lang, dir: runs }: HTMLElement) => [lang, runs])).toEqual([
      locale,
      dir,
    ]);
    await cardForm(page);
    expect(await defectsOf(page, { except: 'iframe' })).toEqual([]);
    await payByCard(page);
    await page.getByRole('heading', { name: paid }).waitFor();
    expect(page.complaints).toEqual([]);
  });
});

describe('the element in a sandboxed frame without an origin', () => {
  it('reads why it is refused, and asks once', async () => {
    const { id, client_secret: secret } = await createPayment(site);
    const tag = `<pay-checkout payment-id='${id}' client-secret='${secret}'></pay-checkout>`;
    const framed = `<!doctype html><script src='${site.url}/pay-checkout.js'></script>${tag}`;
    const page = await site.browser.newPage();
    const messages: string[] = [];
    const calls: string[] = [];
    page.on('console', message => messages.push(message.text()));
    page.on('request', request => request.method() === 'POST' && calls.push(request.url()));
    await page.goto(site.shop(`<iframe sandbox="allow-scripts" srcdoc="${framed}"></iframe>`));
    const alert = page.frameLocator('iframe').getByRole('alert');
    await alert.getByText('This checkout is not set up correctly').waitFor();
    expect(messages.join()).toContain('origin_not_allowed: This page has no origin.');
    expect(calls).toEqual([`${site.url}/v1/checkout/open`]);
    await page.close();
  });
});
