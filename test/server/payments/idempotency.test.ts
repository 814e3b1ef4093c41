import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReportedPrice } from '../../../src/server/rates/rates.ts';
import type { TestAnswer } from '../../support/app.ts';
import { instructionsOf, order, type PaymentLab, refusal, startPaymentLab } from './payment-lab.ts';

let lab: PaymentLab;
let price = '1.09';
let count = 0;
beforeAll(async () => {
  lab = await startPaymentLab({
    rateSource: {
      id: 'test',
      wellKnownAssets: { USDC: 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5' },
      price: async (from): Promise<ReportedPrice | null> => (from === 'EUR' ? { price, asOf: lab.clock.now() } : null),
    },
  });
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const freshKey = () => `order-${++count}`;
const origin = 'https://shop.example';
const create = (key: string, changes: object = {}, as = lab.merchant.secretKey) =>
  lab.request('POST /v1/payments', {
    key: as,
    headers: { 'idempotency-key': key, origin },
    body: { ...order, ...changes },
  });
const pay = (id: string, key: string, body: object = { method: 'card', token: 'tok_visa' }) =>
  lab.request(`POST /v1/payments/${id}/confirm`, { headers: { 'idempotency-key': key }, body });
const countOf = async (reference: string) =>
  (await lab.request(`GET /v1/payments?limit=100&reference=${reference}`)).body.data.length;

/**
 * Expects that one of the calls ran, others repeated its answer, and the rest were refused. Returns the object's id.
 */
function expectOneExecution(answers: readonly TestAnswer[], status: number): string {
  const done = answers.filter(answer => answer.status === status);
  for (const other of answers.filter(answer => answer.status !== status)) {
    expect(refusal(other)).toEqual([409, 'idempotency_in_progress', 'Idempotency-Key']);
    expect(other.headers['retry-after']).toBe('1');
  }
  expect(done.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
  expect(new Set(done.map(({ text }) => text)).size).toBe(1);
  return done[0]?.body.id;
}

describe('calls of two merchants about one payment, which share a transaction', () => {
  it.each([
    ['confirm', { method: 'card', token: 'tok_visa' }, 'payment_already_settled'],
    ['refunds', { amount: 12_841 }, 'refund_exceeds_payment'],
  ])('%s: find the payment for its own merchant only', async (action, body, refused) => {
    const stranger = await lab.addMerchant();
    const { id } = await lab.createPaid();
    const path = `POST /v1/payments/${id}/${action}` as const;
    const call = (key: string, sent: object) => lab.request(path, { key, body: sent });
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => [
        await call(lab.merchant.secretKey, body),
        await call(stranger.secretKey, body),
      ]).concat(Array.from({ length: 8 }, async () => [await call(stranger.secretKey, body)])),
    );
    const codes = answers.flat().map(answer => answer.body.error?.code);
    expect(codes.filter(code => code === refused)).toHaveLength(8);
    expect(codes.filter(code => code === 'resource_missing')).toHaveLength(16);
  });
});

describe('a creation with an Idempotency-Key', () => {
  it('creates one payment when it is sent fifty times concurrently', async () => {
    const key = freshKey();
    const answers = await Promise.all(Array.from({ length: 50 }, () => create(key, { reference: 'fifty' })));
    const id = expectOneExecution(answers, 201);
    expect(answers.every(({ status }) => status === 201)).toBe(true);
    expect(await countOf('fifty')).toBe(1);
    expect(await lab.eventsOf(id)).toEqual(['payment.created']);
  });

  it('and concurrent different ones each create a payment', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => create(`mixed-${i % 20}`, { reference: 'mixed', amount: 1_000 + (i % 20) })),
    );
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(20);
    expect(await countOf('mixed')).toBe(20);
  });

  it('is answered again byte for byte, with the client secret and the location', async () => {
    const key = freshKey();
    const [first, again] = [await create(key), await create(key)];
    expect(again.text).toBe(first.text);
    expect(again.headers.location).toBe(first.headers.location);
    expect([first.headers['idempotent-replayed'], again.headers['idempotent-replayed']]).toEqual([undefined, 'true']);
  });

  it.each(['secret', 'publishable'] as const)('is stored without its client secret: by a %s key', async kind => {
    const shop = await lab.addMerchant({ clientAmounts: true, allowedOrigins: [origin] });
    const name = freshKey();
    const changes = { metadata: { client_secret: '', n: '"client_secret":""' } };
    const call = () => create(name, changes, kind === 'secret' ? shop.secretKey : shop.publishableKey);
    const [first, again] = [await call(), await call()];
    const secret = first.body.client_secret;
    expect(secret).toMatch(/^pay_\w{22}_secret_\w{44}$/);
    expect(again.text).toBe(first.text);
    const { rows } = await lab.database.pool.query('select t::text as kept from idempotency_keys t where key = $1', [
      name,
    ]);
    expect(rows).toHaveLength(1);
    expect(rows[0].kept).not.toContain(secret.split('_secret_')[1]);
  });

  it('is answered again without a rate, with other settings, and after the payment', async () => {
    const key = freshKey();
    const shop = await lab.addMerchant();
    const body = { redirect_url: 'https://shop.example/thanks' };
    const first = await create(key, body, shop.secretKey);
    await lab.request('PATCH /v1/account', {
      key: shop.secretKey,
      body: { redirect_origins: ['https://other.example'] },
    });
    expect((await create(key, body, shop.secretKey)).text).toBe(first.text);
    expect(refusal(await create(freshKey(), body, shop.secretKey))[1]).toBe('invalid_redirect_url');
    const paid = await create(key);
    await lab.payByCard(paid.body.id);
    price = '0';
    lab.clock.advance(2);
    expect(refusal(await create(freshKey()))).toEqual([503, 'rate_unavailable', null]);
    expect((await create(key)).text).toBe(paid.text);
    price = '1.09';
  });

  it('is refused with another amount, and nothing is written', async () => {
    const key = freshKey();
    await create(key, { reference: 'reused' });
    const other = await create(key, { reference: 'reused', amount: 1 });
    expect(refusal(other)).toEqual([422, 'idempotency_key_reused', 'Idempotency-Key']);
    expect(await countOf('reused')).toBe(1);
  });

  it('is separate for another merchant', async () => {
    const key = freshKey();
    const stranger = await lab.addMerchant();
    const [mine, theirs] = [await create(key), await create(key, {}, stranger.secretKey)];
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.body.id).not.toBe(mine.body.id);
  });

  it.each([
    ['256 characters', 'k'.repeat(256)],
    ['nothing', ''],
    ['a line break', 'a\r\nb'],
  ])('is refused with a key of %s', async (_, key) => {
    expect(refusal(await create(key))).toEqual([400, 'invalid_idempotency_key', 'Idempotency-Key']);
  });

  it('is executed again after an internal error, and after its body was refused', async () => {
    const key = freshKey();
    expect((await create(key, { amount: 0 })).status).toBe(400);
    await lab.database.pool.query("alter table payments add constraint no_doomed check (reference <> 'doomed')");
    const failed = await create(key, { reference: 'doomed' });
    const beside = await Promise.all([create(freshKey(), { reference: 'doomed' }), create(freshKey())]);
    await lab.database.pool.query('alter table payments drop constraint no_doomed');
    const again = await create(key, { reference: 'doomed' });
    expect([failed.status, ...beside.map(({ status }) => status), again.status]).toEqual([500, 500, 201, 201]);
    expect(again.headers['idempotent-replayed']).toBeUndefined();
    expect(await countOf('doomed')).toBe(1);
  });
});

describe('a confirmation with an Idempotency-Key', () => {
  it('charges once when it is sent fifty times concurrently', async () => {
    const { id } = await lab.create();
    const key = freshKey();
    expectOneExecution(await Promise.all(Array.from({ length: 50 }, () => pay(id, key))), 200);
    const again = await pay(id, key);
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
    expect((await lab.read(id)).amount_received).toBe(12_840);
    expect(await lab.eventsOf(id)).toEqual(['payment.created', 'payment.completed']);
  });

  it('charges once also without a key, however often it is sent', async () => {
    const { id } = await lab.create();
    const answers = await Promise.all(Array.from({ length: 20 }, () => lab.payByCard(id)));
    const codes = answers.map(({ status, body }) => (status === 200 ? 'paid' : body.error.code));
    expect(codes.filter(code => code === 'paid')).toHaveLength(1);
    const known = ['paid', 'payment_in_flight', 'payment_already_settled'];
    expect(codes.filter(code => !known.includes(code))).toEqual([]);
    expect((await lab.read(id)).amount_received).toBe(12_840);
  });

  it.each([0, 1, 2, 4])('opens one 3-D Secure page, however often it is sent, every %d ms', async pause => {
    const { id } = await lab.create();
    const press = (_: unknown, i: number) => sleep(i * pause).then(() => lab.payByCard(id, 'tok_3ds'));
    const answers = await Promise.all(Array.from({ length: 20 }, press));
    const known = ['requires_action', 'awaiting_payer', 'payment_in_flight'];
    const codes = answers.map(({ status, body }) => (status === 200 ? body.phase : body.error.code));
    expect(codes.filter(code => !known.includes(code))).toEqual([]);
    const payment = await lab.read(id);
    expect(payment.phase).toBe('requires_action');
    await lab.request(pathOf(await lab.answerChallenge(payment, 'approve')));
    expect(await lab.read(id)).toMatchObject({ status: 'completed', amount_received: 12_840, exception: null });
  });

  it('repeats a decline, and tries another card with another key', async () => {
    const { id } = await lab.create();
    const declined = { method: 'card', token: 'tok_declined' };
    const [first, again] = [await pay(id, 'card-1', declined), await pay(id, 'card-1', declined)];
    expect([first.status, again.text]).toEqual([402, first.text]);
    expect(refusal(await pay(id, 'card-1'))[1]).toBe('idempotency_key_reused');
    expect((await lab.read(id)).phase).toBe('awaiting_payer');
    expect((await pay(id, 'card-2')).body.status).toBe('completed');
  });
});

describe('a call that a crash has interrupted', () => {
  const send = (id: string, action: string, key: string, body: object) =>
    lab.request(`POST /v1/payments/${id}/${action}`, { headers: { 'idempotency-key': key }, body });

  /** The server dies before it stores the answer. Its claim ends. */
  const loseAnswer = (key: string) =>
    lab.database.pool.query(
      "update idempotency_keys set answer_status = null, answer_body = null, running_until = now() - interval '1 second' where key = $1",
      [key],
    );

  /** The server dies before the acquirer gets the charge. */
  const loseCharge = (id: string) =>
    lab.database.pool.query(
      'delete from sandbox.charges c using payment_attempts a where a.payment_id = $1 and c.attempt_id = a.id',
      [id],
    );

  it.each(['tok_visa', 'tok_3ds', 'tok_timeout', 'tok_declined'])(
    'answers the outcome of its own charge: %s',
    async token => {
      const { id } = await lab.create();
      const key = freshKey();
      const body = { method: 'card', token };
      const first = await send(id, 'confirm', key, body);
      await loseAnswer(key);
      lab.clock.advance(3);
      await lab.sweep('payments.attempts');
      const now = await lab.read(id);
      const retry = await send(id, 'confirm', key, body);
      expect([retry.status, retry.headers['idempotent-replayed']]).toEqual([first.status, undefined]);
      if (token === 'tok_declined') expect(refusal(retry)).toEqual(refusal(first));
      else expect([retry.body.phase, retry.body.next_action]).toEqual([now.phase, now.next_action]);
      expect((await send(id, 'confirm', key, body)).text).toBe(retry.text);
      expect((await lab.read(id)).amount_received).toBe(token === 'tok_visa' || token === 'tok_timeout' ? 12_840 : 0);
    },
  );

  it.each(['before the charge', 'after the service gave the charge up'])('charges the card: %s', async when => {
    const { id } = await lab.create();
    const key = freshKey();
    await pay(id, key, { method: 'card', token: 'tok_timeout' });
    await loseCharge(id);
    await loseAnswer(key);
    if (when.startsWith('after')) lab.clock.advance(31);
    if (when.startsWith('after')) await lab.sweep('payments.attempts');
    const retry = await pay(id, key, { method: 'card', token: 'tok_timeout' });
    expect([retry.status, retry.body.phase]).toEqual([200, 'processing']);
    await loseAnswer(key);
    const second = await pay(id, key, { method: 'card', token: 'tok_timeout' });
    expect([second.status, second.body.phase]).toEqual([200, 'paid']);
    lab.clock.advance(3);
    await lab.sweep('payments.attempts');
    expect(await lab.read(id)).toMatchObject({ status: 'completed', amount_received: 12_840, exception: null });
  });

  it.each([
    ['tok_visa', 200, 500],
    ['tok_uncapturable', 402, 0],
  ])('answers the outcome of its own capture: %s', async (token, status, received) => {
    const { id } = await lab.create({ capture_method: 'manual', payment_methods: ['card'] });
    await lab.payByCard(id, token);
    const key = freshKey();
    const first = await send(id, 'capture', key, { amount: 500 });
    await loseAnswer(key);
    const retry = await send(id, 'capture', key, { amount: 500 });
    expect([first.status, retry.status, (await lab.read(id)).amount_received]).toEqual([status, status, received]);
    expect(refusal(await send(id, 'capture', freshKey(), { amount: 500 }))[0]).toBe(409);
  });

  it.each([
    ['confirm', 'tok_visa', { method: 'card', token: 'tok_visa' }, 'payments', "status <> 'completed'", 200],
    [
      'confirm',
      'tok_declined',
      { method: 'card', token: 'tok_declined' },
      'payment_attempts',
      "state <> 'declined'",
      402,
    ],
    ['capture', 'tok_visa', { amount: 500 }, 'payments', "status <> 'completed'", 200],
    ['capture', 'tok_uncapturable', { amount: 500 }, 'payments', "phase <> 'declined'", 402],
    ['cancel', 'tok_3ds', {}, 'payments', "phase <> 'canceled'", 200],
    ['resolve', 'tok_3ds', { action: 'accept' }, 'payments', "status <> 'completed'", 200],
    ['resolve', 'tok_3ds', { action: 'refund' }, 'refunds', "status <> 'pending'", 200],
    ['evidence', 'tok_visa', { explanation: 'Delivered.' }, 'disputes', "status <> 'under_review'", 200],
    ['accept', 'tok_visa', {}, 'disputes', "status <> 'closed'", 200],
  ])('answers its own outcome after a crash between the rail and the books: %s %s', async (...row) => {
    const [action, token, body, table, unlessBooked, status] = row;
    const isDispute = table === 'disputes';
    const capture_method = action === 'capture' ? 'manual' : 'automatic';
    const payment_methods = action === 'resolve' ? ['card', 'bank_transfer'] : ['card'];
    const { id } = await lab.create({ capture_method, payment_methods });
    if (action === 'resolve') {
      const { reference } = instructionsOf((await lab.payByBank(id)).body);
      await lab.credit({ reference, amount: 5_000 });
    }
    if (action !== 'confirm') await lab.payByCard(id, token);
    if (isDispute) await lab.request('POST /v1/test_helpers/cards/disputes', { body: { payment: id } });
    const ofPayment = isDispute ? (await lab.request(`GET /v1/disputes?payment=${id}`)).body.data[0].id : null;
    const path = isDispute
      ? (`/v1/disputes/${ofPayment}/${action}` as const)
      : (`/v1/payments/${id}/${action}` as const);
    const key = freshKey();
    const call = () => lab.request(`POST ${path}`, { headers: { 'idempotency-key': key }, body });
    await lab.database.pool.query(`alter table ${table} add constraint crashed check (${unlessBooked}) not valid`);
    const crashed = await call();
    await lab.database.pool.query(`alter table ${table} drop constraint crashed`);
    const retry = await call();
    expect([crashed.status, retry.status, retry.headers['idempotent-replayed']]).toEqual([500, status, undefined]);
    expect((await call()).text).toBe(retry.text);
    if (action === 'confirm' || action === 'capture' || action === 'resolve') {
      const received = { confirm: 12_840, capture: 500, resolve: 5_000 }[action];
      expect((await lab.read(id)).amount_received).toBe(status === 200 ? received : 0);
    }
  });

  it('never keeps a conflict that passes', async () => {
    const { id } = await lab.create();
    await lab.payByCard(id, 'tok_timeout');
    const key = freshKey();
    expect(refusal(await send(id, 'cancel', key, {}))[1]).toBe('payment_in_flight');
    await loseCharge(id);
    lab.clock.advance(31);
    await lab.sweep('payments.attempts');
    expect((await send(id, 'cancel', key, {})).body.phase).toBe('canceled');
  });
});

describe('a refund with an Idempotency-Key', () => {
  const refund = (id: string, key: string, body: object = { amount: 100 }) =>
    lab.request(`POST /v1/payments/${id}/refunds`, { headers: { 'idempotency-key': key }, body });

  it('is made once when it is sent thirty times concurrently, and answered byte for byte', async () => {
    const { id } = await lab.createPaid();
    const key = freshKey();
    expectOneExecution(await Promise.all(Array.from({ length: 30 }, () => refund(id, key))), 201);
    const again = await refund(id, key);
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
    expect((await lab.request(`GET /v1/payments/${id}/refunds`)).body.data).toHaveLength(1);
    expect(refusal(await refund(id, key, { amount: 200 }))[1]).toBe('idempotency_key_reused');
  });

  it('repeats an error of the executed request, and runs again after its body was refused', async () => {
    const { id } = await lab.create();
    const key = freshKey();
    const first = await refund(id, key);
    expect(refusal(first)[1]).toBe('illegal_state');
    await lab.payByCard(id);
    const again = await refund(id, key);
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
    const other = freshKey();
    expect(refusal(await refund(id, other, { amount: 99_999 }))[0]).toBe(400);
    expect((await refund(id, other, { amount: 100 })).status).toBe(201);
  });
});

function pathOf(url: URL): `GET /${string}` {
  return `GET ${url.pathname as `/${string}`}${url.search}`;
}
