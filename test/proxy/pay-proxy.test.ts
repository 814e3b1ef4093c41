import { describe, expect, it } from 'vitest';
import { createPayProxy, type Decision, type Operation, type PayProxyOptions } from '../../src/proxy/index.ts';

const secretKey = 'sk_test_9fKq2mZx7Lw4Tb8Rv1Nc';
const paymentId = 'pay_3kTMd0PpC1hJ6nLq2uXs9B';
const clientSecret = `${paymentId}_secret_aZ4mC1hJ6nLq2uXs9B0Pp8`;
const shopOrigin = 'https://shop.example';
const shopPayment = {
  amount: 12_840,
  currency: 'EUR',
  settlement_asset: 'USDC',
  settlement_network: 'stellar',
  payment_methods: ['card' as const],
  customer: { email: 'ada@example.com' },
};

interface Call {
  url: string;
  method: string;
  headers: Headers;
  body: string;
  init: RequestInit;
}

/** A service that answers by `answer` and records its calls. */
function fakeService(answer: (call: Call) => Response | Promise<Response> = () => Response.json({ ok: true })) {
  const calls: Call[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    const body = await new Response(init.body ?? '').text();
    const call = { url, method: init.method ?? 'GET', headers: new Headers(init.headers), body, init };
    calls.push(call);
    return answer(call);
  };
  return { calls, fetch };
}

function proxyOf(options: Partial<PayProxyOptions> = {}) {
  return createPayProxy({
    baseUrl: 'https://pay.example',
    secretKey,
    basePath: '/api/pay',
    authorize: () => true,
    price: () => shopPayment,
    fetch: fakeService().fetch,
    ...options,
  });
}

function ask(method: string, path: string, init: { body?: unknown; headers?: Record<string, string> } = {}): Request {
  const hasBody = init.body !== undefined;
  return new Request(`${shopOrigin}/api/pay${path}`, {
    method,
    headers: {
      Origin: shopOrigin,
      ...(path.includes(paymentId) || path.includes('/checkout/') ? { 'Pay-Client-Secret': clientSecret } : {}),
      ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
      ...init.headers,
    },
    ...(hasBody ? { body: typeof init.body === 'string' ? init.body : JSON.stringify(init.body) } : {}),
  });
}

async function codeOf(response: Response): Promise<string> {
  const body = (await response.json()) as { error: { code: string } };
  return `${response.status} ${body.error.code}`;
}

const payerCalls: [Operation, string, string][] = [
  ['payments.open', 'POST', '/v1/checkout/open'],
  ['payments.follow', 'POST', '/v1/checkout/stream'],
  ['payments.read', 'GET', `/v1/payments/${paymentId}`],
  ['payments.options', 'GET', `/v1/payments/${paymentId}/options`],
  ['payments.quote', 'POST', `/v1/payments/${paymentId}/quotes`],
  ['payments.confirm', 'POST', `/v1/payments/${paymentId}/confirm`],
  ['payments.wallet_transaction', 'POST', `/v1/payments/${paymentId}/wallet_transactions`],
  [
    'payments.submit_wallet_transaction',
    'POST',
    `/v1/payments/${paymentId}/wallet_transactions/wtx_9sLq2uXs9BkTMd0PpC1hJ6/submit`,
  ],
  ['payments.stream', 'GET', `/v1/payments/${paymentId}/stream`],
  ['payments.simulate_bank_transfer', 'POST', `/v1/payments/${paymentId}/simulate_bank_transfer`],
];
const shopCalls: [Operation, string, string][] = [
  ['payments.list', 'GET', '/v1/payments'],
  ['payments.refund', 'POST', `/v1/payments/${paymentId}/refunds`],
  ['payments.capture', 'POST', `/v1/payments/${paymentId}/capture`],
  ['payments.cancel', 'POST', `/v1/payments/${paymentId}/cancel`],
  ['payments.resolve', 'POST', `/v1/payments/${paymentId}/resolve`],
  ['links.create', 'POST', '/v1/payment-links'],
  ['invoices.send', 'POST', '/v1/invoices/inv_3kTMd0PpC1hJ6nLq2uXs9B/send'],
  ['recipients.create', 'POST', '/v1/recipients'],
  ['payouts.create', 'POST', '/v1/payouts/bulk'],
  ['payouts.retry', 'POST', '/v1/payouts/po_3kTMd0PpC1hJ6nLq2uXs9B/retry'],
  ['payout_batches.approve', 'POST', '/v1/payout-batches/pbat_3kTMd0PpC1hJ6nLq2uXs9B/approve'],
  ['customers.read', 'GET', '/v1/customers/cus_3kTMd0PpC1hJ6nLq2uXs9B'],
  ['customers.update_kyc', 'PUT', '/v1/customers/cus_3kTMd0PpC1hJ6nLq2uXs9B/kyc'],
  ['ramps.create', 'POST', '/v1/ramps'],
  ['ramps.refund', 'POST', '/v1/ramps/ramp_3kTMd0PpC1hJ6nLq2uXs9B/refunds'],
];

describe('the price', () => {
  it('is the shop’s: no value of the browser reaches the service', async () => {
    const service = fakeService();
    const proxy = proxyOf({
      fetch: service.fetch,
      price: async request => ({ ...shopPayment, metadata: await request.json() }),
    });
    await proxy(ask('POST', '/v1/payments?amount=1', { body: { amount: 1, currency: 'IDR', cart: ['mug'] } }));
    expect(service.calls).toHaveLength(1);
    expect(service.calls[0]?.url).toBe('https://pay.example/v1/payments');
    expect(JSON.parse(service.calls[0]?.body ?? '')).toEqual({
      ...shopPayment,
      metadata: { amount: 1, currency: 'IDR', cart: ['mug'] },
    });
  });

  it('may be returned by authorize, and then no price function is needed', async () => {
    const service = fakeService();
    const authorize = () => ({ body: shopPayment, idempotencyKey: 'order-1042' });
    await proxyOf({ fetch: service.fetch, authorize })(
      ask('POST', '/v1/payments', { body: { amount: 1 }, headers: { 'Idempotency-Key': 'mine' } }),
    );
    expect(JSON.parse(service.calls[0]?.body ?? '')).toEqual(shopPayment);
    expect(service.calls[0]?.headers.get('idempotency-key')).toBe('order-1042');
  });

  it('has an idempotency key that differs from those of the shop’s server, of other payments and operations', async () => {
    const service = fakeService();
    const proxy = proxyOf({ fetch: service.fetch });
    const mine = { 'Idempotency-Key': 'order-1042' };
    const order = () => proxy(ask('POST', '/v1/payments', { body: {}, headers: mine }));
    const confirm = (id: string) => {
      const headers = { ...mine, 'Pay-Client-Secret': `${id}_secret_a` };
      return proxy(ask('POST', `/v1/payments/${id}/confirm`, { body: {}, headers }));
    };
    for (const call of [order, order, () => confirm('pay_1'), () => confirm('pay_2')]) await call();
    const keys = service.calls.map(({ headers }) => headers.get('idempotency-key') ?? '');
    expect(keys.every(key => /^browser:[0-9a-f]{64}$/.test(key))).toBe(true);
    expect([keys[0] === keys[1], new Set(keys).size]).toEqual([true, 3]);
    const empty = await proxy(ask('POST', '/v1/payments', { body: {}, headers: { 'Idempotency-Key': '' } }));
    expect(await codeOf(empty)).toBe('400 invalid_idempotency_key');
  });

  it.each<[string, Partial<PayProxyOptions>, (visitor: string) => Record<string, string>]>([
    ['their cookies', {}, cookie => ({ Cookie: `session=${cookie}` })],
    ['their browsers, without cookies', {}, browser => ({ 'User-Agent': browser })],
    [
      'the shop, whatever their cookies',
      { visitor: async request => request.headers.get('x-shop-session') ?? '' },
      name => ({ 'X-Shop-Session': name, Cookie: `seen=${Math.random()}` }),
    ],
  ])('has an idempotency key of its visitor alone: told apart by %s', async (_case, options, headersFor) => {
    const service = fakeService();
    const proxy = proxyOf({ fetch: service.fetch, ...options });
    for (const visitor of ['ada', 'bob', 'ada']) {
      const headers = { 'Idempotency-Key': 'cart-1', ...headersFor(visitor) };
      await proxy(ask('POST', '/v1/payments', { body: {}, headers }));
    }
    const [ada, bob, again] = service.calls.map(({ headers }) => headers.get('idempotency-key'));
    expect([ada === bob, ada === again]).toEqual([false, true]);
  });

  it.each<[string, Partial<PayProxyOptions>]>([
    ['authorize allows the call and there is no price', { price: undefined as never }],
    ['authorize returns a grant without a body', { authorize: () => ({}) }],
    ['price throws', { price: () => Promise.reject(new Error(`no such thing, ${secretKey}`)) }],
  ])('is never the browser’s when %s', async (_case, options) => {
    const service = fakeService();
    const errors: unknown[] = [];
    const proxy = proxyOf({ fetch: service.fetch, onError: error => errors.push(error), ...options });
    const response = await proxy(ask('POST', '/v1/payments', { body: shopPayment }));
    expect(await codeOf(response)).toBe('500 internal_error');
    expect(service.calls).toEqual([]);
    expect(errors).toHaveLength(1);
  });

  it('may be refused by the shop with its own message', async () => {
    const soldOut = () => Response.json({ error: 'sold out' }, { status: 409 });
    const response = await proxyOf({ price: soldOut })(ask('POST', '/v1/payments', { body: {} }));
    expect([response.status, await response.text()]).toEqual([409, '{"error":"sold out"}']);
  });
});

describe('authorize', () => {
  it.each([...payerCalls, ['payments.create', 'POST', '/v1/payments'], ...shopCalls] as [Operation, string, string][])(
    'is called for %s, and may refuse it',
    async (operation, method, path) => {
      const service = fakeService();
      const asked: [Operation, string | null][] = [];
      const authorize = async (_request: Request, name: Operation, target: { id: string | null }) => {
        asked.push([name, target.id]);
        return false;
      };
      const response = await proxyOf({ fetch: service.fetch, authorize })(ask(method, path));
      expect(await codeOf(response)).toBe('403 operation_not_allowed');
      const named = path.startsWith('/v1/checkout/') ? paymentId : (/[a-z]+_[0-9A-Za-z]{22}/.exec(path)?.[0] ?? null);
      expect(asked).toEqual([[operation, named]]);
      expect(service.calls).toEqual([]);
    },
  );

  it.each(shopCalls)('that always allows does not open %s', async (_operation, method, path) => {
    const service = fakeService();
    const response = await proxyOf({ fetch: service.fetch })(ask(method, path, method === 'GET' ? {} : { body: {} }));
    expect(await codeOf(response)).toBe('403 operation_not_allowed');
    expect(service.calls).toEqual([]);
  });

  it.each<unknown>([undefined, null, 1, 'yes'])('that returns %s refuses', async decision => {
    const authorize = () => decision as Decision;
    for (const [, method, path] of payerCalls) {
      expect(await codeOf(await proxyOf({ authorize })(ask(method, path)))).toBe('403 operation_not_allowed');
    }
  });

  it('opens a closed operation with a grant for its exact path', async () => {
    const service = fakeService();
    const authorize = async (_request: Request, operation: Operation): Promise<Decision> => {
      if (operation === 'links.create') return { body: { currency: 'EUR', amount: 500 } };
      if (operation === 'payments.list') return { query: { customer: 'cus_1', limit: '5' } };
      return operation === 'payouts.list' ? {} : false;
    };
    const proxy = proxyOf({ fetch: service.fetch, authorize });
    await proxy(ask('POST', '/v1/payment-links', { body: { currency: 'EUR', amount: 1 } }));
    await proxy(ask('GET', '/v1/payments?customer=cus_2&limit=100'));
    await proxy(
      ask(
        'GET',
        '/v1/payouts?limit=3&expand=recipient&created_at%5Bgte%5D=2026-01-01T00:00:00Z&metadata[order]=A&x[gt]=1',
      ),
    );
    expect(service.calls.map(call => [call.url, call.body])).toEqual([
      ['https://pay.example/v1/payment-links', '{"currency":"EUR","amount":500}'],
      ['https://pay.example/v1/payments?customer=cus_1&limit=5', ''],
      ['https://pay.example/v1/payouts?limit=3&created_at%5Bgte%5D=2026-01-01T00%3A00%3A00Z&metadata%5Border%5D=A', ''],
    ]);
    expect(service.calls.every(call => call.headers.get('authorization') === `Bearer ${secretKey}`)).toBe(true);
  });

  it('receives the visitor’s cookies and body, which are not sent to the service', async () => {
    const service = fakeService();
    let seen = '';
    const authorize = async (request: Request) => {
      seen = `${request.headers.get('cookie')} ${await request.text()}`;
      return true;
    };
    const headers = {
      Cookie: 'session=42',
      Authorization: 'Bearer visitor',
      'X-Forwarded-For': '10.0.0.1',
      TE: 'gzip',
    };
    await proxyOf({ fetch: service.fetch, authorize })(ask('POST', '/v1/payments', { body: { cart: 1 }, headers }));
    expect(seen).toBe('session=42 {"cart":1}');
    const sent = [...(service.calls[0]?.headers.keys() ?? [])];
    expect(sent).toEqual(['accept', 'accept-encoding', 'authorization', 'content-type', 'user-agent']);
    expect(service.calls[0]?.headers.get('authorization')).toBe(`Bearer ${secretKey}`);
  });

  it('that throws answers 500 without details', async () => {
    const authorize = () => {
      throw new Error(`database at ${secretKey}`);
    };
    const response = await proxyOf({ authorize })(ask('GET', `/v1/payments/${paymentId}`));
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(text).not.toContain('database');
  });
});

describe('access to payments of other payers', () => {
  it('the options are read with the account that the payer names, and no other parameter', async () => {
    const service = fakeService();
    const proxy = proxyOf({ fetch: service.fetch });
    const query = '?payer_address=GA5Z&customer=cus_1&expand=all';
    for (const path of ['/options', '']) await proxy(ask('GET', `/v1/payments/${paymentId}${path}${query}`));
    expect(service.calls.map(({ url }) => new URL(url).search)).toEqual(['?payer_address=GA5Z', '']);
  });

  it('a transaction is submitted with both of its ids', async () => {
    const service = fakeService();
    const path = `/v1/payments/${paymentId}/wallet_transactions/wtx_9sLq2uXs9BkTMd0PpC1hJ6/submit`;
    await proxyOf({ fetch: service.fetch })(ask('POST', path, { body: { signed_envelope_xdr: 'AAAA' } }));
    expect(service.calls.map(({ url }) => new URL(url).pathname)).toEqual([path]);
  });

  it.each(payerCalls)('%s is done with the client secret, never with the secret key', async (_name, method, path) => {
    const service = fakeService();
    const response = await proxyOf({ fetch: service.fetch })(ask(method, path));
    expect(response.status).toBe(200);
    expect(service.calls[0]?.headers.get('authorization')).toBe(`Bearer ${clientSecret}`);
    expect(service.calls[0]?.headers.get('pay-client-secret')).toBe(clientSecret);
    expect(JSON.stringify([...(service.calls[0]?.headers ?? [])])).not.toContain(secretKey);
  });

  it.each([
    ['none', ''],
    ["another payment's", 'pay_0000000000000000000000_secret_aZ4mC1hJ6nLq2uXs9B0Pp8'],
    ['a bare id', paymentId],
    ['the secret key', secretKey],
    ['a line break', `${clientSecret}%0d%0a`],
  ])('is refused: client secret is %s', async (_case, secret) => {
    const service = fakeService();
    for (const [, method, path] of payerCalls) {
      // The path of the calls that open a checkout has no id to compare.
      if (path.startsWith('/v1/checkout/') && secret.startsWith('pay_0000')) continue;
      const response = await proxyOf({ fetch: service.fetch })(
        ask(method, path, { headers: { 'Pay-Client-Secret': secret } }),
      );
      expect(await codeOf(response)).toBe('403 client_secret_mismatch');
    }
    expect(service.calls).toEqual([]);
  });

  it('a checkout is opened and followed by the secret in the header, not by another one in the body', async () => {
    const service = fakeService();
    const body = { api_key: secretKey, payment: 'pay_1', client_secret: 'pay_1_secret_2', last_event_id: '7' };
    for (const path of ['/v1/checkout/open', '/v1/checkout/stream']) {
      await proxyOf({ fetch: service.fetch })(ask('POST', path, { body }));
    }
    const passed = { payment: paymentId, client_secret: clientSecret, last_event_id: '7' };
    expect(service.calls.map(call => JSON.parse(call.body))).toEqual([passed, passed]);
  });

  it('is refused when the service does not know the client secret, and no error is reported', async () => {
    const service = fakeService(() => Response.json({ error: { code: 'invalid_api_key' } }, { status: 401 }));
    const errors: unknown[] = [];
    const proxy = proxyOf({ fetch: service.fetch, onError: error => errors.push(error) });
    expect(await codeOf(await proxy(ask('GET', `/v1/payments/${paymentId}`)))).toBe('403 client_secret_mismatch');
    expect(errors).toEqual([]);
  });

  it('a created payment is returned without the shop’s metadata and the customer', async () => {
    const service = fakeService(() =>
      Response.json(
        { id: paymentId, client_secret: clientSecret, metadata: { margin: 40 }, customer: { email: 'a@b.c' } },
        { status: 201, headers: { 'Request-Id': 'req_1' } },
      ),
    );
    const response = await proxyOf({ fetch: service.fetch })(ask('POST', '/v1/payments', { body: {} }));
    expect([response.status, response.headers.get('request-id')]).toEqual([201, 'req_1']);
    expect(await response.json()).toEqual({ id: paymentId, client_secret: clientSecret });
  });
});

describe('the operations', () => {
  it.each([
    ['/v1/payments/%2e%2e/api-keys', 'GET'],
    ['/v1/payments/..%2fapi-keys', 'GET'],
    [`/v1/payments/${paymentId}%2f..%2f..%2fapi-keys`, 'GET'],
    [`/v1/payments/${paymentId}/`, 'GET'],
    [`/v1//payments/${paymentId}`, 'GET'],
    [`/v1/payments/${paymentId}/stream/../../../api-keys`, 'GET'],
    ['/v1/payments/pay_1%00', 'GET'],
    ['/v1/api-keys', 'GET'],
    ['/v1/webhook-endpoints', 'POST'],
    ['/v1/events/stream', 'GET'],
    ['/v1/account', 'PATCH'],
    ['/v1/balance', 'GET'],
    ['/v1/test_helpers/fund', 'POST'],
    ['/../v1/payments', 'POST'],
    ['', 'GET'],
  ])('are a fixed list: %s is not included', async (path, method) => {
    const service = fakeService();
    const authorize = () => ({ body: {} });
    const response = await proxyOf({ fetch: service.fetch, authorize })(ask(method, path));
    expect(await codeOf(response)).toBe('404 route_not_found');
    expect(service.calls).toEqual([]);
  });

  it('are determined after dots in the path are resolved, so that authorize and the service see one path', async () => {
    const asked: Operation[] = [];
    const authorize = (_request: Request, operation: Operation) => asked.push(operation) === 0;
    await proxyOf({ authorize })(ask('GET', '/v1/payments/../payouts'));
    expect(asked).toEqual(['payouts.list']);
  });

  it('with a wrong method answer 405', async () => {
    expect(await codeOf(await proxyOf()(ask('DELETE', `/v1/payments/${paymentId}`)))).toBe('405 method_not_allowed');
  });

  it.each([
    ['a body that is too long', '413 body_too_large', { body: { cart: 'x'.repeat(70_000) } }],
    [
      'a form body',
      '415 unsupported_media_type',
      { body: 'a=1', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
    ],
    ['invalid JSON', '400 invalid_json', { body: '{"cart":' }],
    ['a text body', '415 unsupported_media_type', { body: '{"a":1}', headers: { 'Content-Type': 'text/plain' } }],
  ])('refuse %s', async (_case, expected, init) => {
    const service = fakeService();
    expect(await codeOf(await proxyOf({ fetch: service.fetch })(ask('POST', '/v1/payments', init)))).toBe(expected);
    expect(service.calls).toEqual([]);
  });

  it('refuse an endless body without reading it to the end', async () => {
    let pulled = 0;
    const body = new ReadableStream({
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(16_384));
      },
    });
    const request = new Request(`${shopOrigin}/api/pay/v1/payments`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit);
    expect(await codeOf(await proxyOf()(request))).toBe('413 body_too_large');
    expect(pulled).toBeLessThan(10);
  });

  it('are found without a base path', async () => {
    const service = fakeService();
    const proxy = proxyOf({ fetch: service.fetch, basePath: undefined as never });
    await proxy(ask('GET', `/v1/payments/${paymentId}`));
    expect(service.calls[0]?.url).toBe(`https://pay.example/v1/payments/${paymentId}`);
  });

  it('forward the headers that the element needs, and no others', async () => {
    const service = fakeService(() =>
      Response.json(
        {},
        {
          headers: {
            'Request-Id': 'req_7',
            'Pay-Server-Time': '2026-11-21T09:00:00.000Z',
            'Retry-After': '3',
            'Set-Cookie': 'a=1',
            'X-Internal': 'db-3',
            Server: 'pay',
            Location: '/v1/payments/x',
            Connection: 'keep-alive, x-internal',
          },
        },
      ),
    );
    const headers = { 'Idempotency-Key': 'k-1', 'Last-Event-ID': 'evt_9' };
    const response = await proxyOf({ fetch: service.fetch })(
      ask('GET', `/v1/payments/${paymentId}/stream`, { headers }),
    );
    expect(service.calls[0]?.headers.get('idempotency-key')).toMatch(/^browser:[0-9a-f]{64}$/);
    expect(service.calls[0]?.headers.get('last-event-id')).toBe('evt_9');
    expect(Object.fromEntries(response.headers)).toEqual({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'content-type': 'application/json',
      'pay-server-time': '2026-11-21T09:00:00.000Z',
      'request-id': 'req_7',
      'retry-after': '3',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    });
  });
});

describe('pages of other sites', () => {
  const read = `/v1/payments/${paymentId}`;
  it.each([
    ['another site', { Origin: 'https://evil.example' }, 403],
    ['a sandboxed frame', { Origin: 'null' }, 403],
    ['a look-alike', { Origin: 'https://shop.example.evil.example' }, 403],
    ['another port', { Origin: 'https://shop.example:8443' }, 403],
    ['a read from another site', { Origin: '', 'Sec-Fetch-Site': 'cross-site' }, 403],
    ['a read from a sister site', { Origin: '', 'Sec-Fetch-Site': 'same-site' }, 403],
    ['the shop itself', { Origin: '', 'Sec-Fetch-Site': 'same-origin' }, 200],
    ['a program', { Origin: '' }, 200],
    ['a listed origin', { Origin: 'https://www.shop.example' }, 200],
  ])('%s', async (_case, headers, status) => {
    const service = fakeService();
    const proxy = proxyOf({ fetch: service.fetch, allowedOrigins: ['https://www.shop.example'] });
    const request = ask('GET', read, { headers });
    if (headers.Origin === '') request.headers.delete('origin');
    const response = await proxy(request);
    expect(response.status).toBe(status);
    expect(service.calls).toHaveLength(status === 200 ? 1 : 0);
    const { headers: answered } = response;
    // The page can read the refusal, because only its developer can list the origin.
    expect(answered.get('access-control-allow-origin')).toBe(headers.Origin || null);
    expect(answered.get('access-control-allow-credentials')).toBe(headers.Origin ? 'true' : null);
    if (status === 403) expect((await response.json()).error.code).toBe('origin_not_allowed');
  });

  it.each([
    ['https://www.shop.example', ['https://www.shop.example']],
    ['https://other.example', ['https://www.shop.example']],
    ['https://other.example', []],
  ])(
    'every origin receives a CORS preflight answer, so that it can read a refusal: %s',
    async (Origin, allowedOrigins) => {
      const service = fakeService();
      const proxy = proxyOf({ fetch: service.fetch, allowedOrigins });
      const { status, headers } = await proxy(ask('OPTIONS', read, { headers: { Origin } }));
      const names = ['allow-origin', 'allow-credentials', 'allow-headers'].map(name => `access-control-${name}`);
      expect([status, ...[...names, 'vary'].map(name => headers.get(name))]).toEqual([
        ...[204, Origin, 'true', 'Content-Type, Idempotency-Key, Last-Event-ID, Pay-Client-Secret', 'Origin'],
      ]);
      expect(service.calls).toEqual([]);
    },
  );

  it.each(['*', 'https://shop.example/', 'shop.example', 'https://Shop.example'])(
    'an allowed origin that could never match is an error at start: %s',
    origin => {
      expect(() => proxyOf({ allowedOrigins: [origin] })).toThrow(TypeError);
    },
  );
});

it.each<[string, Partial<PayProxyOptions>]>([
  ['a publishable key', { secretKey: 'pk_test_9fKq2mZx7Lw4Tb8Rv1Nc' }],
  ['an empty key', { secretKey: '' }],
  ['a key with a line break', { secretKey: 'sk_test_12345678\r\nX: 1' }],
  ['no address', { baseUrl: 'pay.example' }],
  ['a file address', { baseUrl: 'file:///v1' }],
  ['an address with a password', { baseUrl: 'https://a:b@pay.example' }],
])('refuses to start with %s', (_case, options) => {
  expect(() => proxyOf(options)).toThrow(TypeError);
});
