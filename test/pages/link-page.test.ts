import jsqr from 'jsqr';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PaymentLink } from '../../src/api/link.ts';
import type { TestApp } from '../support/app.ts';
import { startPages } from './site.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startPages({ name: '<b>Nordlys</b> & Co', supportEmail: 'help@nordlys.example' });
}, 60_000);
afterAll(() => app?.close());

const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' };
const makeLink = async (fields: object = {}): Promise<PaymentLink> =>
  (await app.request('POST /v1/payment-links', { body: { amount: 2_500, currency: 'EUR', ...fields } })).body;
const get = (url: string, from = browser as Record<string, string>) =>
  app.app.http.inject({ method: 'GET', url: new URL(url).pathname + new URL(url).search, headers: from });

async function readQr(picture: Buffer): Promise<string | undefined> {
  const { data, info } = await sharp(picture, { density: 300 })
    .flatten({ background: '#ffffff' })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return jsqr.default(new Uint8ClampedArray(data), info.width, info.height)?.data;
}

describe('the page of a link', () => {
  it('contains merchant, amount and description without scripts, and escapes user texts', async () => {
    const link = await makeLink({ description: '<script>alert(1)</script>', reference: 'A&B' });
    const page = await get(link.url);
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain('€25.00');
    expect(page.body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page.body).not.toMatch(/<script>|<b>/);
    expect(page.body).toContain(`link="${link.id}"`);
  });

  it('loads only its own files, may not be framed by other sites, and is not cached', async () => {
    const { headers } = await get((await makeLink()).url);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/script-src 'self'(;|$)/);
    expect(policy).not.toMatch(/unsafe/);
    expect(policy).toContain("frame-ancestors 'self'");
    expect([headers['cache-control'], headers['referrer-policy'], headers['x-robots-tag']]).toEqual([
      ...['no-store', 'no-referrer', 'noindex'],
    ]);
  });

  it('counts one visit for each person, and none for programs', async () => {
    const link = await makeLink();
    await get(link.url);
    await get(link.url);
    await get(link.url, { 'user-agent': 'facebookexternalhit/1.1' });
    await app.app.http.inject({ method: 'HEAD', url: new URL(link.url).pathname, headers: { 'user-agent': 'x' } });
    await app.sweep('links.opens');
    await get(link.url, { 'user-agent': 'Mozilla/5.0 (Android 16)' });
    await app.sweep('links.opens');
    const { body } = await app.request(`GET /v1/events?resource=${link.id}&limit=10`);
    const opened = body.data.filter(({ type }: { type: string }) => type === 'payment_link.opened');
    const counts = opened.map(({ data }: { data: { object: PaymentLink } }) => data.object.opens);
    expect(counts.toSorted()).toEqual([1, 2]);
  });

  it.each([
    ['used', 410, 'This link has been used'],
    ['expired', 410, 'This link has expired'],
    ['disabled', 200, 'This link cannot be used just now'],
    ['not_started', 200, 'This link cannot be paid yet'],
  ])('of a link that is %s has status %i and names the state and the contact', async (state, status, title) => {
    const link = await makeLink(
      state === 'used'
        ? { single_use: true }
        : state === 'expired'
          ? { expires_at: new Date(app.clock.now().getTime() + 1_000).toISOString() }
          : state === 'not_started'
            ? { starts_at: '2099-01-01T09:00:00Z' }
            : {},
    );
    if (state === 'disabled') await app.request(`PATCH /v1/payment-links/${link.id}`, { body: { status: 'disabled' } });
    if (state === 'expired') app.clock.advance(1);
    if (state === 'used') {
      const customer = { email: 'grace@example.com' };
      const { body } = await app.request(`POST /v1/payment-links/${link.id}/payments`, {
        key: null,
        body: { customer },
      });
      await app.request(`POST /v1/payments/${body.id}/confirm`, { body: { method: 'card', token: 'tok_visa' } });
    }
    const page = await get(link.url);
    expect(page.statusCode).toBe(status);
    expect(page.body).toContain(title);
    expect(page.body).toContain('mailto:help@nordlys.example');
    expect(page.body).toMatch(/data-over hidden/);
    if (state === 'not_started') expect(page.body).toContain('January 1, 2099');
  });

  it('has at most 5 kB besides the element’s script', async () => {
    const brotli = { ...browser, 'accept-encoding': 'br' };
    const { url } = await makeLink({ description: 'Two of everything', reference: 'N-204' });
    const page = await get(url);
    const files = [...page.body.matchAll(/(?:href|src)="(\/(?:checkout|link)\/[^"]+)"/g)].map(([, file]) =>
      String(file),
    );
    expect(files).toHaveLength(4);
    const answers = await Promise.all(
      [url, ...files.map(file => `http://localhost${file}`)].map(one => get(one, brotli)),
    );
    expect(answers.map(({ headers }) => headers['content-encoding'])).toEqual(Array(5).fill('br'));
    const sum = answers.reduce((total, { rawPayload }) => total + rawPayload.length, 0);
    expect(sum).toBeLessThanOrEqual(5_000);
  });

  it('is in the link’s language', async () => {
    const page = await get((await makeLink({ locale: 'ar' })).url);
    expect(page.body).toMatch(/<html lang="ar" dir="rtl">/);
  });

  it.each([
    ['ar-SA', '٢٠٩٩'],
    ['fa', '2099'],
    ['th-TH', '2099'],
  ])('writes dates in the calendar of the invoices, also in %s', async (locale, year) => {
    const page = await get((await makeLink({ starts_at: '2099-06-01T09:00:00Z', locale })).url);
    expect(page.body).toContain(year);
  });
});

describe('the QR code of a link', () => {
  it.each([
    ['as documented', (url: string) => url, 'image/svg+xml'],
    ['with another extension', (url: string) => url.replace(/svg$/, 'png'), 'image/png'],
    ['with an added extension', (url: string) => `${url}.png`, 'image/png'],
    ['without an extension', (url: string) => url.replace(/\.svg$/, ''), 'image/svg+xml'],
  ])('contains its URL, %s', async (_, from, type) => {
    const link = await makeLink();
    const picture = await get(from(link.qr_code_url));
    expect([picture.statusCode, picture.headers['content-type']]).toEqual([200, type]);
    expect(await readQr(picture.rawPayload)).toBe(link.url);
  });

  it('is large enough to be printed', async () => {
    const { qr_code_url: url } = await makeLink();
    const large = await get(`${url.replace(/svg$/, 'png')}?size=2048`);
    expect((await sharp(large.rawPayload).metadata()).width).toBe(2_048);
    expect((await get(`${url.replace(/svg$/, 'png')}?size=90000`)).statusCode).toBe(400);
  });

  it('is on a poster, a PDF', async () => {
    const { poster_url: url } = await makeLink({ description: 'Concert in the old lighthouse' });
    const poster = await get(url);
    expect([poster.statusCode, poster.headers['content-type']]).toEqual([200, 'application/pdf']);
    expect(poster.rawPayload.subarray(0, 5).toString()).toBe('%PDF-');
    expect([poster.headers['x-robots-tag'], poster.headers['cache-control']]).toEqual(['noindex', 'no-store']);
  });
});

describe('a visitor who opens a link too often', () => {
  it('is refused with a page in the right language, while other visitors and links are not', async () => {
    const pathOf = ({ url }: PaymentLink) => new URL(url).pathname;
    const [rushed, calm] = [pathOf(await makeLink()), pathOf(await makeLink())];
    const openFrom = (remoteAddress: string, url = rushed, headers: Record<string, string> = browser) =>
      app.app.http.inject({ method: 'GET', url, headers, remoteAddress });
    const statuses = [];
    for (let time = 0; time < 121; time++) statuses.push((await openFrom('198.51.100.7')).statusCode);
    expect(statuses).toEqual([...Array(120).fill(200), 429]);
    const { headers, body } = await openFrom('198.51.100.7');
    expect([JSON.parse(body).error.code, Number(headers['retry-after']) > 0]).toEqual(['rate_limited', true]);
    for (const [language, words] of [
      ['ja-JP,ja;q=0.9,en;q=0.8', 'しばらくお待ちください'],
      ['en-GB,en', 'Please wait a moment'],
      ['', 'Please wait a moment'],
    ] as const) {
      const asked = { ...browser, accept: 'text/html,application/xhtml+xml', 'accept-language': language };
      const page = await openFrom('198.51.100.7', rushed, asked);
      const type = String(page.headers['content-type']);
      expect([page.statusCode, type, Number(page.headers['retry-after']) > 0]).toEqual([
        ...[429, 'text/html; charset=utf-8', true],
      ]);
      expect(page.body).toContain(`<h1>${words}</h1>`);
      expect(page.headers['cache-control']).toBe('no-store');
    }
    expect((await openFrom('198.51.100.8')).statusCode).toBe(200);
    expect((await openFrom('198.51.100.7', calm)).statusCode).toBe(200);
  });
});

describe('a client that guesses tokens', () => {
  it('is rate-limited, of links and of invoices together', async () => {
    const guess = (path: string) =>
      app.app.http.inject({ method: 'GET', url: path, headers: browser, remoteAddress: '198.51.100.9' });
    const statuses = [];
    for (let turn = 0; turn < 60; turn++) {
      const slug = crypto.randomUUID().replaceAll('-', '').slice(0, 22);
      statuses.push((await guess(turn % 2 === 0 ? `/l/${slug}` : `/i/${slug}${slug}${slug}`)).statusCode);
    }
    expect(statuses).toEqual([...Array(30).fill(404), ...Array(30).fill(429)]);
  });

  it('finds nothing, and is rate-limited', async () => {
    const statuses = [];
    for (let guess = 0; guess < 120; guess++) {
      const slug = crypto.randomUUID().replaceAll('-', '').slice(0, 22);
      const from = { ...browser, 'x-forwarded-for': '203.0.113.9' };
      statuses.push((await get(`http://localhost:4242/l/${slug}`, from)).statusCode);
    }
    expect(new Set(statuses)).toEqual(new Set([404, 429]));
    expect(statuses.filter(status => status === 404).length).toBeLessThanOrEqual(30);
    const { headers, statusCode } = await get('http://localhost:4242/l/nothing');
    expect([statusCode, Number(headers['retry-after']) > 0]).toEqual([429, true]);
  });
});
