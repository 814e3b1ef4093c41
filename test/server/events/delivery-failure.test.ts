import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSink, createWebhookLab, day, type Sink, verified, type WebhookLab } from './webhook-lab.ts';

let lab: WebhookLab;
let sink: Sink;

beforeAll(async () => {
  lab = await createWebhookLab();
  sink = await createSink();
});
afterAll(async () => {
  await sink.close();
  await lab.close();
});

/** Sends one event to an endpoint with this path, in one attempt. */
async function attempt(path: string, timeoutMs = 10_000) {
  const merchant = await lab.addMerchant();
  const endpoint = await lab.addEndpoint(merchant, `${sink.url}${path}`);
  await lab.addEvent(merchant);
  const began = Date.now();
  await lab.sweeper({ timeoutMs }).runAll();
  const [delivery] = await lab.deliveries(endpoint.id);
  const ended = Date.now();
  return { merchant, endpoint, delivery: delivery!, began, ended, elapsedMs: ended - began };
}

/** Expects the next attempt `seconds` after the end of this one, within `slackMs`. */
function expectWait(made: Awaited<ReturnType<typeof attempt>>, seconds: number, slackMs = 0): void {
  const from = (made.delivery.next_attempt_at?.getTime() ?? 0) - seconds * 1_000;
  expect(from).toBeGreaterThanOrEqual(made.began - slackMs);
  expect(from).toBeLessThanOrEqual(made.ended + slackMs);
}

describe('an attempt fails', () => {
  const cases: [string, (response: ServerResponse) => void, { last_error: string; response_status?: number | null }][] =
    [
      ['a server error', r => r.writeHead(500).end(), { last_error: 'http_error', response_status: 500 }],
      ['a client error', r => r.writeHead(404).end(), { last_error: 'http_error', response_status: 404 }],
      ['no answer in time', () => undefined, { last_error: 'timeout', response_status: null }],
      ['headers, but a body that never ends', r => void r.write('x'), { last_error: 'timeout', response_status: null }],
      ['a broken connection', r => r.destroy(), { last_error: 'connection_reset', response_status: null }],
      ['an answer that is not HTTP', r => r.socket?.end('nonsense\r\n\r\n'), { last_error: 'invalid_answer' }],
    ];
  it.each(cases)('by %s', async (name, handler, expected) => {
    const path = `/${encodeURIComponent(name)}`;
    sink.answer(path, handler);
    const made = await attempt(path, expected.last_error === 'timeout' ? 400 : undefined);
    expect(made.delivery).toMatchObject({ status: 'pending', attempts: 1, ...expected });
    expectWait(made, 5);
    expect(made.elapsedMs).toBeLessThan(2_000);
  });

  it.each([301, 302, 303, 307, 308])('by a redirect (%d), which is not followed', async status => {
    sink.answer(`/redirect/${status}`, r => r.writeHead(status, { location: `${sink.url}/secret/${status}` }).end());
    const { delivery } = await attempt(`/redirect/${status}`);
    expect(delivery).toMatchObject({ status: 'pending', last_error: 'redirect', response_status: status });
    expect(sink.at(`/secret/${status}`)).toEqual([]);
  });

  it('by a slow body that takes longer than an attempt may', async () => {
    sink.answer('/drip', response => {
      const timer = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(timer));
    });
    const { delivery, elapsedMs } = await attempt('/drip', 500);
    expect(delivery).toMatchObject({ status: 'pending', last_error: 'timeout' });
    expect(elapsedMs).toBeLessThan(2_000);
  });

  it('when nothing listens', async () => {
    const merchant = await lab.addMerchant();
    const gone = await createSink();
    await gone.close();
    const endpoint = await lab.addEndpoint(merchant, gone.url);
    await lab.addEvent(merchant);
    await lab.sweeper().runAll();
    expect(await lab.deliveries(endpoint.id)).toMatchObject([{ status: 'pending', last_error: 'connection_refused' }]);
  });

  it('when the certificate is invalid, before anything is sent', async () => {
    const pem = readFileSync(join(import.meta.dirname, 'self-signed.pem'));
    let requests = 0;
    const server = createHttpsServer({ key: pem, cert: pem }, (_request, response) => {
      requests++;
      response.end();
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const merchant = await lab.addMerchant();
    const url = `https://localhost:${(server.address() as AddressInfo).port}/`;
    const endpoint = await lab.addEndpoint(merchant, url);
    await lab.addEvent(merchant);
    await lab.sweeper().runAll();
    server.close();
    expect(await lab.deliveries(endpoint.id)).toMatchObject([{ status: 'pending', last_error: 'tls_error' }]);
    expect(requests).toBe(0);
  });
});

it('succeeds without reading all of an endless response', async () => {
  let sent = 0;
  sink.answer('/flood', response => {
    const chunk = Buffer.alloc(16 * 1024);
    const push = () => {
      while (!response.destroyed && sent < 100 * 1024 * 1024) {
        sent += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', push);
      }
      response.end();
    };
    push();
  });
  const { delivery } = await attempt('/flood', 5_000);
  expect(delivery).toMatchObject({ status: 'delivered', response_status: 200 });
  expect(sent).toBeLessThan(20 * 1024 * 1024);
});

describe('Retry-After', () => {
  const inTwoMinutes = () => new Date(Date.now() + 120_000).toUTCString();
  it.each([
    ['a number of seconds', () => '120', 120],
    ['a date', inTwoMinutes, 120],
    ['less than the schedule', () => '1', 5],
    ['more than a day', () => '9000000', 86_400],
    ['nonsense', () => 'soon', 5],
    ['a past date', () => 'Wed, 21 Oct 2015 07:28:00 GMT', 5],
  ])('with %s sets the time of the next attempt', async (name, value, seconds) => {
    const path = `/retry-after/${encodeURIComponent(name)}`;
    sink.answer(path, response => response.writeHead(429, { 'retry-after': value() }).end());
    // A date has whole seconds only.
    expectWait(await attempt(path), seconds, 1_000);
  });
});

describe('an endpoint that answers 410', () => {
  // A separate lab, because retries of the other tests would delay this test.
  let calm: WebhookLab;
  beforeAll(async () => {
    calm = await createWebhookLab();
  });
  afterAll(() => calm.close());

  it('is disabled at once, and its pending deliveries are canceled', async () => {
    const merchant = await calm.addMerchant();
    const endpoint = await calm.addEndpoint(merchant, `${sink.url}/gone`);
    const open = await calm.addEndpoint(merchant, `${sink.url}/not-gone`);
    sink.answer('/gone', (response, count) => response.writeHead(count === 1 ? 500 : 410).end());
    const sweeper = calm.sweeper();
    await calm.addEvent(merchant);
    await sweeper.runAll();
    await calm.addEvent(merchant);
    await sweeper.runAll();
    await calm.advance(merchant, 60_000);
    await calm.addEvent(merchant);
    await sweeper.runAll();
    const statuses = (await calm.deliveries(endpoint.id)).map(delivery => delivery.status);
    expect([statuses, sink.at('/gone').length]).toEqual([['canceled', 'failed'], 2]);
    expect((await calm.deliveries(open.id)).map(delivery => delivery.status)).toEqual(Array(3).fill('delivered'));
    expect(await endpointRow(endpoint.id, calm)).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
  });
});

async function endpointRow(id: string, { database } = lab) {
  return await database.db.selectFrom('webhook_endpoints').selectAll().where('id', '=', id).executeTakeFirst();
}

it('an endpoint without a success for five days of merchant time is disabled, and the merchant is notified', async () => {
  const merchant = await lab.addMerchant();
  const endpoint = await lab.addEndpoint(merchant, `${sink.url}/dead`);
  sink.answer('/dead', response => response.writeHead(500).end());
  const sweeper = lab.sweeper();
  await lab.addEvent(merchant);
  await sweeper.runAll();
  await lab.advance(merchant, 5 * day - 60_000);
  await sweeper.runAll();
  expect(await endpointRow(endpoint.id)).toMatchObject({ status: 'enabled' });
  await lab.advance(merchant, day);
  await sweeper.runAll();
  expect(await endpointRow(endpoint.id)).toMatchObject({ status: 'disabled', disabled_reason: 'failing' });
  expect(lab.log.lines.map(line => line.details)).toContainEqual(
    expect.objectContaining({ merchantId: merchant, endpointId: endpoint.id, reason: 'failing' }),
  );
});

it('a success restarts the five days', async () => {
  const merchant = await lab.addMerchant();
  const endpoint = await lab.addEndpoint(merchant, `${sink.url}/shaky`);
  sink.answer('/shaky', (response, count) => response.writeHead(count === 2 ? 200 : 500).end());
  const sweeper = lab.sweeper();
  for (let attempts = 1; attempts <= 3; attempts++) {
    await lab.addEvent(merchant);
    await sweeper.runAll();
    await lab.advance(merchant, 3 * day);
  }
  expect(await endpointRow(endpoint.id)).toMatchObject({ status: 'enabled' });
});

it('after a rotation both secrets sign for a day, then only the new one', async () => {
  const merchant = await lab.addMerchant();
  const endpoint = await lab.addEndpoint(merchant, `${sink.url}/rotated`);
  await lab.addEvent(merchant);
  const fresh = await lab.rotate(merchant, endpoint);
  const sweeper = lab.sweeper();
  await sweeper.runAll();
  await lab.advance(merchant, day + 1000);
  await lab.addEvent(merchant);
  await sweeper.runAll();
  const [during, after] = sink.at('/rotated');
  expect(verified(during!, endpoint.secret).id).toBe(verified(during!, fresh).id);
  expect(verified(after!, fresh).type).toBe('payment.completed');
  expect(() => verified(after!, endpoint.secret)).toThrow();
});
