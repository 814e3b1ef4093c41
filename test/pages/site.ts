import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright';
import type { MerchantChanges } from '../../src/server/merchants/merchant.store.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { sharedBrowser } from '../support/browser.ts';
import { browserDir } from '../support/built.ts';
import { createTreasuryDatabase } from '../support/treasury-database.ts';

type Settings = Readonly<Record<string, string>>;

/** Starts the real app with its pages, without a port. */
export async function startPages(merchant: MerchantChanges = {}, settings: Settings = {}): Promise<TestApp> {
  return await startTestApp({ browserDir, merchant, settings });
}

/** The real app listening, a shop of another origin, and a browser. */
export interface Site extends TestApp {
  /** Address of the service, without a slash at the end. */
  readonly url: string;
  readonly browser: Browser;
  /** URL of a page with this markup and these headers, on another origin than the service's. */
  shop(markup: string, headers?: Readonly<Record<string, string>>): string;
}

/** Starts the app, the shop and the browser. `close` ends them. */
export async function startSite(merchant: MerchantChanges = {}, settings: Settings = {}): Promise<Site> {
  let url = '';
  const clock = { now: () => new Date() };
  const database = await createTreasuryDatabase('running');
  const site = await startTestApp({
    database,
    browserDir,
    merchant,
    settings,
    clock,
    publicUrl: () => url,
    // A browser makes hardly any work that is due later, and idle sweeps take a sixteenth of a core.
    sweeping: 'when woken',
  });
  await site.app.http.listen({ port: 0, host: '127.0.0.1' });
  url = `http://localhost:${(site.app.http.server.address() as AddressInfo).port}`;
  const browser = await sharedBrowser();
  const pages: { markup: string; headers: Readonly<Record<string, string>> }[] = [];
  const shop = await listen(
    createServer((request, response) => {
      const page = pages[Number.parseInt(request.url?.slice(1) ?? '', 10)];
      response.writeHead(page ? 200 : 204, { 'content-type': 'text/html; charset=utf-8', ...page?.headers });
      response.end(page?.markup);
    }),
  );
  return {
    ...site,
    url,
    browser,
    shop: (markup, headers = {}) =>
      `http://127.0.0.1:${(shop.address() as AddressInfo).port}/${pages.push({ markup, headers }) - 1}`,
    close: async () => {
      shop.closeAllConnections();
      shop.close();
      await site.close();
    },
  };
}

function listen(server: Server): Promise<Server> {
  return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/** Creates a payment as a shop does. Returns the response body. */
export async function createPayment(app: TestApp, fields: Readonly<Record<string, unknown>> = {}) {
  const body = {
    amount: 12_840,
    currency: 'EUR',
    settlement_asset: 'USDC',
    settlement_network: 'stellar',
    payment_methods: ['card', 'bank_transfer'],
    customer: { email: 'payer@example.com' },
    ...fields,
  };
  const answer = await app.request('POST /v1/payments', { body });
  if (answer.status !== 201) throw new Error(`no payment: ${answer.text}`);
  return answer.body;
}

/** The URL of the payment's card frame, from its options. */
export async function frameUrl(app: TestApp, payment: { id: string }): Promise<string> {
  const { body } = await app.request(`GET /v1/payments/${payment.id}/options`);
  return body.card.frame_url;
}
