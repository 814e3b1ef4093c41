import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright/test';
import { build, type Rolldown } from 'vite';
import { createPageServer } from '../../demo/guides/script-tag-page.ts';
import type { PayClient } from '../../src/api/client.ts';
import { expect, type Service, test } from './service.ts';

const servers: Server[] = [];
let service: Service;
let pay: PayClient;

test.beforeAll(({ service: shared }) => {
  service = shared;
  pay = shared.client;
});
test.afterAll(async () => {
  for (const server of servers) server.close();
  await pay.account.update({ allowed_origins: [] });
});

async function listen(server: Server): Promise<string> {
  servers.push(server);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function payByCard(page: Page): Promise<void> {
  const frame = page.frameLocator('iframe');
  await frame.getByLabel('Card number').fill('4242424242424242');
  await frame.getByLabel('Expires').fill('1230');
  await frame.getByLabel('Security code').fill('123');
  await frame.getByLabel('Name on card').fill('Ada Lovelace');
  await page.getByRole('button', { name: 'Pay €42.00' }).click();
}

test('a page with only a script tag takes a payment', async ({ page }) => {
  const shop = await listen(createPageServer(service.url, service.publishableKey));
  await pay.account.update({ allowed_origins: [shop] });
  await page.goto(shop);
  await payByCard(page);
  await expect(page.getByText(/^Paid: pay_/)).toBeVisible();
  const id = (await page.locator('#said').textContent())?.replace('Paid: ', '') ?? '';
  expect(await pay.payments.retrieve(id)).toMatchObject({ status: 'completed', amount: 4200, created_via: 'client' });
});

/** Bundles the guide as a shop does. Returns file name → code. */
async function bundle(): Promise<Map<string, string>> {
  const entry = join(import.meta.dirname, '../../demo/guides/npm-checkout.ts');
  const options = { lib: { entry, formats: ['es' as const], fileName: 'checkout' }, write: false };
  const built = (await build({ configFile: false, logLevel: 'error', build: options })) as Rolldown.RolldownOutput[];
  const chunks = built.flatMap(({ output }) => output).filter(file => file.type === 'chunk');
  return new Map(chunks.map(({ fileName, code }) => [`/${fileName}`, code]));
}

test('the element from npm shows a payment that the server created', async ({ page }) => {
  const files = await bundle();
  const payment = await pay.payments.create({
    amount: 4200,
    currency: 'EUR',
    settlement_asset: 'USDC',
    settlement_network: 'stellar',
    payment_methods: ['card'],
    customer: { email: 'ada@example.com' },
  });
  const { id, client_secret: clientSecret } = payment;
  const serve: RequestListener = (request, response) => {
    const code = files.get(request.url ?? '');
    if (code !== undefined) response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(code);
    else response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(html);
  };
  const html = `<!doctype html><html lang="en"><title>Shop</title><main></main><p id="said"></p><script type="module">
    import { payIn } from '/checkout.js';
    const paid = payIn(document.querySelector('main'), '${service.url}', ${JSON.stringify({ id, client_secret: clientSecret })});
    document.querySelector('#said').textContent = 'Paid: ' + (await paid);
  </script></html>`;
  const shop = await listen(createServer(serve));
  await pay.account.update({ allowed_origins: [shop] });
  await page.goto(shop);
  await payByCard(page);
  await expect(page.getByText(`Paid: ${id}`)).toBeVisible();
  expect((await pay.payments.retrieve(id)).status).toBe('completed');
});
