import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Domain } from '../../../src/api/dashboard/domain.ts';
import type { Invoice } from '../../../src/api/invoice/invoice-view.ts';
import type { PaymentLink } from '../../../src/api/link.ts';
import type { Payment } from '../../../src/api/payment.ts';
import { hostedPage } from '../../../src/server/platform/http/access/page-hosts.ts';
import { defineModule } from '../../../src/server/platform/module.ts';
import type { TestMerchant } from '../../support/app.ts';
import { browserDir } from '../../support/built.ts';
import { order as invoiceOrder } from '../invoices/invoice-lab.ts';
import { order } from '../payments/payment-lab.ts';
import { type DomainLab, startDomainLab } from './domain-lab.ts';

/** Objects of one merchant, and the paths of their pages. */
interface Shop {
  readonly merchant: TestMerchant;
  readonly domain: Domain;
  readonly payment: Payment & { client_secret: string };
  readonly link: PaymentLink;
  readonly invoice: Invoice;
}

/** A module with a hosted page, and a route that is not for payers. */
const gifts = defineModule<unknown>({
  name: 'gifts',
  routes: app => {
    app.get('/gift/:token', { config: hostedPage, schema: { hide: true } }, async () => 'A book');
    app.get('/gifts/desk', { config: { access: 'public' }, schema: { hide: true } }, async () => 'All gifts');
  },
});

let lab: DomainLab;
let shops: readonly [Shop, Shop];
beforeAll(async () => {
  lab = await startDomainLab({
    browserDir,
    modules: [gifts],
    merchant: { clientAmounts: true },
    settings: { PAY_TRUSTED_PROXIES: '127.0.0.1' },
  });
  const other = await lab.addMerchant();
  shops = [await createShop(lab.merchant, 'pay.shop.example'), await createShop(other, 'pay.other.example')];
});
afterAll(() => lab?.close());

async function post(path: string, { secretKey }: TestMerchant, body: object = {}) {
  const headers = { 'idempotency-key': randomUUID() };
  const answer = await lab.request(`POST ${path as '/v1'}`, { key: secretKey, headers, body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
}

async function createShop(merchant: TestMerchant, name: string): Promise<Shop> {
  const domain = await lab.activate(name, merchant);
  const [payment, link, draft] = [
    await post('/v1/payments', merchant, order),
    await post('/v1/payment-links', merchant, { amount: 25_00, currency: 'EUR' }),
    await post('/v1/invoices', merchant, invoiceOrder),
  ];
  return { merchant, domain, payment, link, invoice: await post(`/v1/invoices/${draft.id}/send`, merchant) };
}

const visit = (host: string, path: string, headers: Record<string, string> = {}) =>
  lab.request(`GET ${path as '/'}`, { key: null, headers: { host, accept: 'text/html', ...headers } });

const addressesOf = ({ payment, link, invoice }: Shop): readonly string[] => [
  payment.checkout_url,
  link.url,
  link.qr_code_url,
  link.poster_url,
  invoice.hosted_invoice_url ?? '',
  invoice.pdf_url ?? '',
];

describe('under a merchant’s domain', () => {
  it('has the addresses of its pages', async () => {
    expect((await lab.request('GET /v1/account')).body.custom_domain).toMatchObject({
      name: shops[0].domain.name,
      primary: true,
    });
    for (const shop of shops) {
      const origins = addressesOf(shop).map(address => new URL(address).origin);
      expect(new Set(origins)).toEqual(new Set([shop.domain.url]));
    }
  });

  it('serves its pages, as does the service itself, and no page of another merchant', async () => {
    const [own, other] = shops;
    for (const address of addressesOf(own)) {
      const path = new URL(address).pathname;
      const statuses = [own.domain.name, 'pay.example', other.domain.name].map(host => visit(host, path));
      expect(
        (await Promise.all(statuses)).map(({ status }) => status),
        path,
      ).toEqual([200, 200, 404]);
    }
    const mixedCase = await visit('PAY.Shop.Example:443', new URL(own.payment.checkout_url).pathname);
    expect(mixedCase.status).toBe(200);
  });

  it('serves the hosted page of any module, and none of its other routes', async () => {
    const { name } = shops[0].domain;
    const answers = await Promise.all(
      ['/gift/1', '/gifts/desk'].map(async path => [
        (await visit(name, path)).status,
        (await visit('pay.example', path)).status,
      ]),
    );
    expect(answers).toEqual([
      [200, 200],
      [404, 200],
    ]);
  });

  it('leads no payer of another merchant back to a shop', async () => {
    const [own, other] = shops;
    const paying = await post(`/v1/payments/${own.payment.id}/confirm`, own.merchant, {
      method: 'card',
      token: 'tok_3ds',
      return_url: 'https://shop.example/back',
    });
    const { pathname } = new URL(paying.next_action.url);
    const page = await lab.request(`POST ${pathname as '/'}`, {
      key: null,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'choice=close',
    });
    expect(page.status).toBeLessThan(400);
    const { text } = await visit('pay.example', pathname);
    const resume = new URL(/url=([^"]+)"/.exec(text)?.[1] ?? '').pathname;
    expect((await visit(other.domain.name, resume)).headers.location).toBe('/checkout/return');
    expect((await visit('pay.example', resume)).headers.location).toMatch(/^https:\/\/shop\.example\/back/);
  });

  it('serves the files and the calls of its pages', async () => {
    const [{ domain, payment, link, invoice }, other] = shops;
    const path = new URL(payment.checkout_url).pathname;
    const { text } = await visit(domain.name, path);
    const files = [...text.matchAll(/(?:src|href)="(\/[^"?]+)/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) expect((await visit(domain.name, file)).status, file).toBe(200);
    const call = (host: string, name: string, body?: object, key: string | null = payment.client_secret) =>
      lab.request(`${body ? 'POST' : 'GET'} ${name as '/v1'}`, {
        key,
        headers: { host, origin: domain.url },
        ...(body && { body }),
      });
    const access = { payment: payment.id, client_secret: payment.client_secret };
    const calls: readonly (readonly [string, object | undefined, string | null | undefined, number])[] = [
      [`/v1/payments/${payment.id}`, undefined, undefined, 200],
      ['/v1/checkout/open', access, null, 200],
      [`/v1/payment-links/${link.id}`, undefined, null, 200],
      [`${new URL(invoice.hosted_invoice_url ?? '').pathname}/views`, { visitor: 'a'.repeat(16) }, null, 204],
    ];
    for (const [name, body, key, status] of calls) {
      expect((await call(domain.name, name, body, key)).status, name).toBe(status);
      expect((await call(other.domain.name, name, body, key)).status, name).toBe(404);
    }
    const opened = await call(domain.name, '/v1/checkout/open', access, null);
    expect(opened.headers['access-control-allow-origin']).toBe(domain.url);
    expect(opened.body.options.card.frame_url).toMatch(/^https:\/\/pay\.example\/card-frame\//);
  });

  it.each([
    '/',
    '/dashboard/',
    '/docs',
    '/openapi.json',
    '/demo/',
    '/metrics',
    '/readyz',
    '/sandbox/outbox',
    '/nothing',
  ])('does not serve %s', async path => {
    const { status, text } = await visit('pay.shop.example', path);
    expect(status).toBe(404);
    expect(text).not.toContain('pay-checkout');
  });

  it('believes a trusted proxy’s X-Forwarded-Host', async () => {
    const forwarded = (name: string) => visit('pay.example', '/openapi.json', { 'x-forwarded-host': name });
    expect((await forwarded(shops[0].domain.name)).status).toBe(404);
    expect((await forwarded('unknown.example')).status).toBe(200);
  });

  it('refuses API keys and the card form', async () => {
    const [{ merchant, domain, payment }] = shops;
    const headers = { host: domain.name, origin: domain.url };
    for (const [call, key] of [
      ['POST /v1/payments', merchant.secretKey],
      ['POST /v1/payments', merchant.publishableKey],
      ['GET /v1/account', merchant.secretKey],
      [`GET /v1/payments/${payment.id}`, merchant.secretKey],
      ['GET /card-frame/?ticket=x', null],
    ] as const) {
      const body = call.startsWith('POST') ? { body: order } : {};
      expect((await lab.request(call, { key, headers, ...body })).status, call).toBe(404);
    }
  });

  it('lets pages of the domain frame the checkout and the card form, and use the publishable key', async () => {
    const [{ merchant, domain, payment }] = shops;
    const page = await visit(domain.name, new URL(payment.checkout_url).pathname);
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toMatch(/frame-src 'self' https:\/\/pay\.example;/);
    expect(policy).toMatch(/frame-ancestors 'self' https:\/\/pay\.shop\.example/);
    expect(page.headers['strict-transport-security']).toBe('max-age=31536000');
    const { body } = await lab.request(`GET /v1/payments/${payment.id}/options`);
    const { pathname, search } = new URL(body.card.frame_url);
    const frame = await visit('pay.example', `${pathname}${search}`);
    expect(String(frame.headers['content-security-policy'])).toContain(
      "frame-ancestors 'self' https://pay.shop.example",
    );
    expect(frame.headers['strict-transport-security']).toContain('includeSubDomains');
    for (const [origin, status] of [
      [domain.url, 201],
      [shops[1].domain.url, 403],
    ] as const) {
      const answer = await lab.request('POST /v1/payments', {
        key: merchant.publishableKey,
        headers: { origin },
        body: order,
      });
      expect(answer.status, origin).toBe(status);
    }
  });

  it('ends with the domain: its own name is unknown, and addresses lead to the service again', async () => {
    const merchant = await lab.addMerchant();
    const shop = await createShop(merchant, 'pay.third.example');
    await lab.request(`DELETE /v1/domains/${shop.domain.id}`, { key: merchant.secretKey });
    const { body } = await lab.request(`GET /v1/payments/${shop.payment.id}`, { key: merchant.secretKey });
    expect(body.checkout_url).toBe(shop.payment.checkout_url.replace('pay.third.example', 'pay.example'));
  });

  it('uses the newest active domain in new addresses, and still serves the older one', async () => {
    const [{ merchant, domain, payment }] = shops;
    const newer = await lab.activate('checkout.shop.example', merchant);
    expect(newer.primary).toBe(true);
    expect((await lab.read(domain, merchant)).primary).toBe(false);
    expect((await post('/v1/payments', merchant, order)).checkout_url).toMatch(/^https:\/\/checkout\.shop\.example\//);
    expect((await visit(domain.name, new URL(payment.checkout_url).pathname)).status).toBe(200);
    await lab.request(`DELETE /v1/domains/${newer.id}`);
  });
});
