import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { createPayProxy } from '../../src/proxy/index.ts';

const secretKey = 'sk_test_9fKq2mZx7Lw4Tb8Rv1Nc';
const paymentId = 'pay_3kTMd0PpC1hJ6nLq2uXs9B';
const payer = { 'Pay-Client-Secret': `${paymentId}_secret_aZ4mC1hJ6nLq2uXs9B0Pp8` };
const servers: Server[] = [];

async function listen(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  servers.push(server);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function shopBefore(service: RequestListener, wrap = (handle: RequestListener) => handle): Promise<string> {
  const proxy = createPayProxy({
    baseUrl: await listen(service),
    secretKey,
    basePath: '/api/pay',
    authorize: () => true,
    price: async request => (await request.json()) as never,
  });
  return listen(wrap(proxy));
}

function until(condition: () => boolean): Promise<void> {
  return expect.poll(condition, { timeout: 5000, interval: 5 }).toBe(true);
}

it('streams events as they happen, and closes the stream of the service when the browser leaves', async () => {
  let live: ServerResponse | undefined;
  let ended = false;
  const shop = await shopBefore((_request, response) => {
    live = response;
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write('event: payment\ndata: 1\n\n');
    response.on('close', () => {
      ended = true;
    });
  });
  const leave = new AbortController();
  const answer = await fetch(`${shop}/api/pay/v1/payments/${paymentId}/stream`, {
    headers: payer,
    signal: leave.signal,
  });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toBe('event: payment\ndata: 1\n\n');
  live?.write('event: payment\ndata: 2\n\n');
  expect((await reader?.read())?.value).toBe('event: payment\ndata: 2\n\n');
  expect(ended).toBe(false);
  leave.abort();
  await until(() => ended);
});

it.each([
  ['node:http', (handle: RequestListener) => handle],
  [
    'a framework that parsed the body and cut the mount path off',
    (handle: RequestListener): RequestListener =>
      async (request, response) => {
        const body: unknown = JSON.parse(await text(request));
        const parsed = { originalUrl: request.url, url: request.url?.replace('/api/pay', ''), body };
        handle(Object.assign(request, parsed), response);
      },
  ],
])('works under %s', async (_case, wrap) => {
  const seen: string[] = [];
  const service: RequestListener = async (request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization} ${await text(request)}`);
    response.writeHead(201, { 'Content-Type': 'application/json', 'Request-Id': 'req_1' }).end('{"id":"pay_1"}');
  };
  const shop = await shopBefore(service, wrap);
  const answer = await fetch(`${shop}/api/pay/v1/payments`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: shop },
    body: '{"amount":500}',
  });
  expect([answer.status, answer.headers.get('request-id'), await answer.text()]).toEqual([
    201,
    'req_1',
    '{"id":"pay_1"}',
  ]);
  expect(seen).toEqual([`POST /v1/payments Bearer ${secretKey} {"amount":500}`]);
});

it('forwards a long body completely', async () => {
  const long = JSON.stringify({ data: 'x'.repeat(3_000_000) });
  const shop = await shopBefore((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(long);
  });
  const answer = await fetch(`${shop}/api/pay/v1/payments/${paymentId}`, { headers: payer });
  expect((await answer.text()) === long).toBe(true);
});

/** Sends bytes that no browser would send. Returns the server's answer. */
function raw(address: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on('data', data => {
      answer += data.toString();
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
    setTimeout(() => socket.destroy(), 1000).unref();
  });
}

it.each([
  [
    'too long a body',
    'POST /api/pay/v1/payments HTTP/1.1\r\nHost: a.b\r\nContent-Type: application/json\r\nContent-Length: 9000000\r\n\r\n{',
    '413',
  ],
  ['an invalid Host', 'GET /api/pay/v1/payments HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', '400'],
  ['TRACE', 'TRACE /api/pay/v1/payments HTTP/1.1\r\nHost: a.b\r\nConnection: close\r\n\r\n', '400'],
  [
    'an absolute address',
    'GET http://evil.example/api/pay/v1/api-keys HTTP/1.1\r\nHost: a.b\r\nConnection: close\r\n\r\n',
    '404',
  ],
])('answers %s', async (_case, request, status) => {
  const shop = await shopBefore((_request, response) => response.writeHead(200).end());
  expect(await raw(shop, request)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
});

it('ends a call of a silent service after the configured timeout', async () => {
  const errors: unknown[] = [];
  const proxy = createPayProxy({
    baseUrl: await listen(() => undefined),
    secretKey,
    authorize: () => true,
    timeoutMs: 30,
    onError: error => errors.push(error),
  });
  for (const path of [`/v1/payments/${paymentId}`, `/v1/payments/${paymentId}/stream`]) {
    const answer = await proxy(new Request(`https://shop.example${path}`, { headers: payer }));
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
  }
  expect(errors).toHaveLength(2);
});

it('lets an event stream last longer than that timeout', async () => {
  const proxy = createPayProxy({
    baseUrl: await listen((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
      setTimeout(() => response.end('data: late\n\n'), 120);
    }),
    secretKey,
    authorize: () => true,
    // Enough for the first connection on a busy machine.
    timeoutMs: 2_000,
  });
  const request = new Request(`https://shop.example/v1/payments/${paymentId}/stream`, { headers: payer });
  expect(await (await proxy(request)).text()).toBe('data: late\n\n');
});
