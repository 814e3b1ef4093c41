import { afterEach, describe, expect, it } from 'vitest';
import { networkOf } from '../../../src/server/platform/http/access/rate-limit.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';

let shop: TestApp | undefined;
afterEach(async () => {
  await shop?.close();
  shop = undefined;
});

describe('rate limits', () => {
  it('block clients that guess keys, but no client with a valid one', async () => {
    shop = await startTestApp();
    const guesses = [];
    for (let i = 0; i < 80; i++)
      guesses.push(await shop.request('GET /v1/account', { key: `sk_test_${'0'.repeat(30)}${i + 10}` }));
    expect(guesses.slice(0, 60).every(({ status }) => status === 401)).toBe(true);
    const refused = guesses.at(-1)!;
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await shop.request('GET /v1/account')).status).toBe(200);
  });

  it('apply to each key, report the remaining requests, and refill', async () => {
    shop = await startTestApp({ settings: { PAY_RATE_LIMIT: '5' } });
    const other = await shop.addMerchant();
    const burst = [];
    for (let i = 0; i < 8; i++) burst.push(await shop.request('GET /v1/account'));
    expect(burst[0]!.headers).toMatchObject({
      'ratelimit-policy': '"default";q=5;w=1',
      ratelimit: '"default";r=4;t=1',
    });
    const refused = burst.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]!.headers).toMatchObject({ ratelimit: '"default";r=0;t=1', 'retry-after': '1' });
    expect(refused[0]!.body.error.type).toBe('rate_limit_error');
    expect((await shop.request('GET /v1/account', { key: other.secretKey })).status).toBe(200);
    await new Promise(resolve => setTimeout(resolve, 1100));
    expect((await shop.request('GET /v1/account')).status).toBe(200);
  });

  it('are lower for a browser than for a server', async () => {
    shop = await startTestApp({ settings: { PAY_CLIENT_RATE_LIMIT: '2' } });
    const { body: made } = await shop.request('POST /v1/payments', {
      body: {
        amount: 1000,
        currency: 'USD',
        settlement_asset: 'USDC',
        settlement_network: 'stellar',
        payment_methods: ['card'],
        customer: { email: 'ada@shop.example' },
      },
    });
    const read = (key: string) => shop?.request(`GET /v1/payments/${made.id}`, { key });
    const asPayer = [];
    for (let i = 0; i < 4; i++) asPayer.push((await read(made.client_secret))?.status);
    expect(asPayer.slice(0, 2)).toEqual([200, 200]);
    expect(asPayer).toContain(429);
    expect((await read(shop.merchant.secretKey))?.status).toBe(200);
    const from = async (remoteAddress: string) => {
      const headers = { authorization: `Bearer ${made.client_secret}` };
      return (await shop!.app.http.inject({ url: `/v1/payments/${made.id}`, remoteAddress, headers })).statusCode;
    };
    const ofOneNetwork = [];
    for (const host of ['1', '2:2', '3:3:3', '4:4:4:4']) ofOneNetwork.push(await from(`2001:db8::${host}`));
    expect(ofOneNetwork).toContain(429);
    expect(await from('2001:db8:0:1::1')).toBe(200);
  });

  it('warn the operator once of an untrusted proxy, and ignore forged headers on /readyz', async () => {
    shop = await startTestApp();
    const { logs, app } = shop;
    const tellings = async (remoteAddress: string, headers: Record<string, string>) => {
      for (let time = 0; time < 3; time++) await app.http.inject({ url: '/healthz', remoteAddress, headers });
      const { remarks = [] } = (await app.http.inject({ url: '/readyz' })).json();
      return [logs, remarks].map(
        (texts: string[]) => texts.filter(text => text.includes('PAY_TRUSTED_PROXIES')).length,
      );
    };
    const forwarded = { 'x-forwarded-for': '203.0.113.9' };
    expect(await tellings('10.1.2.3', {})).toEqual([0, 0]);
    expect(await tellings('198.51.100.7', forwarded)).toEqual([1, 0]);
    expect(await tellings('::ffff:10.1.2.3', forwarded)).toEqual([2, 1]);
    expect(logs.findLast(line => line.includes('PAY_TRUSTED_PROXIES'))).toContain('10.1.2.3');
    expect(logs.join('')).not.toMatch(/203\.0\.113\.9|198\.51\.100\.7/);
  });

  it('do not warn the operator of a trusted proxy', async () => {
    shop = await startTestApp({ settings: { PAY_TRUSTED_PROXIES: '10.0.0.0/8' } });
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    await shop.app.http.inject({ url: '/healthz', remoteAddress: '10.1.2.3', headers });
    expect((await shop.app.http.inject({ url: '/readyz' })).json()).toEqual({ status: 'ready' });
    expect(shop.logs.join('')).not.toContain('PAY_TRUSTED_PROXIES');
  });
});

describe('the network of a request', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:4711', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['[2001:db8:1:2::1]:443', '2001:db8:1:2'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    // The client has closed the connection. Without an answer, its invitation would be used up without a session.
    [undefined, 'unknown'],
  ])('%s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
