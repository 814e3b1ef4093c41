import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';

const quarterSeconds = 900;

let shop: TestApp;
// Sweeps run only when a test calls them, so due work becomes overdue.
beforeAll(async () => {
  shop = await startTestApp({
    merchant: { timezone: 'Etc/UTC' },
    settings: { PAY_WEBHOOK_ALLOW_LOOPBACK: '1', SMTP_URL: 'smtp://127.0.0.1:1' },
  });
});
afterAll(() => shop.close());

const post = async (path: string, body: unknown = {}) => {
  const answer = await shop.request(`POST ${path}` as 'POST /', { body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
};
const invoice = {
  currency: 'EUR',
  customer: { name: 'Ada', email: 'ada@example.com' },
  lines: [{ description: 'Hours', quantity: 2, unit_amount: 5_000 }],
};
const remarks = async (): Promise<string[]> => (await shop.request('GET /readyz', { key: null })).body.remarks ?? [];
/** For each kind of work: the number of waiting items, and the seconds that the oldest has waited. */
async function waiting(): Promise<Record<string, readonly [number, number]>> {
  const { text } = await shop.request('GET /metrics', { key: null });
  const read = (name: string, kind: string) =>
    Number(new RegExp(`^${name}\\{kind="${kind}"\\} (\\S+)$`, 'm').exec(text)?.[1]);
  const kinds = ['mail', 'reminder', 'recurring', 'webhook', 'outbound'];
  return Object.fromEntries(kinds.map(kind => [kind, [read('pay_waiting', kind), read('pay_waiting_seconds', kind)]]));
}

describe('overdue work without a worker', () => {
  it('is zero at first, without a remark', async () => {
    const none = [0, 0];
    expect(await waiting()).toEqual({ mail: none, reminder: none, recurring: none, webhook: none, outbound: none });
    expect(await remarks()).toEqual([]);
  });

  it('is counted by kind, and reported when it is a quarter of an hour late', async () => {
    await post('/v1/webhook-endpoints', { url: 'http://127.0.0.1:49151/hook', events: ['*'] });
    await post('/v1/recurring-invoices', { rrule: 'FREQ=DAILY', starts_on: '2026-11-03', invoice });
    // Due on the 6th, with a reminder on the 3rd at nine. The recurring invoice is created at the same time.
    const { id } = await post('/v1/invoices', { ...invoice, due_date: '2026-11-06' });
    await post(`/v1/invoices/${id}/send`);
    shop.clock.advance(quarterSeconds - 1);
    expect((await waiting())['mail']).toEqual([1, quarterSeconds - 1]);
    expect(await remarks()).toEqual([]);
    shop.clock.advance(86_400 - quarterSeconds + 1 + quarterSeconds);
    const found = await waiting();
    expect(found).toMatchObject({
      mail: [1, 86_400 + quarterSeconds],
      reminder: [1, quarterSeconds],
      recurring: [1, quarterSeconds],
    });
    expect(await remarks()).toEqual([
      `reminder: 1 waits, the oldest for ${quarterSeconds} s`,
      `recurring: 1 waits, the oldest for ${quarterSeconds} s`,
      `mail: 1 waits, the oldest for ${86_400 + quarterSeconds} s`,
    ]);
  });

  it('counts events without deliveries by the time of their recording', async () => {
    const { rows } = await shop.database.pool.query('select count(*)::int as count from events where not dispatched');
    // Rows stay in the partition of their month.
    await shop.database.pool.query(
      `update events set recorded_at = greatest(recorded_at - interval '1 hour', date_trunc('month', recorded_at))`,
    );
    shop.clock.advance(60);
    const [count, seconds] = (await waiting())['webhook'] ?? [0, 0];
    expect(count).toBe(rows[0].count);
    expect(count).toBeGreaterThan(0);
    expect(Math.abs(seconds - 3_600)).toBeLessThan(30);
    expect(await remarks()).toContainEqual(`webhook: ${count} wait, the oldest for ${seconds} s`);
  });

  it('counts due webhooks, but not those that wait for their next attempt', async () => {
    const count = await shop.sweep('events.dispatch');
    expect(count).toBeGreaterThan(0);
    shop.clock.advance(quarterSeconds);
    expect((await waiting())['webhook']).toEqual([count, quarterSeconds]);
    // No server listens there. After three attempts the next one is minutes away.
    for (let tries = 0; tries < 3; tries++) {
      await shop.sweep('webhooks.deliver');
      shop.clock.advance(tries < 2 ? 120 : 10);
    }
    expect((await waiting())['webhook']).toEqual([0, 0]);
  });

  it('continues to count a postponed recurring invoice that cannot be created, and one that cannot be sent', async () => {
    const { pool } = shop.database;
    const late = async () => (await waiting())['recurring'];
    const [count, seconds] = (await late()) ?? [0, 0];
    const { rows } = await pool.query('select template from recurring_invoices');
    await pool.query(`update recurring_invoices set template = template || '{"currency": "XXX"}'`);
    await shop.sweep('recurring.make');
    shop.clock.advance(60);
    expect(await late()).toEqual([count, seconds + 60]);
    await pool.query(`update recurring_invoices set template = $1, next_at = next_at - interval '2 hours'`, [
      JSON.stringify(rows[0].template),
    ]);
    await shop.sweep('recurring.make');
    // Today's invoice is created, but not sent.
    shop.clock.advance(600);
    expect(await late()).toEqual([1, 600]);
  });

  it('counts money that has not left after a quarter of an hour, and money that left and is not booked', async () => {
    const late = async () => (await waiting())['outbound'];
    const change = (set: string) => shop.database.pool.query(`update outbound_transfers set due_at = null, ${set}`);
    const { id } = await post('/v1/payments', {
      amount: 1_000,
      currency: 'EUR',
      settlement_asset: 'USDC',
      settlement_network: 'stellar',
      payment_methods: ['card'],
      customer: { email: 'ada@example.com' },
    });
    await post(`/v1/payments/${id}/confirm`, { method: 'card', token: 'tok_visa' });
    await post(`/v1/payments/${id}/refunds`);
    shop.clock.advance(quarterSeconds - 1);
    expect(await late()).toEqual([0, 0]);
    shop.clock.advance(11);
    expect(await late()).toEqual([1, quarterSeconds + 10]);
    expect(await remarks()).toContain(`outbound: 1 waits, the oldest for ${quarterSeconds + 10} s`);
    await change(`state = 'sending'`);
    shop.clock.advance(50);
    expect(await late()).toEqual([1, quarterSeconds + 60]);
    await change(`state = 'completed', reference = 'x', ended_at = '${shop.clock.now().toISOString()}'`);
    shop.clock.advance(20);
    expect(await late()).toEqual([1, 20]);
    await shop.sweep('outbound.book');
    shop.clock.advance(10);
    expect(await late()).toEqual([0, 0]);
  });

  it('is no longer reported once it is done', async () => {
    await shop.sweep('recurring.make', 'recurring.send', 'invoices.remind');
    shop.clock.advance(10);
    expect(await waiting()).toMatchObject({ reminder: [0, 0], recurring: [0, 0] });
    expect((await remarks()).filter(remark => /^(reminder|recurring)/.test(remark))).toEqual([]);
  });
});
