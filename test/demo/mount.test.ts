import { afterEach, expect, it } from 'vitest';
import { listen, startTestApp, type TestApp } from '../support/app.ts';
import { browserDir } from '../support/built.ts';

const started: TestApp[] = [];
afterEach(async () => {
  for (const app of started.splice(0)) await app.close();
});

/** Starts the service with these settings and its background work. Returns its URL. */
async function start(settings: Record<string, string>): Promise<string> {
  let url = '';
  const clock = { now: () => new Date() };
  const app = await startTestApp({ browserDir, settings, clock, sweeping: true, publicUrl: () => url });
  started.push(app);
  url = `http://localhost:${await listen(app)}`;
  return url;
}

it.each([
  ['available', '1', [200, 200, 200, 200]],
  ['missing', '0', [404, 404, 404, 404]],
])('the demo shop is %s with PAY_DEMO=%s, including its files and its link', async (_case, demo, expected) => {
  const url = await start({ PAY_DEMO: demo });
  const paths = ['/demo/', '/demo/index.html', '/demo/proxy', '/demo/api/shop'];
  expect(await Promise.all(paths.map(async path => (await fetch(url + path)).status))).toEqual(expected);
  expect((await (await fetch(url)).text()).includes('href="/demo/"')).toBe(demo === '1');
});

it('receives webhooks of its payments, also where other loopback addresses are refused', async () => {
  const url = await start({ PAY_WEBHOOK_ALLOW_LOOPBACK: '0' });
  const [app] = started;
  await fetch(`${url}/demo/api/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  const endpoints = async () => (await app?.request('GET /v1/webhook-endpoints'))?.body.data ?? [];
  await expect.poll(endpoints, { timeout: 5_000 }).toMatchObject([{ url: `${url}/demo/api/webhooks` }]);
  const [{ id }] = await endpoints();
  await app?.request(`POST /v1/webhook-endpoints/${id}/test`, { body: {} });
  const deliveries = async () => (await app?.request(`GET /v1/webhook-endpoints/${id}/deliveries`))?.body.data;
  await expect.poll(deliveries, { timeout: 5_000 }).toMatchObject([{ status: 'delivered', response_status: 204 }]);
  const body = { url: `${url}/v1/payments`, events: ['*'] };
  expect(await app?.request('POST /v1/webhook-endpoints', { body })).toMatchObject({ status: 400 });
});

it('lets only the wallet use the camera and read stellar.toml of other sites', async () => {
  const url = await start({});
  const headersOf = async (path: string) => {
    const { headers } = await fetch(url + path);
    return [headers.get('permissions-policy'), headers.get('content-security-policy')];
  };
  const [walletDevices, walletPolicy] = await headersOf('/demo/wallet');
  const [shopDevices, shopPolicy] = await headersOf('/demo/proxy');
  expect([walletDevices, shopDevices].map(devices => devices?.split(',')[0])).toEqual(['camera=(self)', 'camera=()']);
  expect([walletPolicy, shopPolicy].map(policy => /connect-src [^;]*https:/.test(policy ?? ''))).toEqual([true, false]);
  for (const policy of [walletPolicy, shopPolicy]) expect(policy).not.toContain('unsafe');
});

it('builds each page from its document, with its own title and script', async () => {
  const url = await start({});
  const page = async (path: string) => await (await fetch(url + path)).text();
  expect(await page('/demo/order')).toMatch(/<title>Your order · Nordlys Supply<\/title>.*<body data-page="order"/s);
  expect(await page('/demo/wallet')).toMatch(/<title>Pocket wallet · Nordlys Supply<\/title>/);
  const withScript = await Promise.all(['/demo/script-tag', '/demo/proxy'].map(page));
  expect(withScript.map(text => text.includes('src="/pay-checkout.js"'))).toEqual([true, false]);
});
