import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHttpExchange } from '../../../src/server/platform/http-exchange.ts';
import { redact } from '../../../src/server/platform/logging.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';

let shop: TestApp;
beforeAll(async () => {
  shop = await startTestApp();
});
afterAll(() => shop?.close());

const email = 'canary.payer@secret-domain.example';
const card = '4242424242424242';

it('each request is logged with id, route, status and time, and without its content', async () => {
  const { headers, body } = await shop.request('GET /v1/payments?reference=canary-reference');
  const line = shop.logs.map(text => JSON.parse(text)).find(({ req }) => req === headers['request-id']);
  expect(line).toMatchObject({ msg: 'GET /v1/payments', status: 200, key: expect.stringMatching(/^key_/) });
  expect(line.ms).toBeGreaterThan(0);
  expect(shop.logs.join('')).not.toContain('canary-reference');
  expect(body.data).toEqual([]);
});

it('requests to the sandbox network are logged at level debug only', async () => {
  const levels = async (path: string) => {
    const { headers } = await shop.request(`GET ${path}` as 'GET /', { key: null });
    return shop.logs
      .map(text => JSON.parse(text))
      .filter(({ req }) => req === headers['request-id'])
      .map(({ level }) => level);
  };
  expect(await levels('/sandbox/horizon/fee_stats')).toEqual([20]);
  expect(await levels('/sandbox/horizon/accounts/GNOBODY')).toEqual([20]);
  expect(await levels('/readyz')).toEqual([30]);
});

it('no secret, card number or address of a payer is logged, even with errors', async () => {
  const { body: payment } = await shop.request('POST /v1/payments', {
    body: {
      amount: 1000,
      currency: 'USD',
      settlement_asset: 'USDC',
      settlement_network: 'stellar',
      payment_methods: ['card', 'bank_transfer'],
      customer: { email, name: 'Canary Name' },
      description: `card ${card}`,
    },
  });
  const canaries = [email, 'Canary Name', card, payment.client_secret, payment.checkout_url, shop.merchant.secretKey];
  await shop.request(`GET /v1/payments/${payment.id}`, { key: payment.client_secret });
  await shop.request(`GET /v1/payments?customer=${email}`);
  await shop.request(`GET /nowhere/${card}?client_secret=${payment.client_secret}`);
  await shop.request('POST /v1/payments', { body: `{"card":"${card}",` });
  await shop.database.db.schema.alterTable('payments').renameTo('payments_away').execute();
  const broken = await shop.request(`POST /v1/payments/${payment.id}/confirm`, {
    body: { method: 'card', token: card },
    headers: { 'idempotency-key': shop.merchant.secretKey },
  });
  await shop.database.db.schema.alterTable('payments_away').renameTo('payments').execute();
  expect(broken.status).toBe(500);
  expect(broken.text).not.toMatch(/payments_away|relation|\.ts:|stack/);
  const log = shop.logs.join('');
  expect(log).toContain('a request failed');
  for (const canary of canaries) expect(log).not.toContain(canary);
});

it('row values are not logged when the database refuses a row or fails', async () => {
  const { pool } = shop.database;
  const { body: payment } = await shop.request('POST /v1/payments', {
    body: {
      amount: 1000,
      currency: 'USD',
      settlement_asset: 'USDC',
      settlement_network: 'stellar',
      payment_methods: ['card'],
      customer: { email, name: 'Canary Row' },
      description: 'canary of a row',
    },
  });
  const cancel = async () => {
    const answer = await shop.request(`POST /v1/payments/${payment.id}/cancel`);
    expect(answer.status).toBe(500);
    const line = shop.logs.map(text => JSON.parse(text)).findLast(({ msg }) => msg === 'a request failed');
    const { type, code, constraint, table, stack } = line.err;
    expect(stack).toContain('\n    at ');
    return { type, code, constraint, table };
  };
  await pool.query(`alter table payments add constraint no_end check (status <> 'failed') not valid`);
  expect(await cancel()).toMatchObject({
    type: 'DatabaseError',
    code: '23514',
    constraint: 'no_end',
    table: 'payments',
  });
  await pool.query('alter table payments drop constraint no_end');
  await pool.query(`create function complain() returns trigger language plpgsql as
    $$ begin execute format('select %L::int', 'canary of a row') ; return new; end $$`);
  await pool.query('create trigger complain before update on payments for each row execute function complain()');
  expect(await cancel()).toMatchObject({ type: 'DatabaseError', code: '22P02' });
  await pool.query('drop function complain cascade');
  const log = shop.logs.join('');
  expect(log).not.toMatch(/Failing row|Canary Row|PL\/pgSQL function/);
});

it('a server that cannot be reached is not reported as the database, and has one line a second', async () => {
  const http = createHttpExchange();
  const price = async () => {
    await http.send({ url: new URL('http://127.0.0.1:1/order_book') });
    return null;
  };
  const blind = await startTestApp({ beside: shop, rateSource: { id: 'dead', wellKnownAssets: {}, price } });
  for (let call = 0; call < 2; call++) {
    const { status, body } = await blind.request('GET /v1/rates?from=EUR&to=XLM');
    expect([status, body.error.code]).toEqual([503, 'rate_unavailable']);
  }
  const errors = blind.logs.map(text => JSON.parse(text)).filter(({ level }) => level === 50);
  expect(errors).toMatchObject([{ msg: 'requests are refused', reason: expect.stringContaining('ECONNREFUSED') }]);
  await blind.close();
  http.close();
});

it('a migration below a running server costs a request a 503 at most, and no error is logged', async () => {
  const { pool } = shop.database;
  const order = { amount: 1000, currency: 'USD', settlement_asset: 'USDC', settlement_network: 'stellar' };
  const create = { ...order, customer: { email } };
  const pay = () => shop.request('POST /v1/payments', { body: { ...create, payment_methods: ['card'] } });
  const { body: payment } = await pay();
  const describe = (description: string) =>
    shop.request(`PATCH /v1/payments/${payment.id}` as 'PATCH /', { body: { description } });
  expect((await describe('before')).status).toBe(200);
  const logged = shop.logs.length;
  await pool.query('alter table payments add column of_a_newer_server integer');
  const refused = await describe('during');
  expect([refused.status, refused.body.error]).toEqual([
    503,
    expect.objectContaining({ code: 'unavailable', message: expect.stringContaining('being upgraded') }),
  ]);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect((await describe('after')).body.description).toBe('after');
  expect((await pay()).status).toBe(201);
  const levels = shop.logs.slice(logged).map(text => JSON.parse(text).level);
  expect(Math.max(...levels)).toBe(30);
  await pool.query('alter table payments drop column of_a_newer_server');
});

it.each([
  ['key sk_test_abcdefghijklmnop1234 x', 'key sk_test_[redacted] x'],
  ['key pk_live_abcdefghijklmnop1234', 'key pk_live_[redacted]'],
  ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD rest', 'whsec_[redacted] rest'],
  ['pay_3kTMd0PpC1hJ6nLq2uXs9B_secret_abc123', 'pay_3kTMd0PpC1hJ6nLq2uXs9B_secret_[redacted]'],
  ['{"authorization":"Bearer abc.def"}', '{"authorization":"Bearer [redacted]"}'],
  ['4242 4242 4242 4242', '[redacted]'],
  ['"number":"5555555555554444"', '"number":"[redacted]"'],
  ['378282246310005 amex', '[redacted] amex'],
  ['order 4242424242424241 is no card', 'order 4242424242424241 is no card'],
  ['at 2026-11-02T09:00:00.000Z', 'at 2026-11-02T09:00:00.000Z'],
  ['to ada.lovelace@shop.example', 'to a***@shop.example'],
  [`seed S${'A'.repeat(55)}`, 'seed [redacted]'],
  ['GET /v1/payments', 'GET /v1/payments'],
])('a log line is redacted: %s', (line, expected) => {
  expect(redact(line)).toBe(expected);
});
