import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';

let shop: TestApp;
beforeAll(async () => {
  shop = await startTestApp();
});
afterAll(() => shop?.close());

const advance = (by: string) => shop.request('POST /v1/test_helpers/clock', { body: { advance: by } });

describe('the test clock', () => {
  it('advances, is shown in every response, and belongs to its merchant', async () => {
    const other = await shop.addMerchant();
    const before = await shop.request('GET /v1/test_helpers/clock');
    expect(before.body).toEqual({ object: 'test_clock', now: '2026-11-02T09:00:00.000Z' });
    expect((await advance('P3DT1H')).body.now).toBe('2026-11-05T10:00:00.000Z');
    expect((await advance('PT15M')).body.now).toBe('2026-11-05T10:15:00.000Z');
    expect((await shop.request('GET /v1/account')).headers['pay-server-time']).toBe('2026-11-05T10:15:00.000Z');
    const theirs = await shop.request('GET /v1/account', { key: other.secretKey });
    expect(theirs.headers['pay-server-time']).toBe('2026-11-02T09:00:00.000Z');
  });

  it('affects test mode only', async () => {
    const live = await shop.addKey(shop.merchant.id, 'secret', { livemode: true });
    expect((await shop.request('GET /v1/account', { key: live })).headers['pay-server-time']).toBe(
      '2026-11-02T09:00:00.000Z',
    );
  });

  it('advances once for a repeated request', async () => {
    const call = () =>
      shop.request('POST /v1/test_helpers/clock', {
        headers: { 'idempotency-key': 'once' },
        body: { advance: 'PT1H' },
      });
    const [first, second] = [await call(), await call()];
    expect(second.body).toEqual(first.body);
    expect((await shop.request('GET /v1/test_helpers/clock')).body.now).toBe(first.body.now);
  });

  it('does due work before it responds', async () => {
    const { body } = await shop.request('POST /v1/payments', {
      body: {
        amount: 1000,
        currency: 'USD',
        settlement_asset: 'USDC',
        settlement_network: 'stellar',
        payment_methods: ['card'],
        customer: { email: 'ada@shop.example' },
      },
    });
    await advance('P2D');
    const { rows } = await shop.database.pool.query('select status, phase from payments where id = $1', [body.id]);
    expect(rows).toEqual([{ status: 'failed', phase: 'expired' }]);
  });

  it.each(['3D', 'P', 'P0D', 'PT0S', 'P1Y', 'P1M', '-P1D', 'P1.5D', 'P9999W'])('refuses %s', async by => {
    const { status, body } = await advance(by);
    expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_duration', 'advance']);
  });
});
