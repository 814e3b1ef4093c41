import { once } from 'node:events';
import { cp, mkdir, rm, symlink } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { verifyWebhook } from '../../src/webhooks/index.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

const secretKey = `sk_test_${'s'.repeat(32)}`;
const root = join(import.meta.dirname, '../..');
let folder: string;
let server: ServerProcess;

/** Installs the built service with only its production packages, like `npm run build` and `npm ci --omit=dev`. */
async function installForProduction(): Promise<void> {
  await cp(join(root, 'dist/server'), join(folder, 'dist/server'), { recursive: true });
  await mkdir(join(folder, 'node_modules'));
  const packages = Object.keys(packageJson.dependencies).map(name => `node_modules/${name}`);
  for (const path of [...packages, 'dist/browser', 'dist/docs', 'demo', 'package.json']) {
    await symlink(join(root, path), join(folder, path));
  }
}

beforeAll(async () => {
  folder = makeDataFolder('pay-bundle-');
  await installForProduction();
  const settings = { PAY_DATA_DIR: join(folder, 'data'), PAY_SECRET_KEY: secretKey, PAY_WEBHOOK_ALLOW_LOOPBACK: '1' };
  server = await startServerProcess(settings, folder);
}, 60_000);
afterAll(async () => {
  await server?.stop('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

async function post(path: string, body: object, key: string) {
  const headers = { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json', 'idempotency-key': key };
  const answer = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: answer.status, body: await answer.json() };
}

/** A receiver of webhooks on this machine; `next` is the first delivery. */
async function receiver() {
  const http = createServer();
  const next = new Promise<{ headers: IncomingHttpHeaders; body: string }>(resolve =>
    http.on('request', async (request, response) => {
      resolve({ headers: request.headers, body: await text(request) });
      response.end();
    }),
  );
  await once(http.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`, next, close: () => http.close() };
}

describe('the bundled server with its production packages', () => {
  it.each([
    ['/demo/', 'text/html', '<script'],
    ['/pay-checkout.js', 'application/javascript', 'pay-checkout'],
    ['/docs', 'text/html', 'Documentation'],
    ['/openapi.json', 'application/json', '"openapi"'],
    ['/metrics', 'text/plain', 'process_resident_memory_bytes'],
    ['/readyz', 'application/json', '"ready"'],
  ])('answers %s', async (path, type, part) => {
    const answer = await fetch(`${server.url}${path}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringContaining(type)]);
    expect(await answer.text()).toContain(part);
  });

  it.each(['en', 'ar', 'ja', 'zh', 'ko'])(
    'draws an invoice in %s with the bundled fonts and libraries',
    async locale => {
      const lines = [
        { description: 'Lens 鏡 عدسة 렌즈 עדשה เลนส์ লেন্স லென்ஸ் ლინზა ոսպնյակ 😀', quantity: 2, unit_amount: 1_250 },
      ];
      // An e-invoice needs the seller's tax number and both countries.
      const seller = JSON.stringify({ address: { country: 'DE' }, tax_id: 'DE123456789' });
      const headers = { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' };
      await fetch(`${server.url}/v1/account`, { method: 'PATCH', headers, body: seller });
      const customer = { email: 'ada@example.com', name: 'Ada', address: { country: 'DE' } };
      const draft = { customer, currency: 'EUR', lines, locale };
      const invoice = await post('/v1/invoices', draft, `draft-${locale}`);
      expect((await post(`/v1/invoices/${invoice.body.id}/send`, {}, `send-${locale}`)).status).toBe(200);
      const answer = await fetch(`${server.url}/v1/invoices/${invoice.body.id}/pdf`, { headers });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/pdf']);
      const pdf = Buffer.from(await answer.arrayBuffer()).toString('latin1');
      expect(pdf).toMatch(/^%PDF-1\.7[\s\S]*\+NotoSans(Arabic|JP|SC|KR)[\s\S]*factur-x\.xml[\s\S]*%%EOF\n?$/);
    },
  );

  it('gives the account the demo shop’s name and logo when a visitor first acts in the shop', async () => {
    await fetch(`${server.url}/demo/api/orders`, { method: 'POST' });
    const read = async () => {
      const answer = await fetch(`${server.url}/v1/account`, { headers: { authorization: `Bearer ${secretKey}` } });
      return await answer.json();
    };
    await expect.poll(read, { timeout: 5000 }).toMatchObject({
      name: 'Nordlys Supply',
      branding: { logo: expect.stringMatching(/^(data:image|https?:)/) },
    });
  });

  it('calculates the days of a recurring invoice', async () => {
    const lines = [{ description: 'Rent', quantity: 1, unit_amount: 50_000 }];
    const invoice = { customer: { email: 'ada@example.com' }, currency: 'EUR', lines };
    const rule = { rrule: 'FREQ=MONTHLY;BYMONTHDAY=-1', starts_on: '2096-02-01', invoice };
    const recurring = await post('/v1/recurring-invoices', rule, 'recurring');
    expect([recurring.status, recurring.body.next_on]).toEqual([201, '2096-02-29']);
  });

  it('takes a card payment, sends a webhook and shuts down gracefully', async () => {
    const shop = await receiver();
    const endpoint = await post('/v1/webhook-endpoints', { url: shop.url, events: ['payment.completed'] }, 'endpoint');
    expect(endpoint.status).toBe(201);
    const order = {
      amount: 12_840,
      currency: 'EUR',
      settlement_asset: 'USDC',
      settlement_network: 'stellar',
      payment_methods: ['card'],
      customer: { email: 'ada@example.com' },
    };
    const payment = await post('/v1/payments', order, 'order');
    const confirmed = await post(`/v1/payments/${payment.body.id}/confirm`, { method: 'card', token: 'tok_visa' }, 'c');
    expect(confirmed.body).toMatchObject({ id: payment.body.id, status: 'completed' });
    const { headers, body } = await shop.next;
    const event = verifyWebhook({ payload: body, headers, secret: endpoint.body.secret });
    expect(event).toMatchObject({ type: 'payment.completed', data: { object: { id: payment.body.id } } });
    shop.close();
    expect(await server.stop('SIGTERM')).toBe(0);
  }, 30_000);
});
