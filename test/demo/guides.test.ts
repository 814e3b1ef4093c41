import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Keypair } from '@stellar/stellar-sdk';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { prepareAccount } from '../../demo/guides/go-live.ts';
import { sellByLink } from '../../demo/guides/make-a-link.ts';
import { moveTheClock } from '../../demo/guides/move-the-clock.ts';
import { payWages } from '../../demo/guides/pay-many.ts';
import { createProxyServer } from '../../demo/guides/proxy-server.ts';
import { sendAnInvoice } from '../../demo/guides/send-an-invoice.ts';
import { settleOnStellar } from '../../demo/guides/settle-on-stellar.ts';
import { takePayment } from '../../demo/guides/take-a-payment.ts';
import { takeCrypto } from '../../demo/guides/take-crypto.ts';
import { takeMobileMoney } from '../../demo/guides/take-mobile-money.ts';
import { createWebhookReceiver, shipWhenPaid } from '../../demo/guides/webhook-receiver.ts';
import { createPayClient, type PayClient } from '../../src/api/client.ts';
import type { WebhookEvent } from '../../src/webhooks/index.ts';
import { startTestApp, type TestApp } from '../support/app.ts';

let app: TestApp;
let url = '';
let pay: PayClient;
const servers: Server[] = [];

beforeAll(async () => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  app = await startTestApp({
    clock: { now: () => new Date() },
    sweeping: true,
    settings: { PAY_WEBHOOK_ALLOW_LOOPBACK: '1' },
    publicUrl: () => url,
  });
  await app.app.http.listen({ port: 0, host: '127.0.0.1' });
  url = addressOf(app.app.http.server);
  pay = createPayClient({ baseUrl: url, apiKey: app.merchant.secretKey });
});
afterAll(() => app?.close());
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function listen(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return addressOf(server);
}

it('a program takes a payment, follows it and refunds half of it', async () => {
  const { payment, refund, types } = await takePayment(url, app.merchant.secretKey);
  expect(payment).toMatchObject({ status: 'completed', method: 'card', amount_received: 4200 });
  expect(refund).toMatchObject({ amount: 2100, payment: payment.id });
  expect(types).toEqual(expect.arrayContaining(['payment.created', 'payment.completed', 'refund.created']));
});

it('a program sends an invoice and collects its deposit and instalments', async () => {
  const invoice = await sendAnInvoice(url, app.merchant.secretKey);
  // 12.5 h at €120 and 103 at €30, less 10 %; VAT of 25 % on €1,350 and of 6 % on €2,781.
  expect(invoice).toMatchObject({ status: 'paid', subtotal: 459_000, discount_total: 45_900, amount_remaining: 0 });
  expect(invoice.taxes.map(({ amount }) => amount)).toEqual([33_750, 16_686]);
  expect(invoice.total).toBe(413_100 + 33_750 + 16_686);
});

it('a program pays wages to several people at once, and once however often it runs', async () => {
  const batch = await payWages(url, app.merchant.secretKey, '2026-11');
  expect(batch).toMatchObject({ status: 'partially_completed', counts: { total: 3, completed: 2, failed: 1 } });
  expect((await payWages(url, app.merchant.secretKey, '2026-11')).id).toBe(batch.id);
});

const aPayment = {
  amount: 100,
  currency: 'EUR',
  settlement_asset: 'USDC',
  settlement_network: 'stellar',
  payment_methods: ['crypto' as const],
  customer: { email: 'ada@example.com' },
};

it('a program takes a payment in crypto, and its settlement in the requested asset is pending', async () => {
  // After its first start the service creates its accounts on the network. Only then can it accept payments.
  const { id } = await pay.payments.create(aPayment);
  const offered = async () => (await pay.payments.options(id)).crypto?.assets.map(({ asset }) => asset) ?? [];
  await expect.poll(offered, { timeout: 15_000 }).toContain('XLM');
  const payment = await takeCrypto(url, app.merchant.secretKey);
  expect(payment).toMatchObject({ status: 'completed', method: 'crypto', amount_received: 4200, exception: null });
  expect(payment.settlement).toMatchObject({ asset: 'USDC', status: 'pending' });
});

it('a program takes a payment by mobile money, after one refusal on the phone', async () => {
  const { payment, refusal } = await takeMobileMoney(url, app.merchant.secretKey);
  const wallet = { provider: 'mtn', number: '+256772123789' };
  expect(payment).toMatchObject({ status: 'completed', method: 'mobile_money', mobile_money: wallet });
  expect(refusal).toBe('prompt_refused');
});

it('a program waits until a card payment is settled on Stellar', async () => {
  const account = Keypair.random().publicKey();
  await fetch(`${url}/sandbox/horizon/friendbot?addr=${account}`, { method: 'POST' });
  const { settlement, transaction } = await settleOnStellar(url, app.merchant.secretKey, account);
  expect(settlement).toMatchObject({ status: 'settled', asset: 'XLM', delivery: 'payment' });
  expect(transaction).toMatchObject({ successful: true, ledger: settlement.ledger });
});

it('a program sells by a payment link, once', async () => {
  const { link, payments } = await sellByLink(url, app.merchant.secretKey);
  expect(link).toMatchObject({ status: 'completed', uses: 1 });
  expect(payments).toMatchObject([{ status: 'completed', amount_received: 4990, payment_link: link.id }]);
});

it('a program prepares an account', async () => {
  const { secretKey } = await app.addMerchant();
  const shop = {
    name: 'Nordlys Supply',
    origin: 'https://shop.example.com',
    supportEmail: 'help@example.com',
    stellarAddress: Keypair.random().publicKey(),
    webhookUrl: 'http://127.0.0.1:3001/webhooks',
  };
  expect(await prepareAccount(url, secretKey, shop)).toMatch(/^whsec_/);
  const account = await createPayClient({ baseUrl: url, apiKey: secretKey }).account.retrieve();
  expect(account).toMatchObject({ name: shop.name, allowed_origins: [shop.origin], client_amounts: false });
});

it('a program meets a declined card, and moves the test clock until the payment expires', async () => {
  const { secretKey } = await app.addMerchant();
  const end = { declined: 'insufficient_funds', status: 'failed', phase: 'expired' };
  expect(await moveTheClock(url, secretKey)).toEqual(end);
});

it("a shop's server takes a payment at its own price, for its own visitors, without a key in the page", async () => {
  const shop = await listen(createProxyServer(url, app.merchant.secretKey));
  const ask = (path: string, headers: Record<string, string>, body?: unknown) =>
    fetch(`${shop}/pay/v1${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const order = { amount: 1, metadata: { product: 'blanket' }, customer: { email: 'ada@example.com' } };
  const visitor = { Cookie: 'visitor=1' };

  expect((await ask('/payments', {}, order)).status).toBe(403);
  expect((await ask('/payments', visitor, { ...order, metadata: { product: 'yacht' } })).status).toBe(404);
  const created = await ask('/payments', visitor, order);
  const payment = (await created.json()) as { id: string; client_secret: string; amount: number };
  expect([created.status, payment.amount]).toEqual([201, 14_900]);

  const payer = { 'Pay-Client-Secret': payment.client_secret };
  expect(await (await ask(`/payments/${payment.id}/options`, payer)).json()).toHaveProperty('card');
  const confirmed = await ask(`/payments/${payment.id}/confirm`, payer, { method: 'card', token: 'tok_visa' });
  expect(confirmed.status).toBe(200);
  await expect.poll(async () => (await pay.payments.retrieve(payment.id)).status).toBe('completed');

  const other = { 'Pay-Client-Secret': payment.client_secret.replace(/.$/, end => (end === 'a' ? 'b' : 'a')) };
  expect((await ask(`/payments/${payment.id}`, other)).status).toBe(403);
  expect((await ask('/payments', visitor)).status).toBe(403);
  expect((await ask(`/payments/${payment.id}/refunds`, { ...visitor, ...payer }, {})).status).toBe(403);
});

it('a receiver handles simultaneous deliveries of an event once, and again after a failure', async () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  let calls = 0;
  let read = 0;
  let bothRead = Promise.withResolvers<void>();
  const server = createWebhookReceiver([secret], async () => {
    const isFirst = ++calls === 1;
    await bothRead.promise;
    if (isFirst) throw new Error('The database does not answer.');
  });
  server.on('request', request => request.on('end', () => ++read % 2 === 0 && setImmediate(bothRead.resolve)));
  const receiver = await listen(server);
  const deliver = async () => {
    const body = JSON.stringify({ id: 'evt_1', type: 'payment.completed' });
    const at = new Date();
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('evt_1', at, body),
    };
    return (await fetch(receiver, { method: 'POST', headers, body })).status;
  };
  expect([await Promise.all([deliver(), deliver()]), calls]).toEqual([[500, 500], 1]);
  bothRead = Promise.withResolvers();
  expect([await Promise.all([deliver(), deliver()]), calls]).toEqual([[204, 204], 2]);
  expect([await deliver(), calls]).toEqual([204, 2]);
});

it('a receiver handles a signed webhook once, and ships an order that is paid in full', async () => {
  const events: WebhookEvent[] = [];
  const secrets: string[] = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'];
  const receiver = await listen(createWebhookReceiver(secrets, async event => void events.push(event)));
  expect((await fetch(receiver, { method: 'POST', body: '{"type":"payment.completed"}' })).status).toBe(400);

  const endpoint = await pay.webhookEndpoints.create({ url: receiver, events: ['payment.completed'] });
  secrets.push(endpoint.secret ?? '');
  const { payment } = await takePayment(url, app.merchant.secretKey);
  // The event of an earlier payment may be dispatched after the endpoint was created.
  const received = () => events.filter(({ data }) => data.object.id === payment.id);
  await expect.poll(() => received().length, { timeout: 10_000 }).toBe(1);
  const [event] = received();
  if (!event) throw new Error('no event');

  await pay.events.redeliver(event.id);
  const delivered = async () =>
    (await pay.webhookEndpoints.deliveries(endpoint.id)).data.filter(
      ({ status, event: of }) => status === 'delivered' && of === event.id,
    ).length;
  await expect.poll(delivered, { timeout: 10_000 }).toBe(2);
  expect(received()).toHaveLength(1);

  expect(await shipWhenPaid(event, () => 4200)).toBe('A-1042');
  expect(await shipWhenPaid(event, () => 200_000)).toBeNull();
});
