import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

async function pay(confirm: object, changes: object = {}, key = app.merchant.secretKey) {
  const created = await app.request('POST /v1/payments', {
    key,
    body: {
      amount: 12_840,
      currency: 'EUR',
      settlement_asset: 'USDC',
      settlement_network: 'stellar',
      payment_methods: ['card', 'bank_transfer'],
      customer: { email: 'ada@example.com' },
      ...changes,
    },
  });
  return (await app.request(`POST /v1/payments/${created.body.id}/confirm`, { key, body: confirm })).body;
}

const byBank = (rail: 'sepa' | 'ach', changes: object = {}) => pay({ method: 'bank_transfer', rail }, changes);
const read = async (id: string) => (await app.request(`GET /v1/payments/${id}`)).body;
const transfer = (body: object, headers: Record<string, string> = {}) =>
  app.request('POST /v1/test_helpers/bank_transfers', { body, headers });
const dispute = (body: object, key = app.merchant.secretKey) =>
  app.request('POST /v1/test_helpers/cards/disputes', { key, body });

describe('a test bank transfer', () => {
  test.each([
    ['sepa', 'EUR', 'eur'],
    ['ach', 'USD', 'USD'],
  ] as const)('by %s pays the payment of its reference', async (rail, currency, typed) => {
    const payment = await byBank(rail, { currency });
    const { reference } = payment.next_action;
    const answer = await transfer({
      reference: `order 7 ${reference.toLowerCase().replaceAll('-', ' ')}`,
      amount: 12_840,
      currency: typed,
      sender_name: 'Ada Lovelace',
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      object: 'transfer',
      rail,
      currency,
      payment: payment.id,
      status: 'matched',
      amount_applied: 12_840,
      sender: 'Ada Lovelace',
    });
    expect((await read(payment.id)).status).toBe('completed');
  });

  test('with a mistyped reference pays no other payment', async () => {
    const payment = await byBank('sepa', { amount: 4_711 });
    const typed = payment.next_action.reference.replace(/.$/, (last: string) => (last === 'Z' ? 'Y' : 'Z'));
    const { body } = await transfer({ reference: typed, amount: 999, currency: 'EUR' });
    expect(body).toMatchObject({ status: 'unmatched', payment: null, reference: typed });
    expect((await read(payment.id)).amount_received).toBe(0);
  });

  test('without a reference pays the payment of its exact amount', async () => {
    const payment = await byBank('sepa', { amount: 31_337 });
    const { status, body } = await transfer({ amount: 31_337, currency: 'EUR' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ status: 'matched', payment: payment.id, reference: null });
  });

  test.each(['GBP', 'JPY', 'XXX'])('in %s is refused', async currency => {
    const answer = await transfer({ reference: 'x', amount: 1, currency });
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: 'parameter_invalid', param: 'currency' });
  });

  test('with the same bank reference is one transfer, and conflicts with a different one', async () => {
    const body = { reference: 'rent', amount: 500, currency: 'EUR', bank_reference: 'BANK-1' };
    const first = await transfer(body);
    expect((await transfer(body)).body.id).toBe(first.body.id);
    expect((await transfer({ ...body, amount: 501 })).body.error.param).toBe('bank_reference');
    const stranger = await app.addMerchant();
    const other = await app.request('POST /v1/test_helpers/bank_transfers', { key: stranger.secretKey, body });
    expect(other.status).toBe(201);
    expect(other.body.id).not.toBe(first.body.id);
  });

  test('repeated with its idempotency key is one transfer, also after a crash before the first answer', async () => {
    const body = { reference: 'rent', amount: 700, currency: 'EUR' };
    const key = { 'idempotency-key': 'rent-november' };
    const first = await transfer(body, key);
    await app.database.pool.query('delete from idempotency_keys');
    const again = await transfer(body, key);
    expect(again.headers['idempotent-replayed']).toBeUndefined();
    expect(again.body.id).toBe(first.body.id);
    expect((await transfer(body)).body.id).not.toBe(first.body.id);
  });

  test('answers a repeated key as the first time, whether it pays or not, and refuses another body', async () => {
    const { reference } = (await byBank('sepa')).next_action;
    const bodies = [reference, 'unknown sender'].map(text => ({ reference: text, amount: 12_840, currency: 'EUR' }));
    const send = () => Promise.all(bodies.map((body, i) => transfer(body, { 'idempotency-key': `both-${i}` })));
    const first = await send();
    expect(first.map(({ body }) => body.status)).toEqual(['matched', 'unmatched']);
    const again = await send();
    expect(again.map(({ text }) => text)).toEqual(first.map(({ text }) => text));
    expect(again.map(({ headers }) => headers['idempotent-replayed'])).toEqual(['true', 'true']);
    const other = await transfer({ ...bodies[0], amount: 1 }, { 'idempotency-key': 'both-0' });
    expect(other.body.error.code).toBe('idempotency_key_reused');
    expect((await app.request(`GET /v1/transfers?payment=${first[0]?.body.payment}`)).body.data).toHaveLength(1);
  });

  test('is not delayed by others that arrive concurrently', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => transfer({ reference: `flood ${i}`, amount: 10_000 + i, currency: 'EUR' })),
    );
    expect(answers.map(answer => answer.status)).toEqual(answers.map(() => 201));
    expect(new Set(answers.map(answer => answer.body.id)).size).toBe(40);
  });

  test('is for test mode and secret keys only', async () => {
    const body = { reference: 'x', amount: 1, currency: 'EUR' };
    const live = await app.addKey(app.merchant.id, 'secret', { livemode: true });
    const calls = [live, app.merchant.publishableKey, null].map(key =>
      app.request('POST /v1/test_helpers/bank_transfers', { key, body }),
    );
    expect((await Promise.all(calls)).map(answer => answer.status)).toEqual([403, 403, 401]);
  });
});

describe('a test dispute', () => {
  test('marks the payment and notifies the merchant once', async () => {
    const payment = await pay({ method: 'card', token: 'tok_visa' });
    const first = await dispute({ payment: payment.id, reason: 'product_not_received' });
    expect(first.status).toBe(201);
    expect(first.body.id).toBe(payment.id);
    expect((await dispute({ payment: payment.id, reason: 'product_not_received' })).status).toBe(201);
    expect((await dispute({ payment: payment.id, amount: 1 })).body.error.code).toBe('illegal_state');
    const events = (await app.request('GET /v1/events?limit=100')).body.data;
    const matching = events.filter(
      (event: { type: string; data: { object: { id: string } } }) =>
        event.type === 'payment.disputed' && event.data.object.id === payment.id,
    );
    expect(matching).toHaveLength(1);
  });

  test('above the charged amount, of a bank transfer, or of another merchant’s payment is refused', async () => {
    const card = await pay({ method: 'card', token: 'tok_visa' });
    expect((await dispute({ payment: card.id, amount: 12_841 })).body.error.param).toBe('amount');
    const bank = await byBank('sepa', { amount: 321 });
    expect((await dispute({ payment: bank.id })).status).toBe(409);
    const stranger = await app.addMerchant();
    expect((await dispute({ payment: card.id }, stranger.secretKey)).status).toBe(404);
  });
});

describe('3-D Secure through the service', () => {
  test.each([
    ['approve', 'completed'],
    ['decline', 'pending'],
    ['close', 'pending'],
  ])('after "%s" redirects the payer, and the payment is %s', async (choice, status) => {
    const payment = await pay({ method: 'card', token: 'tok_3ds', return_url: 'http://localhost:3000/thanks?a=1' });
    const page = new URL(payment.next_action.url).pathname;
    await app.app.http.inject({
      method: 'POST',
      url: page,
      payload: `choice=${choice}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    const { body, headers } = await app.app.http.inject({ method: 'GET', url: page });
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; .*frame-ancestors \*$/);
    expect(headers['x-frame-options']).toBeUndefined();
    const back = new URL(/url=([^"]+)"/.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? '');
    const resumed = await app.app.http.inject({ method: 'GET', url: back.pathname + back.search });
    expect(resumed.headers.location).toContain(`payment_id=${payment.id}`);
    const after = await read(payment.id);
    expect(after.status).toBe(status);
    if (status === 'pending') expect(after.last_attempt.code).toBe('authentication_failed');
  });
});
