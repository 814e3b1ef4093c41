import { afterEach, describe, expect, it, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';

let shop: TestApp | undefined;
let line: FaultProxy | undefined;
afterEach(async () => {
  line?.heal();
  await shop?.close();
  await line?.close();
  shop = line = undefined;
});

/** A service with a breakable connection to its database. */
async function startBreakable() {
  let made: FaultProxy | undefined;
  shop = await startTestApp({
    through: async target => {
      made = await startFaultProxy(target);
      return made.port;
    },
  });
  line = made;
  if (made === undefined) throw new Error('the app has not asked for a way to its database');
  expect((await shop.request('GET /v1/account')).status).toBe(200);
  return { app: shop, line: made };
}

const payment = {
  amount: 1000,
  currency: 'USD',
  settlement_asset: 'USDC',
  settlement_network: 'stellar',
  payment_methods: ['card'],
  customer: { email: 'ada@shop.example' },
};

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const began = performance.now();
  return [await work(), performance.now() - began];
}

describe.each(['cut', 'stall'] as const)('without a connection to the database (%s)', fault => {
  it('every request gets a 503 within five seconds, and succeeds after the reconnection', async () => {
    const { app, line } = await startBreakable();
    line[fault]();
    const calls = [
      'GET /v1/account',
      'GET /v1/payments',
      'GET /v1/account',
      // Calls that share a transaction.
      ...(['POST /v1/payments', 'POST /v1/payments', 'POST /v1/payments'] as const),
      ...(['POST /v1/api-keys', 'POST /v1/api-keys', 'POST /v1/api-keys'] as const),
    ] as const;
    const bodies: Record<string, unknown> = {
      'POST /v1/api-keys': { type: 'secret' },
      'POST /v1/payments': payment,
    };
    const answers = await Promise.all(
      calls.map((call, index) => {
        const headers = call.startsWith('POST') ? { 'idempotency-key': `call-${index}` } : {};
        return timed(() => app.request(call, { body: bodies[call], headers }));
      }),
    );
    for (const [{ status, body, headers }, ms] of answers) {
      expect([status, body.error.code]).toEqual([503, 'unavailable']);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect(ms).toBeLessThan(5_500);
    }
    expect((await app.request('GET /readyz')).status).toBe(503);
    const logged = app.logs.map(text => JSON.parse(text)).filter(({ msg }) => msg === 'the database is away');
    expect(logged[0]).toMatchObject({ level: 50, requests: 1, reason: expect.any(String) });
    line.heal();
    const [healed, ms] = await timed(async () => {
      for (;;) {
        const { status } = await app.request('GET /v1/account');
        if (status === 200) return true;
      }
    });
    expect(healed).toBe(true);
    expect(ms).toBeLessThan(10_000);
    expect((await app.request('POST /v1/payments', { body: payment })).status).toBe(201);
    expect((await app.request('GET /readyz')).status).toBe(200);
  }, 40_000);
});

it('/readyz reports why the database cannot write, until writes have succeeded for a minute', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    shop = await startTestApp();
    const app = shop;
    const pay = async () => (await app.request('POST /v1/payments', { body: payment })).status;
    const rename = async (name: string) =>
      expect((await app.request('PATCH /v1/account', { body: { name } })).status).toBe(200);
    const ready = async () => (await app.request('GET /readyz', { key: null })).body;
    const full = 'could not extend file "base/5/16402": No space left on device';
    await app.database.pool.query(`
      create function fill_disk() returns trigger language plpgsql as $$
      begin raise exception '${full}' using errcode = 'disk_full'; end $$;
      create trigger full_disk before insert on payments execute function fill_disk()`);
    expect(await pay()).toBe(503);
    const expected = { status: 'ready', remarks: [`database: writes fail: ${full} (53100)`] };
    expect(await ready()).toEqual(expected);
    vi.advanceTimersByTime(3_600_000);
    expect(await ready()).toEqual(expected);
    expect(await pay()).toBe(503);
    // Some writes still succeed.
    await rename('Room');
    expect(await ready()).toEqual(expected);
    await app.database.pool.query('drop trigger full_disk on payments');
    vi.advanceTimersByTime(60_000);
    expect(await ready()).toEqual(expected);
    await rename('More room');
    expect(await ready()).toEqual({ status: 'ready' });
    expect(await pay()).toBe(201);
  } finally {
    vi.useRealTimers();
  }
});
