import { afterEach, describe, expect, it } from 'vitest';
import type { Entry } from '../../demo/activity.ts';
import { createActivityLog } from '../../demo/server/visitors.ts';
import { createDemoShop, type DemoShop, type ShopKeys } from '../../demo/shop-server.ts';
import { readServerSentEvents } from '../../src/api/client/server-sent-events.ts';
import type { LineItem } from '../../src/api/line-item.ts';
import { systemClock } from '../../src/core/clock.ts';
import { createFakeService, type FakeService } from './fake-service.ts';

const secretKey = 'sk_test_9fKq2mZx7Lw4Tb8Rv1Nc';
const shopUrl = 'https://shop.example';
const open: { shop: DemoShop; service: FakeService }[] = [];

function start(options: { webhooks?: boolean; keys?: ShopKeys } = {}) {
  const service = createFakeService(options);
  const keys = options.keys ?? { secretKey, publishableKey: 'pk_test_1' };
  const shop = createDemoShop({
    baseUrl: () => shopUrl,
    serviceUrl: () => 'http://service.internal',
    keys: async () => keys,
    fetch: service.fetch,
  });
  open.push({ shop, service });
  return { shop, service, visitor: visitorOf(shop) };
}

afterEach(() => {
  for (const { shop, service } of open.splice(0)) {
    shop.close();
    service.close();
  }
});

/** A visitor with a cookie. */
function visitorOf(shop: DemoShop) {
  const cookie = shop.cookieFor(null)?.split(';')[0] ?? '';
  const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    shop.handle(
      new Request(`${shopUrl}/demo/api${path}`, {
        method,
        headers: {
          Cookie: cookie,
          Origin: shopUrl,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  return {
    ask,
    order: async (items: unknown = [{ product: 'mug', quantity: 2 }], way = 'proxy') =>
      (await (await ask('POST', '/orders', { way, items })).json()) as {
        number: string;
        total: number;
        subtotal: number;
      },
    read: async (path: string) => (await (await ask('GET', path)).json()) as Record<string, unknown>,
    /** The panel's entries once there are `count`. */
    async panel(count: number): Promise<Entry[]> {
      const leave = new AbortController();
      const stream = await shop.handle(
        new Request(`${shopUrl}/demo/api/activity`, { headers: { Cookie: cookie }, signal: leave.signal }),
      );
      const entries: Entry[] = [];
      if (!stream.body) throw new Error('no stream');
      for await (const { data } of readServerSentEvents(stream.body)) {
        entries.push(JSON.parse(data) as Entry);
        if (entries.length === count) break;
      }
      leave.abort();
      return entries;
    },
  };
}

const customer = { email: 'ada@example.com', name: 'Ada' };

describe("the shop's proxy", () => {
  it("creates the payment with the shop's own prices and ignores those of the browser", async () => {
    const { shop, service, visitor } = start();
    const { number } = await visitor.order([
      { product: 'merino', quantity: 1 },
      { product: 'mug', quantity: 2 },
    ]);
    const answer = await visitor.ask('POST', '/pay/v1/payments', {
      amount: 1,
      currency: 'IDR',
      customer,
      metadata: { order: number },
    });
    expect(answer.status).toBe(201);
    const sent = service.asked.find(({ line }) => line === 'POST /v1/payments');
    expect(sent?.headers.get('authorization')).toBe(`Bearer ${secretKey}`);
    expect(sent?.body).toMatchObject({ amount: 12_840, currency: 'EUR', customer, metadata: { order: number } });
    expect(sent?.body.receipts).toBe(true);
    const sum = sent?.body.line_items.reduce((total: number, item: { amount: number }) => total + item.amount, 0);
    expect(sum).toBe(12_840);
    const types = sent?.body.line_items.map(({ type = 'item', quantity }: LineItem) => `${quantity} ${type}`);
    expect(types).toEqual(['1 item', '2 item', '1 shipping']);
    const image: string = sent?.body.line_items[0].image;
    const picture = await shop.handle(new Request(image));
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect((await shop.handle(new Request(image.replace('merino', '..%2Fserver')))).status).toBe(404);
  });

  it("returns only the visitor's own orders", async () => {
    const { shop, service, visitor } = start();
    const { number } = await visitor.order();
    const other = visitorOf(shop);
    const answer = await other.ask('POST', '/pay/v1/payments', { customer, metadata: { order: number } });
    expect(answer.status).toBe(404);
    expect((await other.ask('GET', `/orders/${number}`)).status).toBe(404);
    expect(service.asked.some(({ line }) => line === 'POST /v1/payments')).toBe(false);
  });

  it('refuses refunds and payouts', async () => {
    const { visitor } = start();
    for (const path of ['/pay/v1/payouts/bulk', '/pay/v1/payments/pay_1/refunds']) {
      expect((await visitor.ask('POST', path, {})).status).toBe(403);
    }
  });
});

it.each([
  ['nothing', []],
  ['an unknown product', [{ product: 'yacht', quantity: 1 }]],
  ['a negative quantity', [{ product: 'mug', quantity: -3 }]],
  ['a fractional quantity', [{ product: 'mug', quantity: 0.5 }]],
  ['too large a quantity', [{ product: 'mug', quantity: 21 }]],
  ['a text instead of lines', 'mug'],
  ['a price', [{ product: { id: 'mug', price: 1 }, quantity: 1 }]],
])('refuses an order of %s', async (_case, items) => {
  const { visitor } = start();
  expect((await visitor.ask('POST', '/orders', { way: 'proxy', items })).status).toBe(400);
});

describe('a returning payer', () => {
  async function redirected(options = {}) {
    const world = start(options);
    const { number } = await world.visitor.order(undefined, 'redirect');
    const answer = await world.visitor.ask('POST', `/orders/${number}/checkout`, customer);
    const { checkout_url: address } = (await answer.json()) as { checkout_url: string };
    const paymentId = address.split('/').at(-1) ?? '';
    return { ...world, number, paymentId };
  }

  it("is sent to the hosted page, and back to the order's page", async () => {
    const { service, number, paymentId } = await redirected();
    expect(paymentId).toMatch(/^pay_/);
    const sent = service.asked.find(({ line }) => line === 'POST /v1/payments');
    expect(sent?.body.redirect_url).toBe(`${shopUrl}/demo/order?order=${number}`);
  });

  it('is shown as paid when the service confirms it', async () => {
    const { service, visitor, number, paymentId } = await redirected();
    const path = `/orders/${number}?payment_id=${paymentId}&status=completed`;
    expect(await visitor.read(path)).toMatchObject({ paid: false, payment: { status: 'pending' } });
    service.change(paymentId, { status: 'completed' });
    expect(await visitor.read(path)).toMatchObject({
      paid: true,
      paidBecause: 'read',
      payment: { status: 'completed' },
    });
  });

  it.each([
    ['a cheaper payment', { status: 'completed', amount: 1 }],
    ['another currency', { status: 'completed', currency: 'IDR' }],
    ['a failed payment', { status: 'failed' }],
    ['a refunded payment', { status: 'refunded' }],
  ])('is not shown as paid with %s', async (_case, fields) => {
    const { service, visitor, number, paymentId } = await redirected();
    service.change(paymentId, fields);
    expect(await visitor.read(`/orders/${number}?payment_id=${paymentId}`)).toMatchObject({
      paid: false,
      stranger: false,
    });
  });

  it.each(['pay_0000000000000000000009', '../account', 'evt_1'])(
    'is not shown as paid with another payment: %s',
    async id => {
      const { visitor, number } = await redirected();
      const answer = await visitor.read(`/orders/${number}?payment_id=${encodeURIComponent(id)}`);
      expect(answer).toMatchObject({ paid: false, stranger: true, payment: null });
    },
  );

  it('is not shown as paid with a completed payment of another order', async () => {
    const { shop, service, paymentId } = await redirected();
    service.change(paymentId, { status: 'completed' });
    const other = visitorOf(shop);
    const { number } = await other.order();
    expect(await other.read(`/orders/${number}?payment_id=${paymentId}`)).toMatchObject({
      paid: false,
      stranger: true,
    });
  });

  async function delivered(world: Awaited<ReturnType<typeof redirected>>, alter: (body: string) => string) {
    const { shop, service, paymentId } = world;
    await expect.poll(() => service.asked.some(({ line }) => line === 'POST /v1/webhook-endpoints')).toBe(true);
    service.change(paymentId, { status: 'completed' });
    const { body, headers } = service.delivery('payment.completed', paymentId);
    service.change(paymentId, { status: 'pending' });
    const request = new Request(`${shopUrl}/demo/api/webhooks`, { method: 'POST', headers, body: alter(body) });
    return (await shop.handle(request)).status;
  }

  it('is shown as paid at once after a signed webhook', async () => {
    const world = await redirected();
    expect(await delivered(world, body => body)).toBe(204);
    expect(await world.visitor.read(`/orders/${world.number}`)).toMatchObject({ paid: true, paidBecause: 'webhook' });
  });

  it('is not shown as paid after a webhook with a wrong signature', async () => {
    const world = await redirected();
    expect(await delivered(world, body => body.replace('evt_', 'evt_0'))).toBe(400);
    expect(await world.visitor.read(`/orders/${world.number}`)).toMatchObject({ paid: false });
  });
});

describe('the developer panel', () => {
  it("shows the browser's request and the service's request, with masked secrets", async () => {
    const { visitor } = start();
    const { number } = await visitor.order();
    const card = { number: '4242 4242 4242 4242', cvc: '737', exp_year: 2030 };
    const note = 'from 5555555555554444, +233200000001';
    const wrong = { card, note, token: 'tok_visa_12345', secret: 9512, more: 378282246310005 };
    await visitor.ask('POST', '/pay/v1/payments', { amount: 1, customer, metadata: { order: number }, ...wrong });
    const [call] = await visitor.panel(1);
    expect(call).toMatchObject({
      kind: 'call',
      from: 'proxy',
      method: 'POST',
      path: '/v1/payments',
      status: 201,
      received: {
        amount: 1,
        card: { number: '…4242', cvc: '…', exp_year: 2030 },
        note: 'from …4444, +233200000001',
        token: '…2345',
        secret: '…',
        more: '…0005',
      },
      request: { amount: 3_940 },
    });
    const text = JSON.stringify(call);
    expect(text).not.toContain(secretKey);
    expect(text).not.toMatch(/_secret_x"/);
    expect(text).toMatch(/_secret_…/);
  });

  it('keeps no large request bodies, and the newest 256 kB of entries', async () => {
    const { visitor } = start();
    const { number } = await visitor.order();
    const flood = { customer, metadata: { order: number }, filler: 'ä'.repeat(5_000) };
    await visitor.ask('POST', '/pay/v1/payments', flood);
    const [call] = await visitor.panel(1);
    expect(call).toMatchObject({ status: 201, received: expect.stringMatching(/^5\d{3} characters$/) });

    const log = createActivityLog({ clock: systemClock });
    for (let entry = 1; entry <= 40; entry++) log.add({ kind: 'event', type: `${entry}`, body: 'ä'.repeat(10_000) });
    const stream = log.stream(0, new AbortController().signal);
    log.close();
    const kept = [...(await stream.text()).matchAll(/"type":"(\d+)"/g)].map(match => Number(match[1]));
    // Each entry has slightly more than 20 kB.
    expect(kept).toEqual([28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40]);
  });

  it("shows events and webhooks of the visitor's own payments only", async () => {
    const { shop, service, visitor } = start();
    const { number } = await visitor.order();
    const answer = await visitor.ask('POST', '/pay/v1/payments', { customer, metadata: { order: number } });
    const { id } = (await answer.json()) as { id: string };
    await expect.poll(() => service.asked.some(({ line }) => line === 'POST /v1/webhook-endpoints')).toBe(true);
    const other = visitorOf(shop);
    await other.ask('GET', '/shop');
    service.tell('payment.created', id);
    const { body, headers } = service.delivery('payment.created', id);
    await shop.handle(new Request(`${shopUrl}/demo/api/webhooks`, { method: 'POST', headers, body }));
    const seen = await visitor.panel(3);
    expect(seen.map(({ kind }) => kind).sort()).toEqual(['call', 'event', 'webhook']);
    const late = await Promise.race([other.panel(1), new Promise(resolve => setTimeout(resolve, 50, 'nothing'))]);
    expect(late).toBe('nothing');
  });

  it('reports refused webhooks, and still updates the payments', async () => {
    const { service, visitor } = start({ webhooks: false });
    const { number } = await visitor.order();
    const answer = await visitor.ask('POST', '/pay/v1/payments', { customer, metadata: { order: number } });
    const { id } = (await answer.json()) as { id: string };
    service.change(id, { status: 'completed' });
    service.tell('payment.completed', id);
    await expect.poll(async () => (await visitor.read(`/orders/${number}`))['paidBecause']).toBe('event');
    const entries = await visitor.panel(3);
    expect(entries.find(({ kind }) => kind === 'notice')).toMatchObject({
      text: expect.stringContaining('private network'),
    });
  });
});

it('reports revoked keys', async () => {
  const { visitor } = start({ keys: { secretKey: null, publishableKey: null } });
  const answer = await visitor.ask('GET', '/shop');
  expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('keys')]);
});

it('adds nothing to the merchant’s account until a visitor acts', async () => {
  const { service, visitor } = start();
  for (const path of ['/shop', '/takings', '/orders/N-1234567']) await visitor.ask('GET', path);
  const changes = () => service.asked.map(({ line }) => line).filter(line => !line.startsWith('GET'));
  expect(changes()).toEqual([]);
  await visitor.order();
  expect(changes()).toContain('POST /v1/webhook-endpoints');
});

it('makes no call to the service before its first visitor', () => {
  const { service } = start();
  expect(service.asked).toEqual([]);
});
