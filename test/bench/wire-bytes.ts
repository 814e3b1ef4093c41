import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright';
import { createPayClient, type PayClient } from '../../src/api/client.ts';
import { browserArgs, findBrowser } from '../support/browser.ts';
import { startServerProcess } from '../support/server-process.ts';

/** The files that a page loads from the service until the payer can type. API calls count as requests, not as bytes. */
export interface PageBytes {
  /** Bytes until the page shows the payment methods. */
  readonly first: number;
  /** Bytes of later automatic requests until the payer can type. */
  readonly form: number;
  /** Requests of the page and its frame, except preflights. */
  readonly requests: number;
  readonly preflights: number;
}

/** A real server with its client, and a browser. */
interface Bench {
  readonly url: string;
  readonly client: PayClient;
  readonly browser: Browser;
}

const key = `sk_test_${'b'.repeat(32)}`;

/** Measures a shop's page with the script tag and a payment, and the page of a payment link. */
export async function measurePages(): Promise<{ readonly shop: PageBytes; readonly link: PageBytes }> {
  const folder = await mkdtemp(join(tmpdir(), 'pay-bench-'));
  const server = await startServerProcess({ PAY_DATA_DIR: folder, PAY_SECRET_KEY: key });
  const executablePath = findBrowser();
  const browser = await chromium.launch({ args: browserArgs, ...(executablePath === null ? {} : { executablePath }) });
  const client = createPayClient({ baseUrl: server.url, apiKey: key });
  try {
    const bench = { url: server.url, client, browser };
    return { shop: await loadShop(bench), link: await loadLink(bench) };
  } finally {
    await browser.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
  }
}

async function loadShop(bench: Bench): Promise<PageBytes> {
  const { id, client_secret: secret } = await bench.client.payments.create({
    amount: 12_840,
    currency: 'EUR',
    settlement_asset: 'USDC',
    settlement_network: 'stellar',
    payment_methods: ['card', 'bank_transfer', 'crypto'],
    customer: { email: 'ada@example.com' },
  });
  const tag = `<script src="${bench.url}/pay-checkout.js" defer></script>`;
  const element = `<pay-checkout payment-id="${id}" client-secret="${secret}"></pay-checkout>`;
  const shop = createServer((_request, response) => {
    response
      .setHeader('content-type', 'text/html')
      .end(`<!doctype html><html lang="en"><title>Shop</title>${tag}${element}`);
  });
  await new Promise<void>(resolve => shop.listen(0, '127.0.0.1', resolve));
  try {
    return await load(bench, `http://127.0.0.1:${(shop.address() as AddressInfo).port}/`, page =>
      page.frameLocator('pay-checkout iframe').locator('[data-connected] #number').waitFor({ state: 'visible' }),
    );
  } finally {
    shop.close();
  }
}

async function loadLink(bench: Bench): Promise<PageBytes> {
  const { url } = await bench.client.paymentLinks.create({
    amount: 12_840,
    currency: 'EUR',
    settlement_asset: 'USDC',
    description: 'Two of everything',
  });
  return await load(bench, url, page => page.getByLabel('E-mail').waitFor({ state: 'visible' }));
}

/** Opens the page. Chunks of the script and the card frame count as `form`, the rest as `first`. */
async function load({ url: origin, browser }: Bench, url: string, isReady: (page: Page) => Promise<void>) {
  const page = await browser.newPage({ viewport: { width: 412, height: 900 } });
  const sizes = new Map<string, number>();
  const count = { requests: 0, preflights: 0 };
  page.on('request', request => {
    if (new URL(request.url()).origin === origin) count.requests++;
  });
  page.on('response', response => {
    const address = new URL(response.url());
    if (address.origin !== origin || address.pathname.startsWith('/v1/')) return;
    sizes.set(address.pathname, Number(response.headers()['content-length']));
  });
  // Playwright's own events do not include preflights.
  const session = await page.context().newCDPSession(page);
  session.on('Network.requestWillBeSent', ({ initiator }) => {
    if (initiator.type === 'preflight') count.preflights++;
  });
  await session.send('Network.enable');
  await page.goto(url);
  await isReady(page);
  await page.close();
  const sumOf = (isWanted: (path: string) => boolean) =>
    [...sizes].reduce((sum, [path, size]) => (isWanted(path) ? sum + size : sum), 0);
  const follows = (path: string) => path.startsWith('/pay-checkout/') || path.startsWith('/card-frame');
  return { first: sumOf(path => !follows(path)), form: sumOf(follows), ...count };
}
