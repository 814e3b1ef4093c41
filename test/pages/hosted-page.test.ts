import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frameAncestors } from '../../src/server/platform/pages/page-policy.ts';
import type { TestApp } from '../support/app.ts';
import { sendInvoice } from './example-invoice.ts';
import { createPayment, startPages } from './site.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startPages({
    name: 'Nordlys Supply',
    supportEmail: 'help@nordlys.example',
    allowedOrigins: ['https://shop.example'],
  });
});
afterAll(() => app?.close());

const pathOf = (payment: { checkout_url: string }) => new URL(payment.checkout_url).pathname;
const show = (path: string) => app.request(`GET /${path.slice(1)}`, { key: null });

describe('the hosted checkout', () => {
  it('contains merchant, amount and description without scripts', async () => {
    const payment = await createPayment(app, {
      reference: 'A-1042',
      description: 'Winter order',
      line_items: [
        { name: 'Merino base layer', quantity: 1, amount: 8900 },
        { name: 'Enamel mug', quantity: 2, amount: 3940 },
      ],
    });
    const page = await show(pathOf(payment));
    expect(page.status).toBe(200);
    for (const text of ['Nordlys Supply', '€128.40', 'Order A-1042', 'Winter order', 'Enamel mug × 2', '€39.40']) {
      expect(page.text).toContain(text);
    }
    expect(page.text).toContain(`payment-id="${payment.id}"`);
    expect(page.text).toContain(`client-secret="${payment.client_secret}"`);
  });

  it.each([
    ['en', 'Your order · 3 items', 'Subtotal €138.40', 'Welcome back −€15.00', 'Total €128.40'],
    ['ar', 'طلبك · عدد الأصناف: 3', 'المجموع الفرعي', 'Welcome back', 'الإجمالي'],
    ['ja', 'ご注文内容 · 3点', '小計 €138.40', 'Welcome back −€15.00', '合計 €128.40'],
  ])('has the items with pictures, and the rows from the subtotal to the total, in %s', async (locale, ...texts) => {
    const lines = [
      { name: 'Post', quantity: 1, amount: 500, type: 'shipping' },
      {
        name: 'Merino base layer',
        description: 'Moss, M',
        quantity: 1,
        amount: 8900,
        image: 'https://shop.example/m.jpg',
      },
      { name: 'Enamel mug', quantity: 2, amount: 4940 },
      { name: 'Welcome back', quantity: 1, amount: -1500, type: 'discount' },
    ];
    const { text } = await show(pathOf(await createPayment(app, { locale, line_items: lines })));
    const words = text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
    for (const part of [...texts, 'Merino base layer Moss, M', 'Enamel mug × 2']) expect(words).toContain(part);
    expect(words.indexOf('Welcome back')).toBeLessThan(words.indexOf('Post'));
    const [picture = '', ...others] = text.match(/<img src="https:\/\/shop[^>]*>/g) ?? [];
    for (const attribute of ['alt=""', 'loading="lazy"', 'referrerpolicy="no-referrer"', 'width="56"', 'height="56"']) {
      expect(picture).toContain(attribute);
    }
    expect(others).toEqual([]);
  });

  it('has no subtotal for items alone, and after a partial payment the received and the due amount', async () => {
    const payment = await createPayment(app, { line_items: [{ name: 'Enamel mug', quantity: 2, amount: 12_840 }] });
    const rows = async () =>
      (await show(pathOf(payment))).text.match(/<dl>[\s\S]*<\/dl>/)?.[0].replace(/\s+/g, ' ') ?? '';
    const shown = async () =>
      (await rows()).replace(/<div class="\w*" hidden>.*?<\/div>/g, '').replace(/<[^>]*>/g, ' ');
    const plain = (text: string) => text.replace(/\s+/g, ' ').trim();
    expect(plain(await shown())).toBe('Total €128.40');
    const confirmed = { method: 'bank_transfer', rail: 'sepa' };
    await app.request(`POST /v1/payments/${payment.id}/confirm`, { body: confirmed });
    await app.request(`POST /v1/payments/${payment.id}/simulate_bank_transfer`, { body: { amount: 8_000 } });
    expect(plain(await shown())).toBe('Total €128.40 Received −€80.00 Still due €48.40');
  });

  it.each([
    ['CAD', 4_200, 'en', '$42.00 CAD'],
    ['SEK', 4_200, 'en', 'kr 42.00 SEK'],
    ['CNY', 4_200, 'en', '¥42.00 CNY'],
    ['JPY', 4_200, 'ja', '￥4,200 JPY'],
    ['KWD', 4_200, 'en', 'KWD 4.200'],
  ])('says which currency the large amount is in (%s, %i)', async (currency, amount, locale, said) => {
    const words = (markup: string) => {
      const [, large = ''] = /<p class="amount[^>]*>(.*?)<\/p>/s.exec(markup) ?? [];
      return large.replace(/<[^>]*>/g, '').replace(/\s+/g, ' ');
    };
    const payment = await createPayment(app, { currency, amount, locale });
    expect(words((await show(pathOf(payment))).text)).toBe(said);
    const fields = { currency, amount, locale, allow_partial: false };
    const { body: link } = await app.request('POST /v1/payment-links', { body: fields });
    expect(words((await show(new URL(link.url).pathname)).text)).toBe(said);
    const lines = [{ description: 'Enamel mug', unit_amount: amount }];
    const invoice = await sendInvoice(app, { currency, locale, lines, discount: null });
    expect(words((await show(new URL(invoice.hosted_invoice_url).pathname)).text)).toBe(said);
  });

  const languages = [
    { name: 'the browser’s first language that the product has', accepts: 'fi-FI,ar-EG;q=0.8,en;q=0.9', lang: 'en' },
    { name: 'the browser’s language by default', accepts: 'ja-JP,ja;q=0.9,en;q=0.8', lang: 'ja' },
    { name: 'the browser’s language with locale auto', accepts: 'ar-EG', own: 'auto', lang: 'ar' },
    { name: 'the payment’s own language', accepts: 'ja', own: 'ar', lang: 'ar' },
    { name: 'the chosen language', accepts: 'ja', own: 'ar', query: '?locale=en', lang: 'en' },
    { name: 'the merchant’s language', accepts: 'fi', lang: 'en' },
    { name: 'no unknown language', accepts: 'ja', query: '?locale="><script>', lang: 'ja' },
  ];
  it.each(languages)('is in $name, and so is the element', async ({ accepts, own, query = '', lang }) => {
    const payment = await createPayment(app, { ...(own && { locale: own }) });
    const { status, text } = await app.request(`GET /${pathOf(payment).slice(1)}${query}`, {
      key: null,
      headers: { 'accept-language': accepts },
    });
    expect(status).toBe(200);
    expect(text).toContain(`<html lang="${lang}"`);
    expect(text).toMatch(new RegExp(`\\slocale="${lang}`));
    const offered = [...text.matchAll(/hreflang="(\w+)"[^>]*>([^<]+)</g)].map(([, code, name]) => [code, name]);
    expect(offered).toEqual([
      ['en', 'English'],
      ['ar', 'العربية'],
      ['ja', '日本語'],
    ]);
    expect(text.match(/hreflang="(\w+)"[^>]*aria-current="true"/)?.[1]).toBe(lang);
  });

  it('is in English when the payment’s locale is invalid', async () => {
    const payment = await createPayment(app, { line_items: [{ name: 'Enamel mug', quantity: 2, amount: 12_840 }] });
    await app.database.db.updateTable('payments').set({ locale: 'xx-yy-zz' }).where('id', '=', payment.id).execute();
    const page = await show(pathOf(payment));
    expect([page.status, page.text.includes('€128.40')]).toEqual([200, true]);
  });

  it('is not cached, may be framed by the merchant’s sites only, and runs only the service’s scripts', async () => {
    const { headers } = await show(pathOf(await createPayment(app)));
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['x-frame-options']).toBeUndefined();
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).toMatch(
      /frame-ancestors 'self' https:\/\/shop\.example http:\/\/localhost:\* http:\/\/127\.0\.0\.1:\*/,
    );
    expect(policy).not.toMatch(/unsafe|\*\.|frame-ancestors \*/);
  });

  it.each([
    [[], true, ["'self'"]],
    [[], false, ["'self'", 'http://localhost:*', 'http://127.0.0.1:*']],
    [['https://shop.example'], true, ["'self'", 'https://shop.example']],
    [['https://a.example;script-src *', 'data:', "'unsafe-inline'", 'https://a.example/x'], true, ["'self'"]],
  ])('of a merchant that lists %j (live: %s) may be framed by %j', (allowedOrigins, livemode, expected) => {
    const hosts = { merchantOf: () => null, primaryOf: () => null, baseUrl: () => '', originsOf: () => [] };
    expect(frameAncestors({ hosts }, { merchant: { id: '', allowedOrigins }, livemode })).toEqual(expected);
  });

  it('escapes user texts, and has no inline code', async () => {
    const evil = '<img src=x onerror=alert(1)>"\' {{7*7}} </title><script>alert(2)</script>';
    const merchant = await app.addMerchant({
      name: evil.slice(0, 90),
      branding: { primary_color: '#0a7d4f', background_color: '#fff4e8' },
    });
    const body = {
      amount: 500,
      currency: 'JPY',
      settlement_asset: 'USDC',
      settlement_network: 'stellar',
      payment_methods: ['card'],
      customer: { email: 'payer@example.com' },
      description: evil,
      reference: evil,
      line_items: [{ name: evil, quantity: 1, amount: 500 }],
    };
    const { body: payment } = await app.request('POST /v1/payments', { key: merchant.secretKey, body });
    const page = await show(pathOf(payment));
    expect(page.status).toBe(200);
    expect(page.text).toContain('¥500');
    expect(page.text.match(/<img|<script(?![^>]* src="\/)/g)).toBeNull();
    expect(page.text).not.toMatch(/<style|\sstyle=|<[^>]*\son\w+="/);
    expect(page.text).toContain('{{7*7}}');
  });

  it.each([
    ['nonsense', () => 'nonsense'],
    ['a payment’s id alone', (id: string) => id],
    ['a token with one character changed', (_: string, token: string) => `${token.slice(0, 30)}~${token.slice(31)}`],
    [
      'a token with one letter changed',
      (_: string, token: string) => token.slice(0, 65) + (token.endsWith('A') ? 'B' : 'A'),
    ],
    ['a very long one', () => 'a'.repeat(250)],
  ])('does not exist for %s', async (_, forge) => {
    const payment = await createPayment(app);
    const page = await show(`/checkout/${forge(payment.id, pathOf(payment).slice('/checkout/'.length))}`);
    expect(page.status).toBe(404);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.text).toContain('This checkout does not exist');
    expect(page.text).not.toContain('Nordlys');
  });

  it('opens with no other token of the payment', async () => {
    const payment = await createPayment(app);
    const { secrets } = app.app;
    for (const purpose of ['resume', 'frame:zzzzzz'] as const) {
      const token = secrets.paymentToken(purpose, app.merchant.id, payment.id);
      expect((await show(`/checkout/${token}`)).status).toBe(404);
    }
  });

  it('links back to the shop with the payment and its status once the payment has ended', async () => {
    const payment = await createPayment(app, { redirect_url: 'https://shop.example/thanks?cart=a%20b' });
    expect((await show(pathOf(payment))).text).not.toContain('href="https://shop.example/thanks');
    await app.request(`POST /v1/payments/${payment.id}/cancel`, { body: {} });
    const page = await show(pathOf(payment));
    expect(page.text).toContain(
      `href="https://shop.example/thanks?cart=a%20b&amp;payment_id=${payment.id}&amp;status=failed"`,
    );
  });
});

describe('the contact on the hosted checkout', () => {
  it.each([
    ['an e-mail address', { supportEmail: 'help@nordlys.example' }, 'href="mailto:help@nordlys.example"'],
    ['a support page', { supportUrl: 'https://nordlys.example/help' }, 'href="https://nordlys.example/help"'],
    [
      'the shop, when it has neither',
      {},
      'Contact Nordlys Supply, the shop you came from. <a href="https://shop.example/cart?',
    ],
  ])('is shown: %s', async (_, contact, expected) => {
    const merchant = await app.addMerchant({
      name: 'Nordlys Supply',
      allowedOrigins: ['https://shop.example'],
      ...contact,
    });
    const body = {
      amount: 500,
      currency: 'EUR',
      settlement_asset: 'USDC',
      settlement_network: 'stellar',
      payment_methods: ['card'],
      customer: { email: 'payer@example.com' },
      redirect_url: 'https://shop.example/cart',
    };
    const { body: payment } = await app.request('POST /v1/payments', { key: merchant.secretKey, body });
    const { text } = await show(pathOf(payment));
    expect(/<footer>.*<\/footer>/s.exec(text)?.[0]).toContain(expected);
  });
});

describe('the merchant’s colours', () => {
  it('are a style sheet with two validated values', async () => {
    const merchant = await app.addMerchant({ branding: { primary_color: '#FFD400', background_color: '#0b1020' } });
    const body = {
      amount: 1,
      currency: 'EUR',
      settlement_asset: 'USDC',
      settlement_network: 'stellar',
      payment_methods: ['card'],
      customer: { email: 'a@b.example' },
    };
    const { body: payment } = await app.request('POST /v1/payments', { key: merchant.secretKey, body });
    const path = /href="(\/checkout\/brand\.css[^"]*)"/.exec((await show(pathOf(payment))).text)?.[1];
    const { text, headers } = await show(String(path).replaceAll('&amp;', '&'));
    expect(headers['content-type']).toBe('text/css; charset=utf-8');
    expect(text).toContain('--pay-accent:#ffd400;--pay-accent-ink:#10151d');
    expect(text).toContain('--backdrop:#0b1020;--backdrop-ink:#ffffff');
  });

  it.each([
    ['767676', '#ffffff'],
    ['7c7c7c', '#000000'],
    ['808080', '#10151d'],
  ])('show text on #%s with a contrast of 4.5 or more, in %s', async (accent, ink) => {
    const { text } = await show(`/checkout/brand.css?accent=${accent}`);
    expect(text).toContain(`--pay-accent-ink:${ink}`);
  });

  it.each(['red;}*{background:url(//evil)', 'fff', '', '12345g', '#123456'])('omit %j', async value => {
    const { status, text } = await show(`/checkout/brand.css?accent=${encodeURIComponent(value)}&accent=x`);
    expect([status, text]).toEqual([200, ':root:root{}\n']);
  });
});

describe('a page without an object', () => {
  const visitors = [
    ['ja', 'ja', { 'accept-language': 'fi, ja-JP;q=0.9, en;q=0.8' }],
    ['ar', 'ar', { 'accept-language': 'ja', cookie: 'pay-locale=ar' }],
    ['en', 'no known language', { 'accept-language': 'fi' }],
  ] as const;
  const pages = [
    ['/checkout/x', 404],
    ['/l/x', 404],
    ['/i/x', 404],
    ['/checkout/return', 200],
  ] as const;
  const alphabets = { ja: /\p{Script=Hiragana}/u, ar: /\p{Script=Arabic}/u, en: /[a-z]/ };
  it.each(pages.flatMap(([path, status]) => visitors.map(visitor => [path, status, ...visitor] as const)))(
    '%s (%i) is in %s for a visitor of %s',
    async (path, status, lang, _, headers) => {
      const page = await app.request(`GET ${path}`, { key: null, headers });
      expect(page.status).toBe(status);
      expect(page.text).toContain(`<html lang="${lang}" dir="${lang === 'ar' ? 'rtl' : 'ltr'}"`);
      for (const text of [/<h1>(.*)<\/h1>/, /<p>(.*)<\/p>/].map(part => part.exec(page.text)?.[1])) {
        expect(text).toMatch(alphabets[lang]);
        if (lang !== 'en') expect(text).not.toMatch(alphabets.en);
      }
    },
  );
});

describe('the page that a bank’s page redirects to', () => {
  it('says that the window may be closed, may be framed by any site, and contains no payment data', async () => {
    const page = await show('/checkout/return?payment_id=pay_1');
    expect(page.status).toBe(200);
    expect(page.text).toContain('You can close this window');
    expect(page.text).not.toContain('pay_1');
    expect(page.headers['content-security-policy']).toContain('frame-ancestors *');
  });
});
