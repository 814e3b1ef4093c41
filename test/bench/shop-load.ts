import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { createPayClient } from '../../src/api/client.ts';
import { browserArgs, findBrowser } from '../support/browser.ts';
import { servedCommand, startServerProcess } from '../support/server-process.ts';

/** Bytes on the wire that a shop's page loads from the service, calls of the API apart. */
export interface ShopLoad {
  /** Until there is something to choose. */
  readonly first: number;
  /** What follows by itself, until a card can be typed in. */
  readonly cardForm: number;
}

const key = `sk_test_${'b'.repeat(32)}`;

/** Opens a shop's page with the script tag and a payment of a real server, and adds up what it loads. */
export async function measureShopLoad(): Promise<ShopLoad> {
  const folder = await mkdtemp(join(tmpdir(), 'pay-bench-'));
  const server = await startServerProcess({ PAY_DATA_DIR: folder, PAY_SECRET_KEY: key }, servedCommand());
  const executablePath = findBrowser();
  const browser = await chromium.launch({ args: browserArgs, ...(executablePath === null ? {} : { executablePath }) });
  const shop = createServer().listen(0, '127.0.0.1');
  try {
    const { id, client_secret: secret } = await createPayClient({ baseUrl: server.url, apiKey: key }).payments.create({
      amount: 12_840,
      currency: 'EUR',
      settlement_asset: 'USDC',
      settlement_network: 'stellar',
      payment_methods: ['card', 'bank_transfer', 'crypto'],
      customer: { email: 'ada@example.com' },
    });
    const page = await browser.newPage({ viewport: { width: 412, height: 900 } });
    const sizes = new Map<string, number>();
    page.on('response', async response => {
      const { pathname, origin } = new URL(response.url());
      if (origin !== server.url || pathname.startsWith('/v1/')) return;
      sizes.set(pathname, Number(response.headers()['content-length']));
    });
    const tag = `<script src="${server.url}/pay-checkout.js" defer></script>`;
    const element = `<pay-checkout payment-id="${id}" client-secret="${secret}"></pay-checkout>`;
    shop.on('request', (_request, response) => {
      response
        .setHeader('content-type', 'text/html')
        .end(`<!doctype html><html lang="en"><title>Shop</title>${tag}${element}`);
    });
    await page.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/`);
    await page.frameLocator('pay-checkout iframe').locator('[data-connected] #number').waitFor({ state: 'visible' });
    const first = sizes.get('/pay-checkout.js') ?? Number.NaN;
    return { first, cardForm: [...sizes.values()].reduce((sum, size) => sum + size, 0) - first };
  } finally {
    await browser.close();
    shop.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
  }
}
