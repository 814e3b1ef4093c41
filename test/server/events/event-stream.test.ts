import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { readServerSentEvents } from '../../../src/api/client/server-sent-events.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { listen, startTestApp, type TestApp, type TestMerchant } from '../../support/app.ts';

let app: TestApp;
let url: string;
let shop: TestMerchant;
let closing: AbortController;

beforeAll(async () => {
  app = await startTestApp({ clock: systemClock });
  url = `http://127.0.0.1:${await listen(app)}/v1/events/stream`;
});
afterAll(() => app.close());
beforeEach(async () => {
  shop = await app.addMerchant();
  closing = new AbortController();
});
afterEach(() => closing.abort());

interface Message {
  readonly id: string;
  readonly event: string;
  readonly data: { readonly id: string; readonly type: string };
}

async function open(key: string, lastEventId?: string): Promise<Response> {
  return await fetch(url, {
    signal: closing.signal,
    headers: { authorization: `Bearer ${key}`, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) },
  });
}

/** Follows the stream; `take` waits for `count` messages. */
async function follow(key = shop.secretKey, lastEventId?: string) {
  const response = await open(key, lastEventId);
  const messages = readServerSentEvents(response.body!);
  return {
    response,
    take: async (count: number): Promise<Message[]> => {
      const taken: Message[] = [];
      while (taken.length < count) {
        const { value, done } = await messages.next();
        if (done) throw new Error('the stream ended');
        taken.push({ id: value.id, event: value.event, data: JSON.parse(value.data) });
      }
      return taken;
    },
  };
}

async function trigger(type = 'payment.created', merchant = shop): Promise<string> {
  const { body } = await app.request('POST /v1/test_helpers/events', { key: merchant.secretKey, body: { type } });
  return body.id;
}

it('opens at most 50 streams for a key, and a closed stream frees its place', async () => {
  const [first, ...others] = await Promise.all(Array.from({ length: 50 }, () => openAlone()));
  expect([first, ...others].map(stream => stream?.response.status)).toEqual(Array(50).fill(200));
  const refused = await open(shop.secretKey);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
  expect((await refused.json()).error.code).toBe('rate_limited');
  expect((await open((await app.addMerchant()).secretKey)).status).toBe(200);
  first?.end.abort();
  await expect.poll(async () => (await open(shop.secretKey)).status).toBe(200);
});

async function openAlone() {
  const end = new AbortController();
  const signal = AbortSignal.any([end.signal, closing.signal]);
  return { end, response: await fetch(url, { signal, headers: { authorization: `Bearer ${shop.secretKey}` } }) };
}

it('sends new events at once, to their merchant only', async () => {
  await trigger();
  const stream = await follow();
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(stream.response.headers.get('cache-control')).toContain('no-store');
  expect(stream.response.headers.get('request-id')).toMatch(/^req_/);
  await trigger('payment.created', await app.addMerchant());
  const began = Date.now();
  const ids = [await trigger('payment.completed'), await trigger('refund.failed')];
  const messages = await stream.take(2);
  expect(Date.now() - began).toBeLessThan(1_500);
  expect(messages.map(message => [message.event, message.id, message.data.id])).toEqual(
    ids.map(id => ['event', id, id]),
  );
});

it('continues after the client’s last event id, without loss or repetition', async () => {
  const first = await follow();
  const before = [await trigger(), await trigger()];
  const seen = await first.take(2);
  expect(seen.map(message => message.id)).toEqual(before);
  closing.abort();
  closing = new AbortController();
  const missed = [await trigger(), await trigger(), await trigger()];
  const second = await follow(shop.secretKey, before[1]!);
  const later = await trigger();
  expect((await second.take(4)).map(message => message.id)).toEqual([...missed, later]);
});

it('sends all events to a client that has seen none', async () => {
  const ids = [await trigger(), await trigger()];
  const stream = await follow(shop.secretKey, '0');
  ids.push(await trigger());
  expect((await stream.take(3)).map(message => message.id)).toEqual(ids);
});

it('follows the test clock', async () => {
  const stream = await follow();
  await app.request('POST /v1/test_helpers/clock', { key: shop.secretKey, body: { advance: 'P30D' } });
  const id = await trigger();
  expect((await stream.take(1)).map(message => message.id)).toEqual([id]);
});

it('sends events that were not notified', async () => {
  const stream = await follow();
  const { body } = await app.request('POST /v1/test_helpers/events', {
    key: shop.secretKey,
    body: { type: 'payment.created' },
  });
  await stream.take(1);
  const quiet = `evt_${'q'.repeat(22)}`;
  await app.database.pool.query(
    `insert into events (merchant_id, id, livemode, type, resource_id, sequence, object, api_version, created_at)
     select merchant_id, $2, livemode, type, resource_id, 2, object, api_version, now() from events where id = $1`,
    [body.id, quiet],
  );
  expect((await stream.take(1)).map(message => message.id)).toEqual([quiet]);
});

it('refuses invalid keys and unknown event ids', async () => {
  expect((await open(shop.publishableKey)).status).toBe(403);
  expect((await open('sk_test_wrong')).status).toBe(401);
  const stranger = await app.addMerchant();
  const refused = await open(stranger.secretKey, await trigger());
  expect([refused.status, (await refused.json()).error.code]).toEqual([400, 'invalid_cursor']);
});

it('closes the connection of a client that does not read', async () => {
  const message = await new Promise<IncomingMessage>(resolve => {
    httpRequest(url, { headers: { authorization: `Bearer ${shop.secretKey}` } }, resolve).end();
  });
  message.pause();
  const big = JSON.stringify({ text: 'x'.repeat(300_000) });
  await app.database.pool.query(
    `insert into events (merchant_id, id, livemode, type, resource_id, sequence, object, api_version, created_at)
     select $1, 'evt_' || n || repeat('x', 20), false, 'payment.created', 'pay_big', n, $2, '2026-11-01', now()
     from generate_series(10, 60) n`,
    [shop.id, big],
  );
  const connected = await connections();
  await trigger();
  const end = Date.now() + 10_000;
  while ((await connections()) >= connected) {
    if (Date.now() > end) throw new Error('the client was not dropped');
    await new Promise(resolve => setTimeout(resolve, 20));
  }
  const closed = new Promise(resolve => message.once('close', resolve));
  message.resume();
  await closed;
  expect(message.complete).toBe(false);
});

function connections(): Promise<number> {
  return new Promise(resolve => app.app.http.server.getConnections((_error, count) => resolve(count)));
}

it('ends when the server stops', async () => {
  const other = await startTestApp({ clock: systemClock });
  const port = await listen(other);
  const response = await fetch(`http://127.0.0.1:${port}/v1/events/stream`, {
    headers: { authorization: `Bearer ${other.merchant.secretKey}` },
  });
  const began = Date.now();
  const rest = response.text();
  await other.close();
  await rest;
  expect(Date.now() - began).toBeLessThan(3_000);
});
