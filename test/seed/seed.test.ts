import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createPayClient } from '../../src/api/client.ts';
import type { Payment } from '../../src/api/payment.ts';
import { systemClock } from '../../src/core/clock.ts';
import { loadRootSecret } from '../../src/server/platform/root-secret.store.ts';
import { createSecrets } from '../../src/server/platform/secrets.ts';
import { listen, startTestApp, type TestApp } from '../support/app.ts';
import { copyPayments } from './copies.ts';
import { makeOriginals, seedCustomers } from './originals.ts';

const [originals, copies] = [34, 400];

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ clock: systemClock, sweeping: true, merchant: { settlementSchedule: 'manual' } });
  const baseUrl = `http://127.0.0.1:${await listen(app)}`;
  const customers = seedCustomers(20);
  await makeOriginals(createPayClient({ baseUrl, apiKey: app.merchant.secretKey }), originals, customers);
  await app.sweep('payments.make_available');
  // Money on its way is not copied.
  const onItsWay = 'select from payments where amount_refunding > 0';
  await vi.waitFor(async () => expect((await app.database.pool.query(onItsWay)).rowCount).toBe(0), 15_000);
  const secrets = createSecrets(await loadRootSecret(app.database.db));
  const withIds = customers.map(customer => ({
    ...customer,
    id: secrets.customerId(app.merchant.id, false, customer.email),
  }));
  const client = await app.database.pool.connect();
  const plan = { merchantId: app.merchant.id, count: copies, days: 90, since: new Date(0), salt: 'test' };
  await copyPayments(client, { ...plan, customers: withIds }, () => undefined);
  client.release(true);
});
afterAll(() => app.close());

const list = async (query: Record<string, string>): Promise<Payment[]> =>
  (await app.request(`GET /v1/payments?${new URLSearchParams({ limit: '100', ...query })}`)).body.data;

describe('npm run seed', () => {
  it('spreads payments of all methods and outcomes over the days', async () => {
    const old = { 'created_at[lt]': new Date(systemClock.now().getTime() - 86_400_000).toISOString() };
    const days = (await list(old)).map(({ created_at: at }) => at.slice(0, 10));
    expect(days).toHaveLength(100);
    expect(new Set(days).size).toBeGreaterThan(5);
    for (const kind of [
      ...['card', 'bank_transfer', 'crypto'].map(method => ({ method })),
      ...['completed', 'failed', 'refunded'].map(status => ({ status })),
    ]) {
      expect(await list({ ...old, ...kind }), JSON.stringify(kind)).not.toHaveLength(0);
    }
  });

  it.each(['card', 'bank_transfer'])('makes payments by %s that can be refunded', async method => {
    const [payment] = (await list({ method, status: 'completed' })).filter(each => each.amount_refunded === 0);
    const { status, text } = await app.request(`POST /v1/payments/${payment?.id}/refunds`, { body: { amount: 100 } });
    expect(status, text).toBe(201);
    await expect
      .poll(async () => (await app.request(`GET /v1/payments/${payment?.id}`)).body.amount_refunded)
      .toBe(100);
  });

  it('finds the payments of a customer', async () => {
    const [payment] = await list({ status: 'completed' });
    const same = await list({ customer: payment?.customer?.email ?? '' });
    expect(same.map(({ id }) => id)).toContain(payment?.id);
  });
});
