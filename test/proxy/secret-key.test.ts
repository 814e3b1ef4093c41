import { describe, expect, it } from 'vitest';
import { createPayProxy, type Fetch, type PayProxyOptions } from '../../src/proxy/index.ts';

const secretKey = 'sk_test_9fKq2mZx7Lw4Tb8Rv1Nc';
const paymentId = 'pay_3kTMd0PpC1hJ6nLq2uXs9B';
const clientSecret = `${paymentId}_secret_aZ4mC1hJ6nLq2uXs9B0Pp8`;

const json = { 'Content-Type': 'application/json' };
const echo = `{"error":{"message":"bad key ${secretKey}"},"again":"${secretKey}${secretKey}"}`;

function inChunks(text: string, size: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) controller.close();
      else controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
}

function echoingHeaders(init: RequestInit): Record<string, string> {
  const sent = Object.fromEntries(new Headers(init.headers));
  return {
    ...json,
    ...sent,
    'content-type': 'application/json',
    'request-id': `req ${sent['authorization']}`,
    'retry-after': secretKey,
    'ratelimit-policy': `"${secretKey}";q=1`,
  };
}

const services: [string, Fetch][] = [
  ['echoes it in headers', async (_url, init) => new Response('{}', { headers: echoingHeaders(init) })],
  ['echoes it in a body', async () => new Response(echo, { headers: json })],
  ['echoes it in an error', async () => new Response(echo, { status: 400, headers: json })],
  ['echoes it in a 401', async () => new Response(echo, { status: 401, headers: json })],
  ['echoes it in a crash', async () => new Response(echo, { status: 500, headers: json })],
  ['echoes it one byte at a time', async () => new Response(inChunks(echo, 1), { headers: json })],
  ['echoes it cut in two', async () => new Response(inChunks(`${'x'.repeat(9)}${echo}`, 45), { headers: json })],
  [
    'redirects with it',
    async () => new Response(null, { status: 302, headers: { Location: `https://evil.example/${secretKey}` } }),
  ],
  [
    'answers with a page',
    async () => new Response(`<h1>${secretKey}</h1>`, { status: 502, headers: { 'Content-Type': 'text/html' } }),
  ],
  [
    'answers with a type that names it',
    async () => new Response('x', { headers: { 'Content-Type': `application/json; k=${secretKey}` } }),
  ],
  ['sets it as a cookie', async () => new Response('{}', { headers: { ...json, 'Set-Cookie': `k=${secretKey}` } })],
  [
    'streams it',
    async () =>
      new Response(inChunks(`event: payment\ndata: ${secretKey}\n\n`, 20), {
        headers: { 'Content-Type': 'text/event-stream' },
      }),
  ],
  ['is a fetch that throws it', async () => Promise.reject(new TypeError(`fetch failed: Bearer ${secretKey}`))],
];

const requests: [string, string][] = [
  ['POST', '/v1/payments'],
  ['GET', `/v1/payments/${paymentId}`],
  ['POST', `/v1/payments/${paymentId}/confirm`],
  ['GET', `/v1/payments/${paymentId}/stream`],
  ['GET', '/v1/payments'],
  ['GET', '/v1/nothing'],
  ['DELETE', '/v1/payments'],
  ['OPTIONS', '/v1/payments'],
];

function ask(method: string, path: string): Request {
  return new Request(`https://shop.example${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', 'Pay-Client-Secret': clientSecret, Origin: 'https://shop.example' },
    ...(method === 'POST' ? { body: '{"token":"tok_visa"}' } : {}),
  });
}

async function everythingOf(response: Response): Promise<string> {
  return JSON.stringify([response.status, response.statusText, [...response.headers], await response.text()]);
}

describe('the secret key never reaches the browser when the service', () => {
  it.each(services)('%s', async (_case, fetch) => {
    const options: PayProxyOptions = {
      baseUrl: 'https://pay.example',
      secretKey,
      fetch,
      authorize: (_request, operation) => (operation === 'payments.list' ? {} : true),
      price: () => ({}) as never,
    };
    for (const [method, path] of requests) {
      const answer = await everythingOf(await createPayProxy(options)(ask(method, path)));
      expect(answer, `${method} ${path}`).not.toContain(secretKey);
      expect(answer, `${method} ${path}`).not.toContain(secretKey.slice(8));
    }
  });
});

it('returns everything but the key unchanged, byte for byte', async () => {
  const text = `sk_test_ sk_test_9fK ${secretKey.slice(0, -1)}x Grüße ${secretKey} sk_sk_test_9fKq2mZx7Lw4Tb8Rv1Nc ${secretKey.slice(0, -1)}`;
  for (let size = 1; size < 80; size++) {
    const proxy = createPayProxy({
      baseUrl: 'https://pay.example',
      secretKey,
      authorize: () => true,
      fetch: async () => new Response(inChunks(text, size), { headers: json }),
    });
    const response = await proxy(ask('GET', `/v1/payments/${paymentId}`));
    expect(await response.text()).toBe(text.replaceAll(secretKey, '[redacted]'));
  }
});

it.each<[string, number, string, Response]>([
  ['a 401', 424, 'upstream_failed', new Response('{}', { status: 401, headers: json })],
  [
    'a redirect',
    424,
    'upstream_failed',
    new Response(null, { status: 307, headers: { Location: 'https://x.example/' } }),
  ],
  ['a page', 424, 'upstream_failed', new Response('<p>', { headers: { 'Content-Type': 'text/html' } })],
  [
    "a gateway's page",
    503,
    'unavailable',
    new Response('<p>', { status: 504, headers: { 'Content-Type': 'text/html' } }),
  ],
])('returns a regular API error for %s', async (_case, status, code, answer) => {
  const errors: unknown[] = [];
  const proxy = createPayProxy({
    baseUrl: 'https://pay.example/',
    secretKey,
    authorize: () => ({ body: {} }),
    fetch: async () => answer,
    onError: error => errors.push(error),
  });
  const response = await proxy(ask('POST', '/v1/payments'));
  expect(response.status).toBe(status);
  const { error } = (await response.json()) as { error: Record<string, unknown> };
  expect(error).toMatchObject({ code, param: null, errors: [], doc_url: `https://pay.example/docs/errors/${code}` });
  expect(error['request_id']).toBe(response.headers.get('request-id'));
  expect(errors).toHaveLength(1);
});
