import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/core/id.ts';
import { createSandboxCollecting } from '../../src/sandbox/phone/collecting.ts';
import type { CollectingRail } from '../../src/server/rails/mobile-money/collecting.ts';
import { startTestApp, type TestApp } from '../support/app.ts';

let app: TestApp;
let rail: CollectingRail;
beforeAll(async () => {
  app = await startTestApp();
  rail = createSandboxCollecting({ db: app.database.db, rail: 'mtn' });
});
afterAll(() => app.close());

async function newPayment(key = app.merchant.secretKey): Promise<string> {
  const { body } = await app.request('POST /v1/payments', {
    key,
    body: {
      amount: 15_000,
      currency: 'UGX',
      settlement_asset: 'USDC',
      settlement_network: 'stellar',
      payment_methods: ['mobile_money'],
      customer: { email: 'ada@example.com' },
    },
  });
  return body.id;
}

let lastNumber = 256_772_000_100;

/** A prompt on a phone of its own. `outcome` asks the operator for its state. */
async function prompted(changes: { merchantId?: string; number?: string } = {}) {
  const number = changes.number ?? `+${++lastNumber}`;
  const merchantId = changes.merchantId ?? app.merchant.id;
  const attemptId = newId('attempt');
  const paymentId = newId('payment');
  const request = {
    attemptId,
    merchantId,
    paymentId,
    payee: 'Nordlys Supply',
    number,
    amount: 15_000n,
    currency: 'UGX',
  };
  await rail.prompt({ ...request, now: app.clock.now() });
  const outcome = async () => {
    const found = await rail.promptStatus({ merchantId, id: attemptId }, app.clock.now());
    return found?.state === 'refused' ? found.refusal.code : found?.state;
  };
  return { number, outcome };
}

const onPhone = (number?: string) =>
  app.request(`GET /sandbox/phone/prompts${number === undefined ? '' : `?number=${encodeURIComponent(number)}`}`, {
    key: null,
  });
const answerOf = (id: string, body: object) => app.request(`POST /sandbox/phone/prompts/${id}`, { key: null, body });
const helper = (body: object, key = app.merchant.secretKey) =>
  app.request('POST /v1/test_helpers/mobile_money', { key, body });

describe('the phone', () => {
  test('shows the prompt of its number, until it ends', async () => {
    const { number, outcome } = await prompted();
    const { body } = await onPhone(number);
    expect(body).toEqual([
      {
        id: expect.stringMatching(/^sbx_prompt_/),
        provider: 'mtn',
        payee: 'Nordlys Supply',
        number,
        amount: 15_000,
        currency: 'UGX',
        expires_in: 120,
      },
    ]);
    expect((await onPhone('+256772999999')).body).toEqual([]);
    app.clock.advance(50);
    expect((await onPhone(number)).body[0].expires_in).toBe(70);
    app.clock.advance(70);
    expect((await onPhone(number)).body).toEqual([]);
    expect((await answerOf(body[0].id, { choice: 'refuse' })).body.error.code).toBe('illegal_state');
    expect(await outcome()).toBe('prompt_expired');
  });

  test.each([
    [{ choice: 'approve', pin: '1234' }, 'collected', true],
    [{ choice: 'approve', pin: '4321' }, 'wrong_pin', false],
    [{ choice: 'refuse' }, 'prompt_refused', false],
  ])('takes %o: %s', async (choice, expected, taken) => {
    const { number, outcome } = await prompted();
    const [{ id }] = (await onPhone(number)).body;
    const answer = await answerOf(id, choice);
    expect([answer.status, answer.body]).toEqual([200, { taken }]);
    expect(await outcome()).toBe(expected);
    expect((await onPhone(number)).body).toEqual([]);
    expect((await answerOf(id, { choice: 'refuse' })).status).toBe(409);
    expect(await outcome()).toBe(expected);
  });

  test('without a number lists the prompts of the demo shop’s account only', async () => {
    const stranger = await app.addMerchant();
    const [own, others] = [await prompted(), await prompted({ merchantId: stranger.id })];
    const numbers = (await onPhone()).body.map((prompt: { number: string }) => prompt.number);
    expect(numbers).toContain(own.number);
    expect(numbers).not.toContain(others.number);
    expect((await onPhone(others.number)).body).toHaveLength(1);
  });

  test('does not show a prompt that its test number answers', async () => {
    const { number } = await prompted({ number: '+256772123099' });
    expect((await onPhone(number)).body).toEqual([]);
  });

  test('follows the merchant’s test clock', async () => {
    const stranger = await app.addMerchant();
    await app.request('POST /v1/test_helpers/clock', { key: stranger.secretKey, body: { advance: 'PT1M' } });
    const { number } = await prompted({ merchantId: stranger.id });
    expect((await onPhone(number)).body[0].expires_in).toBe(60);
    await app.request('POST /v1/test_helpers/clock', { key: stranger.secretKey, body: { advance: 'PT1M' } });
    expect((await onPhone(number)).body).toEqual([]);
  });

  test.each(['0772123456', '+12', 'x'])('refuses the number %s', async number => {
    expect((await onPhone(number)).status).toBe(400);
  });
});

describe('the test helper', () => {
  /** A payment whose prompt waits on a phone. */
  async function waitingPayment(number = `+${++lastNumber}`) {
    const id = await newPayment();
    const body = { method: 'mobile_money', provider: 'mtn', number };
    const confirmed = await app.request(`POST /v1/payments/${id}/confirm`, { body });
    expect(confirmed.body.next_action, confirmed.text).toMatchObject({ type: 'phone_prompt', number });
    return { id, number };
  }

  test.each([
    ['approve', { status: 'completed', last_attempt: null }],
    ['refuse', { phase: 'awaiting_payer', last_attempt: { method: 'mobile_money', code: 'prompt_refused' } }],
    ['silence', { phase: 'awaiting_payer', last_attempt: { method: 'mobile_money', code: 'prompt_expired' } }],
  ])('%s: answers the payment as it is then', async (outcome, expected) => {
    const { id, number } = await waitingPayment();
    const { status, body } = await helper({ payment: id, outcome });
    expect([status, body]).toMatchObject([201, { id, next_action: null, ...expected }]);
    expect((await app.request(`GET /v1/payments/${id}`)).body).toMatchObject(body);
    expect((await onPhone(number)).body).toEqual([]);
    const again = await helper({ payment: id, outcome });
    expect([again.status, again.body.error]).toMatchObject([409, { code: 'illegal_state', param: 'payment' }]);
  });

  test('answers for a test number before the number does', async () => {
    const { id } = await waitingPayment('+256772123789');
    expect((await helper({ payment: id, outcome: 'refuse' })).body.last_attempt.code).toBe('prompt_refused');
  });

  test('answers a repeated call with the same key once', async () => {
    const { id } = await waitingPayment();
    const call = () =>
      app.request('POST /v1/test_helpers/mobile_money', {
        body: { payment: id, outcome: 'approve' },
        headers: { 'idempotency-key': `answer-${id}` },
      });
    expect([(await call()).status, (await call()).body.status]).toEqual([201, 'completed']);
  });

  test('the phone page lets the service learn of the answer at once, too', async () => {
    const { id, number } = await waitingPayment();
    const [prompt] = (await onPhone(number)).body;
    await answerOf(prompt.id, { choice: 'approve', pin: '1234' });
    expect((await app.request(`GET /v1/payments/${id}`)).body.status).toBe('completed');
  });

  test('answers the second prompt of a payment whose first was refused', async () => {
    const { id, number } = await waitingPayment();
    await helper({ payment: id, outcome: 'refuse' });
    const body = { method: 'mobile_money', provider: 'mtn', number };
    await app.request(`POST /v1/payments/${id}/confirm`, { body });
    expect((await helper({ payment: id, outcome: 'approve' })).body.status).toBe('completed');
  });

  test('refuses unknown payments, payments without a prompt, and keys of the browser', async () => {
    const stranger = await app.addMerchant();
    const body = { payment: await newPayment(), outcome: 'approve' };
    expect((await helper(body)).body.error).toMatchObject({ code: 'illegal_state', param: 'payment' });
    expect((await helper(body, stranger.secretKey)).status).toBe(404);
    expect((await helper({ ...body, payment: 'pay_unknown' })).body.error).toMatchObject({
      code: 'resource_missing',
      param: 'payment',
    });
    expect((await helper({ ...body, outcome: 'later' })).status).toBe(400);
    expect((await helper(body, app.merchant.publishableKey)).status).toBe(403);
  });
});
