import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/core/id.ts';
import { startTestApp, type TestApp, type TestMerchant } from '../../support/app.ts';

const payment = {
  amount: 1000,
  currency: 'USD',
  settlement_asset: 'USDC',
  settlement_network: 'stellar',
  payment_methods: ['card'],
  customer: { email: 'ada@shop.example' },
};
const listed = 'https://shop.example';
const evil = 'https://evil.example';

let shop: TestApp;
let other: TestMerchant;
beforeAll(async () => {
  shop = await startTestApp({ merchant: { allowedOrigins: [listed], clientAmounts: true } });
  other = await shop.addMerchant({ clientAmounts: true });
});
afterAll(() => shop?.close());

async function createdPayment(key = shop.merchant.secretKey) {
  const { body } = await shop.request('POST /v1/payments', { key, body: payment });
  return { id: body.id as string, secret: body.client_secret as string };
}
const outcome = ({ status, body }: { status: number; body: { error?: { code: string } } }) => [
  status,
  body.error?.code,
];

describe('a key', () => {
  it.each([
    ['missing', null, {}],
    ['of the wrong form', 'hello', {}],
    ['unknown', `sk_test_${'0'.repeat(32)}`, {}],
    ['sent as Basic', null, { authorization: `Basic ${Buffer.from('sk_test_1:').toString('base64')}` }],
    ['a forged client secret', `pay_${'0'.repeat(22)}_secret_${'0'.repeat(44)}`, {}],
  ])('that is %s is refused', async (_, key, headers) => {
    const answer = await shop.request('GET /v1/account', { key, headers });
    expect(outcome(answer)).toEqual([401, 'invalid_api_key']);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it('is stored as a hash only', async () => {
    const rows = await shop.database.db.selectFrom('api_keys').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(shop.merchant.secretKey);
    expect(rows.every(({ hash }) => hash.length === 32)).toBe(true);
  });

  it('with scopes allows exactly these', async () => {
    const key = await shop.addKey(shop.merchant.id, 'secret', { scopes: ['account:read', 'payments:write'] });
    expect((await shop.request('GET /v1/account', { key })).status).toBe(200);
    expect((await shop.request('GET /v1/payments', { key })).status).toBe(200);
    expect(outcome(await shop.request('PATCH /v1/account', { key, body: { name: 'x' } }))).toEqual([
      403,
      'operation_not_allowed',
    ]);
    expect(outcome(await shop.request('GET /v1/api-keys', { key }))).toEqual([403, 'operation_not_allowed']);
    for (const call of ['fund', 'payouts/po_1/complete', 'payouts/po_1/fail', 'payouts/po_1/return'] as const) {
      const answer = await shop.request(`POST /v1/test_helpers/${call}`, { key, body: { currency: 'EUR', amount: 1 } });
      expect(outcome(answer), call).toEqual([403, 'operation_not_allowed']);
    }
  });

  it('of live mode cannot use test helpers', async () => {
    const key = await shop.addKey(shop.merchant.id, 'secret', { livemode: true });
    expect(outcome(await shop.request('GET /v1/test_helpers/clock', { key }))).toEqual([403, 'test_mode_only']);
  });

  it('gets the same error for another merchant’s object and for an unknown id', async () => {
    const { id } = await createdPayment();
    const nowhere = newId('payment');
    for (const call of [
      'GET /v1/payments/ID',
      'GET /v1/payments/ID/refunds',
      'POST /v1/payments/ID/cancel',
      'GET /v1/payments/ID/stream',
    ] as const) {
      const [theirs, missing] = await Promise.all(
        [id, nowhere].map(of => shop.request(call.replace('ID', of) as 'GET /', { key: other.secretKey })),
      );
      expect(outcome(theirs!)).toEqual([404, 'resource_missing']);
      const shape = ({ text }: { text: string }, of: string) => text.replaceAll(of, 'ID').replace(/req_\w+/, 'REQ');
      expect(shape(theirs!, id)).toBe(shape(missing!, nowhere));
    }
  });
});

describe('a publishable key', () => {
  it.each([
    'GET /v1/payments',
    'POST /v1/payments/pay_0000000000000000000000/refunds',
    'POST /v1/payments/pay_0000000000000000000000/cancel',
    'GET /v1/account',
    'GET /v1/api-keys',
    'POST /v1/api-keys',
    'GET /v1/balance',
    'GET /v1/webhook-endpoints',
    'GET /v1/events',
    'POST /v1/test_helpers/clock',
  ] as const)('cannot %s', async call => {
    const body = call.startsWith('POST') ? {} : undefined;
    const answer = await shop.request(call, { key: shop.merchant.publishableKey, headers: { origin: listed }, body });
    expect(outcome(answer)).toEqual([403, 'secret_key_required']);
  });

  it.each([
    ['a listed page', listed, 201],
    ['the service’s own page', 'http://localhost:4242', 201],
    ['a page on the developer’s machine', 'http://localhost:5173', 201],
    ['another page', evil, 403],
    ['a page whose origin has the same prefix', `${listed}.evil.example`, 403],
    ['the listed page over plain http', 'http://shop.example', 403],
    ['a sandboxed page', 'null', 403],
    ['no page', undefined, 403],
  ])('creates a payment from %s: %s → %i', async (_, origin, status) => {
    const answer = await shop.request('POST /v1/payments', {
      key: shop.merchant.publishableKey,
      headers: origin === undefined ? {} : { origin },
      body: payment,
    });
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.body.error.code).toBe('origin_not_allowed');
    else expect(answer.body.created_via).toBe('client');
  });

  it('of live mode refuses pages on localhost', async () => {
    const key = await shop.addKey(shop.merchant.id, 'publishable', { livemode: true });
    const answer = await shop.request('POST /v1/payments', {
      key,
      headers: { origin: 'http://localhost:5173' },
      body: payment,
    });
    expect(outcome(answer)).toEqual([403, 'origin_not_allowed']);
  });
});

describe('a client secret', () => {
  it('opens its payment, with the publishable key or alone, without the merchant’s private fields', async () => {
    const { id, secret } = await createdPayment();
    const answers = await Promise.all([
      shop.request(`GET /v1/payments/${id}`, {
        key: shop.merchant.publishableKey,
        headers: { 'pay-client-secret': secret },
      }),
      shop.request(`GET /v1/payments/${id}`, { key: secret }),
    ]);
    for (const { status, body } of answers) {
      expect([status, body.id, body.customer, body.metadata, body.client_secret]).toEqual([
        200,
        id,
        undefined,
        undefined,
        undefined,
      ]);
    }
  });

  it('opens no other payment', async () => {
    const [mine, second, theirs] = [
      await createdPayment(),
      await createdPayment(),
      await createdPayment(other.secretKey),
    ];
    const { publishableKey } = shop.merchant;
    const tries = await Promise.all([
      shop.request(`GET /v1/payments/${second.id}`, {
        key: publishableKey,
        headers: { 'pay-client-secret': mine.secret },
      }),
      shop.request(`GET /v1/payments/${second.id}`, { key: mine.secret }),
      shop.request(`GET /v1/payments/${theirs.id}`, {
        key: publishableKey,
        headers: { 'pay-client-secret': theirs.secret },
      }),
      shop.request(`GET /v1/payments/${mine.id}`, {
        key: publishableKey,
        headers: { 'pay-client-secret': `${mine.secret}x` },
      }),
    ]);
    expect(tries.map(outcome)).toEqual(Array(4).fill([403, 'client_secret_mismatch']));
  });

  it('is required to read with a publishable key, and allows only the operations of a payer', async () => {
    const { id, secret } = await createdPayment();
    const { publishableKey } = shop.merchant;
    expect(outcome(await shop.request(`GET /v1/payments/${id}`, { key: publishableKey }))).toEqual([
      403,
      'secret_key_required',
    ]);
    expect(outcome(await shop.request(`POST /v1/payments/${id}/cancel`, { key: secret }))).toEqual([
      403,
      'secret_key_required',
    ]);
    expect(outcome(await shop.request('GET /v1/account', { key: secret }))).toEqual([403, 'secret_key_required']);
  });

  it('is refused from pages that are not allowed', async () => {
    const { id, secret } = await createdPayment();
    const answer = await shop.request(`GET /v1/payments/${id}`, { key: secret, headers: { origin: evil } });
    expect(outcome(answer)).toEqual([403, 'origin_not_allowed']);
  });
});

describe('cross-origin access', () => {
  const preflight = (path: string, method: string, origin: string) =>
    shop.request(`OPTIONS ${path}` as 'OPTIONS /', {
      key: null,
      headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'authorization' },
    });

  it.each([
    ['GET', '/v1/account'],
    ['POST', '/v1/api-keys'],
    ['POST', '/v1/payments/pay_0000000000000000000000/refunds'],
    ['GET', '/v1/payments'],
  ])('is never allowed for operations with a secret key: %s %s', async (method, path) => {
    const asked = await preflight(path, method, listed);
    const called = await shop.request(`${method} ${path}` as 'GET /', { headers: { origin: listed } });
    expect(asked.status).toBe(204);
    expect(asked.headers['access-control-allow-origin']).toBeUndefined();
    expect(called.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('is allowed to listed pages for a payer’s operations, after a preflight', async () => {
    const asked = await preflight('/v1/payments', 'POST', evil);
    expect(asked.headers).toMatchObject({
      'access-control-allow-origin': evil,
      vary: 'Origin, Access-Control-Request-Method',
    });
    expect(asked.headers['access-control-allow-headers']).toContain('Pay-Client-Secret');
    const { publishableKey: key } = shop.merchant;
    const [good, bad] = await Promise.all(
      [listed, evil].map(origin => shop.request('POST /v1/payments', { key, headers: { origin }, body: payment })),
    );
    expect(good!.headers).toMatchObject({ 'access-control-allow-origin': listed, vary: 'Origin' });
    expect(good!.headers['access-control-expose-headers']).toContain('Pay-Server-Time');
    expect(bad!.status).toBe(403);
    expect(bad!.headers['vary']).toBe('Origin');
  });

  it('lets a listed page read errors', async () => {
    const { publishableKey: key } = shop.merchant;
    const answer = await shop.request('POST /v1/payments', { key, headers: { origin: listed }, body: { amount: 0 } });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([400, listed]);
  });

  it('lets every page read that its key is wrong or missing', async () => {
    for (const key of ['pk_test_0000000000000000', 'nonsense', null]) {
      const answer = await shop.request('POST /v1/payments', { key, headers: { origin: evil }, body: payment });
      expect([...outcome(answer), answer.headers['access-control-allow-origin']]).toEqual([
        401,
        'invalid_api_key',
        evil,
      ]);
    }
    const { status, headers } = await shop.request('GET /v1/account', { key: 'nonsense', headers: { origin: evil } });
    expect([status, headers['access-control-allow-origin']]).toEqual([401, undefined]);
  });

  it.each([
    [
      'of an origin that is not listed',
      evil,
      [`Add ${evil} to its allowed_origins`, 'Settings, Checkout, Allowed origins'],
    ],
    ['without an origin', 'null', ['sandboxed iframe', 'allow-same-origin']],
  ])('lets a page %s read why it is refused, and nothing else', async (_, origin, says) => {
    const { id, secret } = await createdPayment();
    const { publishableKey: key } = shop.merchant;
    const link = await shop.request('POST /v1/payment-links', { body: { amount: 500, currency: 'EUR' } });
    const headers = { origin, 'pay-client-secret': secret };
    const refused = await Promise.all([
      shop.request('POST /v1/payments', { key, headers: { origin }, body: payment }),
      shop.request(`GET /v1/payments/${id}`, { key, headers }),
      shop.request(`GET /v1/payments/${id}`, { key: secret, headers: { origin } }),
      shop.request('POST /v1/checkout/open', {
        key: null,
        headers: { origin },
        body: { api_key: key, payment: id, client_secret: secret },
      }),
      shop.request(`GET /v1/payment-links/${link.body.id}`, { key: null, headers: { origin } }),
    ]);
    for (const answer of refused) {
      expect(outcome(answer)).toEqual([403, 'origin_not_allowed']);
      expect(answer.headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'Origin' });
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
      for (const text of says) expect(answer.body.error.message).toContain(text);
    }
    expect((await preflight('/v1/payments', 'POST', origin)).headers['access-control-allow-origin']).toBe(origin);
    const { headers: foreign } = await shop.request(`GET /v1/payments/${id}`, { key, headers: { origin } });
    expect(foreign['access-control-allow-origin']).toBeUndefined();
  });

  it('follows changes of the account at once', async () => {
    const merchant = await shop.addMerchant({ clientAmounts: true });
    const create = () =>
      shop.request('POST /v1/payments', {
        key: merchant.publishableKey,
        headers: { origin: 'https://new.example' },
        body: payment,
      });
    expect((await create()).status).toBe(403);
    await shop.request('PATCH /v1/account', {
      key: merchant.secretKey,
      body: { allowed_origins: ['https://new.example'] },
    });
    expect((await create()).status).toBe(201);
  });
});

describe('Pay-Version', () => {
  const newest = '2026-11-01';
  const versioned = (version: string) =>
    shop.request('POST /v1/payments', { body: payment, headers: { 'pay-version': version } });

  it('is answered, and chosen by the key when the call names none', async () => {
    expect((await shop.request('GET /v1/payments')).headers['pay-version']).toBe(newest);
    const { body } = await shop.request('GET /v1/api-keys');
    expect(new Set(body.data.map((key: { api_version: string }) => key.api_version))).toEqual(new Set([newest]));
    const named = await versioned(newest);
    expect([named.status, named.headers['pay-version']]).toEqual([201, newest]);
  });

  it.each(['2019-01-01', 'latest', ''])('%j is refused, and nothing happens', async version => {
    const before = (await shop.request('GET /v1/payments')).body.data.length;
    const { status, body } = await versioned(version);
    expect([status, body.error.code, body.error.param]).toEqual([400, 'api_version_unsupported', 'Pay-Version']);
    expect(body.error.message).toContain(newest);
    expect((await shop.request('GET /v1/payments')).body.data).toHaveLength(before);
  });

  it('does not concern pages', async () => {
    const { status, headers } = await shop.request('GET /healthz', { key: null, headers: { 'pay-version': 'old' } });
    expect([status, headers['pay-version']]).toEqual([200, undefined]);
  });
});
