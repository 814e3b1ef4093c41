import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPayment, type Site, startSite } from '../pages/site.ts';
import { startTestApp } from '../support/app.ts';
import { browserDir } from '../support/built.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite({ name: 'Nordlys Supply' });
}, 60_000);
afterAll(() => site?.close());

/** The policy that the documentation recommends to strict shops. */
const policy = () =>
  [
    "default-src 'none'",
    `script-src ${site.url}`,
    `connect-src ${site.url}`,
    `frame-src ${site.url}`,
    "require-trusted-types-for 'script'",
    'trusted-types lit-html',
  ].join('; ');

async function shopMarkup(payment: { id: string; client_secret: string }): Promise<string> {
  const { integrity } = await (await fetch(`${site.url}/integrity.json`)).json();
  return `<!doctype html><html lang="en"><title>Shop</title>
    <script src="${site.url}/pay-checkout.js" integrity="${integrity['/pay-checkout.js']}" crossorigin defer></script>
    <main><h1>Shop</h1><pay-checkout payment-id="${payment.id}" client-secret="${payment.client_secret}"></pay-checkout></main></html>`;
}

/** The paths that the page and its frames load from the service, in order, without API calls; and their transferred bytes. */
function watch(page: Page) {
  const asked: string[] = [];
  const loaded = new Map<string, number>();
  const complaints: string[] = [];
  const pathOf = (url: string) => {
    const { pathname, origin } = new URL(url);
    return origin === site.url && !pathname.startsWith('/v1/') ? pathname : null;
  };
  page.on('console', message => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', error => complaints.push(error.message));
  page.on('request', request => {
    const path = pathOf(request.url());
    if (path) asked.push(path);
  });
  page.on('response', async response => {
    const path = pathOf(response.url());
    if (path) loaded.set(path, Number(response.headers()['content-length'] ?? Number.NaN));
  });
  return { asked, loaded, complaints };
}

/** Holds matching requests back until the returned function is called. */
async function hold(page: Page, pattern: string): Promise<() => void> {
  let letThrough = () => {};
  const held = new Promise<void>(resolve => {
    letThrough = resolve;
  });
  await page.route(pattern, async route => {
    await held;
    await route.continue();
  });
  return letThrough;
}

const sum = (sizes: Iterable<number>) => [...sizes].reduce((total, size) => total + size, 0);

describe('a shop’s page under a strict policy, with Trusted Types, SRI and a cross-origin script', () => {
  it('shows the payment methods after one script of 13.7 kB, and takes a card within 9 kB more', async () => {
    const page = await site.browser.newPage({ viewport: { width: 412, height: 900 } });
    const { asked, loaded, complaints } = watch(page);
    const headers = { 'content-security-policy': policy(), 'cross-origin-embedder-policy': 'require-corp' };
    const answer = await hold(page, '**/v1/checkout/**');
    const bringChunks = await hold(page, '**/pay-checkout/**');
    // A slow machine reaches the time at which these are loaded.
    const bringLater = [await hold(page, '**/live-updates-*'), await hold(page, '**/card-checks-*')];
    await page.goto(site.shop(await shopMarkup(await createPayment(site)), headers));
    await page.getByRole('img', { name: 'Loading the checkout' }).waitFor();
    // The likeliest method is one file, requested beside the payment.
    expect(asked.map(path => path.replace(/-[0-9a-f]{8}/, ''))).toEqual(['/pay-checkout.js', '/pay-checkout/form.js']);
    answer();
    await page.getByRole('tab', { name: 'Bank' }).waitFor();
    expect(await page.locator('pay-checkout').getByText('€128.40').count()).toBeGreaterThan(0);
    expect([...loaded.keys()]).toEqual(['/pay-checkout.js']);
    expect(sum(loaded.values())).toBeLessThanOrEqual(13_700);
    bringChunks();
    const frame = page.frameLocator('pay-checkout iframe');
    await frame.locator('[data-connected] #number').waitFor({ state: 'visible' });
    expect(asked.filter(path => !/live-updates|card-checks/.test(path))).toHaveLength(5);
    expect(sum(loaded.values()) - (loaded.get('/pay-checkout.js') ?? 0)).toBeLessThanOrEqual(9_000);
    for (const bring of bringLater) bring();
    await frame.locator('#number').fill('4242 4242 4242 4242');
    await frame.locator('#expiry').fill('12/29');
    await frame.locator('#cvc').fill('123');
    await frame.locator('#name').fill('Jo Long');
    await frame.locator('#name').press('Enter');
    await page.getByRole('heading', { name: 'Paid, thank you' }).waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it.each([
    [
      'on a connection that is already open, on a shop’s page',
      async () => site.shop(await shopMarkup(await createPayment(site))),
      [true],
    ],
    ['not at all on the hosted checkout', async () => (await createPayment(site)).checkout_url, []],
  ])('asks for the payment %s', async (_, address, expected) => {
    const page = await site.browser.newPage();
    const session = await page.context().newCDPSession(page);
    const isReused: boolean[] = [];
    session.on('Network.responseReceived', ({ response }) => {
      if (response.url.endsWith('/v1/checkout/open')) isReused.push(response.connectionReused);
    });
    await session.send('Network.enable');
    await page.goto(await address());
    await page.getByRole('tab', { name: 'Bank' }).waitFor();
    expect(isReused).toEqual(expected);
    await page.close();
  });

  it('does not run a script that differs from the pinned one', async () => {
    const page = await site.browser.newPage();
    const { complaints } = watch(page);
    const payment = await createPayment(site);
    const markup = (await shopMarkup(payment)).replace(/sha384-..../, 'sha384-AAAA');
    await page.goto(site.shop(markup, { 'content-security-policy': policy() }));
    await page.waitForTimeout(300);
    expect(await page.evaluate(() => customElements.get('pay-checkout') === undefined)).toBe(true);
    expect(complaints.join()).toContain('integrity');
    await page.close();
  });

  it('loads its chunks from a page at any depth, from a script without CORS, and twice on one page', async () => {
    const page = await site.browser.newPage();
    const { complaints, loaded } = watch(page);
    const payment = await createPayment(site);
    const tag = `<script src="${site.url}/pay-checkout.js"></script>`;
    await page.goto(
      site.shop(
        `<!doctype html><title>Shop</title><base href="https://elsewhere.example/a/b/">${tag}${tag}<body></body>`,
      ),
    );
    await page.evaluate(
      options => {
        const { PayCheckout } = globalThis as unknown as {
          PayCheckout: { mount(target: string, options: object): void };
        };
        PayCheckout.mount('body', options);
      },
      { paymentId: payment.id, clientSecret: payment.client_secret },
    );
    await page.frameLocator('pay-checkout iframe').locator('#number').waitFor({ state: 'visible' });
    expect([...loaded.keys()].filter(path => path === '/pay-checkout.js')).toHaveLength(1);
    expect(complaints).toEqual([]);
    await page.close();
  });
});

describe('a shop’s page on another origin', () => {
  const card = (page: Page) => page.frameLocator('pay-checkout iframe').locator('#number');
  const element = ({ id, client_secret: secret }: { id: string; client_secret: string }) =>
    `<pay-checkout payment-id="${id}" client-secret="${secret}"></pay-checkout>`;

  it.each([
    ['a script tag of type module', () => `<script type="module" src="${site.url}/pay-checkout.js"></script>`],
    ['import()', () => `<script>import('${site.url}/pay-checkout.js?v=1:2')</script>`],
    ['import', () => `<script type="module">import '${site.url}/pay-checkout-0.1.0.js'</script>`],
  ])('calls the service that serves the script, loaded by %s', async (_, script) => {
    const page = await site.browser.newPage();
    const { complaints } = watch(page);
    await page.goto(site.shop(`<!doctype html>${script()}${element(await createPayment(site))}`));
    await card(page).waitFor({ state: 'visible' });
    expect(complaints).toEqual([]);
    await page.close();
  });

  it.each([
    ['before it defines the element, once', '', ['/v1/checkout/open', 'define']],
    ['when the payer opens its dialog', ' mode="popup"', ['define']],
    ['not at all for a secret key', ' api-key="sk_test_0000000000000000"', ['define']],
  ])('asks for the payment %s', async (_, attributes, expected) => {
    const page = await site.browser.newPage();
    await page.addInitScript(() => {
      const order: string[] = [];
      Object.assign(globalThis, { order });
      const { fetch } = globalThis;
      globalThis.fetch = (...request) => {
        order.push(new URL(String(request[0])).pathname);
        return fetch(...request);
      };
      const define = customElements.define.bind(customElements);
      customElements.define = (...definition) => {
        if (definition[0] === 'pay-checkout') order.push('define');
        define(...definition);
      };
    });
    const tag = element(await createPayment(site)).replace('<pay-checkout', `<pay-checkout${attributes}`);
    await page.goto(site.shop(`<!doctype html><script src="${site.url}/pay-checkout.js" defer></script>${tag}`));
    await page.locator('pay-checkout').locator(':is([role=tab], [role=alert], [part=trigger])').first().waitFor();
    const order = await page.evaluate(() => (globalThis as unknown as { order: string[] }).order);
    expect(order.filter(entry => entry !== '/v1/checkout/stream')).toEqual(expected);
    await page.close();
  });

  it('shows a styled message with a button when nothing but the script loads', async () => {
    const page = await site.browser.newPage();
    await page.route('**/pay-checkout/**', route => route.abort());
    const script = `<script src="${site.url}/pay-checkout.js"></script>`;
    await page.goto(site.shop(`<!doctype html>${script}<pay-checkout></pay-checkout>`));
    const button = page.getByRole('button', { name: 'Try again' });
    const box = await button.boundingBox();
    expect([box?.height, box && box.width > 200]).toEqual([expect.closeTo(44, 1), true]);
    const { color, background } = await button.evaluate(node => {
      const { color, backgroundColor } = getComputedStyle(node);
      return { color, background: backgroundColor };
    });
    expect(color).not.toBe(background);
    await page.close();
  });

  /** A checkout none of whose parts could be loaded. The line comes back with the returned function. */
  async function unloaded(page: Page): Promise<() => Promise<void>> {
    await page.route('**/pay-checkout/**', route => route.abort());
    const script = `<script src="${site.url}/pay-checkout.js"></script>`;
    await page.goto(site.shop(`<!doctype html>${script}${element(await createPayment(site))}`));
    await page.getByText('A part of this page did not load.').waitFor();
    return () => page.unroute('**/pay-checkout/**');
  }

  it.each([
    ['“Try again” is pressed', (page: Page) => page.getByRole('button', { name: 'Try again' }).click()],
    ['the device is online', (page: Page) => page.evaluate(() => dispatchEvent(new Event('online')))],
  ])('loads the missing parts and what they import when %s', async (_, act) => {
    const page = await site.browser.newPage();
    const comeBack = await unloaded(page);
    await comeBack();
    await act(page);
    await card(page).waitFor({ state: 'visible' });
    await page.close();
  });

  it('shows a paid payment although the line was lost before the outcome was loaded', async () => {
    const page = await site.browser.newPage();
    await page.clock.install();
    const payment = await createPayment(site);
    await page.goto(site.shop(`<!doctype html><script src="${site.url}/pay-checkout.js"></script>${element(payment)}`));
    await page.clock.runFor(100);
    await card(page).waitFor({ state: 'visible' });
    const parts = /pay-checkout\/(outcome|link-api|rows|web-address|email)-/;
    await page.route(parts, route => route.abort());
    const lost = page.waitForEvent('requestfailed', request => parts.test(request.url()));
    await page.clock.runFor(6000);
    await lost;
    await page.unroute(parts);
    await site.request(`POST /v1/payments/${payment.id}/confirm`, { body: { method: 'card', token: 'tok_visa' } });
    await page.clock.runFor(6000);
    await page.getByRole('heading', { name: 'Paid, thank you' }).waitFor();
    await page.close();
  });

  it('tells the developer in the console which key is wrong', async () => {
    const page = await site.browser.newPage();
    const { complaints } = watch(page);
    const script = `<script src="${site.url}/pay-checkout.js"></script>`;
    const order = 'amount="500" currency="EUR" settlement-asset="USDC" customer-email="a@example.com"';
    await page.goto(
      site.shop(`<!doctype html>${script}<pay-checkout api-key="pk_test_0000000000000000" ${order}></pay-checkout>`),
    );
    await page.getByText('This checkout is not set up correctly').waitFor();
    expect(complaints.join()).toContain('invalid_api_key: The API key does not exist or was revoked. Check api-key');
    await page.close();
  });
});

describe('the script files', () => {
  it.each([
    ['/pay-checkout.js', 'public, max-age=300'],
    ['/pay-checkout-0.1.0.js', 'public, max-age=31536000, immutable'],
    ['/integrity.json', 'public, max-age=300'],
  ])('%s may be loaded by any site and is cached as "%s"', async (path, kept) => {
    const ask = (headers: Record<string, string>) => site.app.http.inject({ url: path, headers });
    const { headers } = await ask({ 'accept-encoding': 'br' });
    expect(headers).toMatchObject({
      'cache-control': kept,
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      'content-encoding': 'br',
      vary: expect.stringContaining('accept-encoding'),
      'content-type': expect.stringMatching(/(javascript|json); charset=utf-8$/i),
    });
    const again = await ask({ 'accept-encoding': 'br', 'if-none-match': String(headers.etag) });
    expect(again.statusCode).toBe(304);
  });

  it('begin with the hint by which Chromium compiles the core while it loads', async () => {
    expect((await site.request('GET /pay-checkout.js', { key: null })).text).toMatch(
      /^\/\/# allFunctionsCalledOnLoad\n/,
    );
  });

  it.each(['gzip', 'identity', ''])('are sent as "%s" to a browser without better compression', async encoding => {
    const { headers, text } = await site.request('GET /pay-checkout.js', {
      key: null,
      headers: { 'accept-encoding': encoding },
    });
    expect(headers['content-encoding']).toBe(encoding === 'gzip' ? 'gzip' : undefined);
    expect(text.length).toBeGreaterThan(1000);
  });

  it('are the newest ones after a build under a running server', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pay-browser-'));
    await cp(browserDir, folder, { recursive: true });
    const app = await startTestApp({ browserDir: folder });
    const ask = (url: string) => app.app.http.inject({ url, headers: { 'accept-encoding': 'br' } });
    const code = 'export const card = "a card tab of the next build";'.repeat(9);
    await writeFile(join(folder, 'pay-checkout/card-0123456789ab.js'), code);
    await writeFile(join(folder, 'pay-checkout/card-0123456789ab.js.br'), brotliCompressSync(code));
    const answer = await ask('/pay-checkout/card-0123456789ab.js');
    expect(answer.statusCode).toBe(200);
    expect(brotliDecompressSync(answer.rawPayload).toString()).toBe(code);
    expect(answer.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'access-control-allow-origin': '*',
      'content-type': expect.stringMatching(/javascript; charset=utf-8$/i),
    });
    const missing = await ask('/pay-checkout/card-ffffffffffff.js');
    expect([missing.statusCode, missing.json().error.code]).toEqual([404, 'route_not_found']);
    await app.close();
    await rm(folder, { recursive: true });
  });

  it.each([
    '/.vite/manifest.json',
    '/pay-checkout.js.br',
    '/pay-checkout',
    '/pay-checkout/.env',
    '/pay-checkout/card.js.br',
    '/pay-checkout//etc/passwd',
    '/pay-checkout/..%5c..%5cpackage.json',
    '/pay-checkout/',
    '/../package.json',
    '/pay-checkout/..%2f..%2fpackage.json',
    '/browser.stamp',
  ])('do not include %s', async path => {
    expect((await fetch(site.url + path)).status).toBe(404);
  });
});
