import { afterAll, beforeAll, expect, it } from 'vitest';
import { payeeCount, payees, totalOf } from '../../demo/payroll.ts';
import type { RunView } from '../../demo/server/payout-view.ts';
import { createDemoShop, type DemoShop } from '../../demo/shop-server.ts';
import type { Payout } from '../../src/api/payout.ts';
import { listen, startTestApp, type TestApp } from '../support/app.ts';
import { createTreasuryDatabase } from '../support/treasury-database.ts';

/** They include a Stellar wallet and all payees with a wrong number. */
const people = payees.slice(0, 60);
const longest = { timeout: 30_000, interval: 200 };

let app: TestApp;
let shop: DemoShop;
let url = '';
beforeAll(async () => {
  const clock = { now: () => new Date() };
  const database = await createTreasuryDatabase('running');
  app = await startTestApp({ database, clock, sweeping: true, publicUrl: () => url });
  url = `http://localhost:${await listen(app)}`;
  shop = createDemoShop({ baseUrl: () => url, keys: async () => app.merchant, payees: people });
});
afterAll(async () => {
  shop.close();
  await app.close();
});

/** A visitor of the shop, with a cookie. */
function visit() {
  const cookie = shop.cookieFor(null)?.split(';')[0] ?? '';
  const ask = (path: string, init: RequestInit = {}) =>
    shop.handle(new Request(`${url}/demo/api/payouts${path}`, { ...init, headers: { ...init.headers, cookie } }));
  return {
    start: (body: object, type = 'application/json') =>
      ask('', { method: 'POST', headers: { 'content-type': type, origin: url }, body: JSON.stringify(body) }),
    read: (id: string) => ask(`/${id}`),
  };
}

const runOf = async (answer: Response) => (await answer.json()) as RunView;
const batches = async () => (await app.request('GET /v1/payout-batches')).body.data;

it('lists different people with amounts above zero', () => {
  expect(new Set(payees.map(({ name }) => name)).size).toBe(payeeCount);
  expect(new Set(payees.map(({ where }) => JSON.stringify(where))).size).toBe(payeeCount);
  expect(payees.every(({ amount }) => amount > 0n)).toBe(true);
});

it('sends no money for a form of another site', async () => {
  expect((await visit().start({}, 'text/plain')).status).toBe(400);
  expect(await batches()).toEqual([]);
  expect((await app.request('GET /v1/balance')).body.available).toEqual([]);
});

it('pays once for two presses, and names those that failed', async () => {
  const visitor = visit();
  const pressed = await Promise.all([visitor.start({ wrong_numbers: true }), visitor.start({ wrong_numbers: true })]);
  const [first, second] = (await Promise.all(pressed.map(runOf))) as [RunView, RunView];
  expect(first).toMatchObject({ total: people.length, failed: 0 });
  expect(second.id).toBe(first.id);
  const read = async () => await runOf(await visitor.read(first.id));
  await expect.poll(async () => (await read()).ended, longest).toBe(true);
  const run = await read();
  expect(run).toMatchObject({ waiting: 0, sending: 0, arrived: people.length - 5, failed: 5 });
  expect(run.failures).toHaveLength(5);
  for (const { name, where, reason } of run.failures) {
    expect(people.map(person => person.name)).toContain(name);
    expect([where, reason]).toEqual([expect.stringMatching(/^\+\d+089$/), expect.stringMatching(/ has no account /)]);
  }
  expect(await batches()).toMatchObject([
    { id: first.id, totals: [{ currency: 'EUR', amount: Number(totalOf(people)) }] },
  ]);
  const { data } = (await app.request(`GET /v1/payout-batches/${first.id}/payouts?limit=100`)).body;
  const types = new Set(data.map((payout: Payout) => payout.destination.type));
  expect(types).toEqual(new Set(['mobile_money', 'bank_account', 'crypto_wallet']));
  // Another run may begin once the first has ended.
  const again = await runOf(await visitor.start({}));
  expect(again.id).not.toBe(first.id);
  await expect.poll(async () => (await batches())[0].status, longest).toBe('completed');
}, 90_000);

it('shows visitors no other batch of the merchant', async () => {
  await app.request('POST /v1/test_helpers/fund', { body: { currency: 'EUR', amount: 500 } });
  const destination = { type: 'mobile_money', provider: 'mtn', number: '+233241234567' };
  const { body } = await app.request('POST /v1/payouts/bulk', {
    body: { payouts: [{ amount: 500, currency: 'EUR', destination }] },
  });
  const visitor = visit();
  for (const path of [body.id, `${body.id}/results.csv`, 'pbat_unknown']) {
    expect((await visitor.read(path)).status, path).toBe(404);
  }
});
