import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addSeconds } from '../../src/core/clock.ts';
import { newId } from '../../src/core/id.ts';
import { createSandboxCardAcquirer, type SandboxCardAcquirer } from '../../src/sandbox/card-acquirer.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const now = new Date('2026-11-20T12:00:00Z');
const merchantId = newId('account');
const card = { number: '4242424242424242', expiryMonth: 4, expiryYear: 2029, cvc: '737', name: 'Ada Lovelace' };
const request = {
  merchantId,
  paymentId: newId('payment'),
  payee: 'Nordlys Supply',
  amount: 1_000n,
  currency: 'EUR',
  captureMethod: 'automatic' as const,
  returnUrl: 'https://shop.example/back',
  now,
};

let database: TestDatabase;
let cards: SandboxCardAcquirer;
beforeAll(async () => {
  database = await createTestDatabase();
  cards = createSandboxCardAcquirer({ db: database.db, publicUrl: () => 'https://pay.example', delaySeconds: 30 });
});
afterAll(() => database.drop());

const charge = (token: string, attemptId = newId('attempt')) => cards.charge({ ...request, token, attemptId });

async function capturedBy(token: string): Promise<string> {
  const outcome = await charge(token);
  if (outcome.state !== 'captured') throw new Error(`not captured: ${outcome.state}`);
  return outcome.railReference;
}

describe('the fixed test tokens', () => {
  test.each([
    ['tok_visa', 'captured', { brand: 'visa', last4: '4242' }],
    ['tok_mastercard', 'captured', { brand: 'mastercard', last4: '4444' }],
    ['tok_amex', 'captured', { brand: 'amex' }],
    ['tok_delayed', 'capturing', {}],
    ['tok_3ds', 'requires_action', { url: expect.stringMatching(/^https:\/\/pay\.example\/sandbox\/3ds\/\w{22}$/) }],
    ['tok_declined', 'declined', { decline: { code: 'card_declined', message: expect.any(String) } }],
    ['tok_insufficient_funds', 'declined', { decline: { code: 'insufficient_funds', message: expect.any(String) } }],
    ['tok_expired_card', 'declined', { decline: { code: 'expired_card', message: expect.any(String) } }],
    ['tok_incorrect_cvc', 'declined', { decline: { code: 'incorrect_cvc', message: expect.any(String) } }],
    ['tok_processing_error', 'declined', { decline: { code: 'processing_error', message: expect.any(String) } }],
  ])('%s always results in %s', async (token, state, more) => {
    for (let time = 0; time < 2; time++) {
      expect(await cards.isToken(token)).toBe(true);
      expect(await charge(token)).toMatchObject({ state, ...more });
    }
  });

  test.each(['tok_', 'tok_unheard_of', 'constructor', '', '4242424242424242'])('do not include "%s"', async token => {
    expect(await cards.isToken(token)).toBe(false);
  });

  test('tok_timeout is charged although its answer is lost', async () => {
    const attemptId = newId('attempt');
    expect(await charge('tok_timeout', attemptId)).toEqual({ state: 'unknown' });
    const status = await cards.chargeStatus(attemptId, now);
    expect(status?.state).toBe('captured');
    expect(await charge('tok_timeout', attemptId)).toEqual(status);
  });
});

describe('the test card numbers', () => {
  test.each([
    ['4242 4242 4242 4242', '123', 'visa', '4242', 'captured', null],
    ['5555555555554444', '123', 'mastercard', '4444', 'captured', null],
    ['378282246310005', '1234', 'amex', '0005', 'captured', null],
    ['6205500000000000004', '123', 'unionpay', '0004', 'captured', null],
    ['36227206271667', '123', 'diners', '1667', 'captured', null],
    ['6011111111111117', '123', 'discover', '1117', 'captured', null],
    ['3566002020360505', '123', 'jcb', '0505', 'captured', null],
    ['4111111111111111', '123', 'visa', '1111', 'captured', null],
    ['9999999999999995', '1234', 'unknown', '9995', 'captured', null],
    ['4000000000000077', '123', 'visa', '0077', 'capturing', null],
    ['4000002500003155', '123', 'visa', '3155', 'requires_action', null],
    ['4000000000000002', '123', 'visa', '0002', 'declined', 'card_declined'],
    ['4000000000009995', '123', 'visa', '9995', 'declined', 'insufficient_funds'],
    ['4000000000000069', '123', 'visa', '0069', 'declined', 'expired_card'],
    ['4000000000000127', '123', 'visa', '0127', 'declined', 'incorrect_cvc'],
    ['4000000000000119', '123', 'visa', '0119', 'declined', 'processing_error'],
  ])('%s has its outcome', async (number, cvc, brand, last4, state, code) => {
    const token = await cards.tokenize({ ...card, number, cvc }, now);
    expect(token).toEqual({ token: expect.stringMatching(/^tok_[0-9A-Za-z]{22}$/), brand, last4 });
    const outcome = await charge(token.token);
    expect(outcome.state).toBe(state);
    if (outcome.state === 'declined') expect(outcome.decline.code).toBe(code);
  });

  test.each([
    ['378282246310005', '123'],
    ['4242424242424242', '1234'],
    ['9999999999999995', '12345'],
  ])('%s is refused with the security code %s', async (number, cvc) => {
    await expect(cards.tokenize({ ...card, number, cvc }, now)).rejects.toMatchObject({ code: 'incorrect_cvc' });
  });

  test('include a card in its last month, in every time zone', async () => {
    const last = { ...card, expiryMonth: 11, expiryYear: 2026 };
    await expect(cards.tokenize(last, new Date('2026-12-01T11:00:00Z'))).resolves.toBeDefined();
    await expect(cards.tokenize(last, new Date('2026-12-01T13:00:00Z'))).rejects.toMatchObject({
      code: 'expired_card',
      param: 'expiry',
    });
  });
});

test('a return URL with an unsafe scheme is refused before anything is charged', async () => {
  const attemptId = newId('attempt');
  const bad = { ...request, attemptId, token: 'tok_3ds', returnUrl: 'javascript:alert(1)' };
  await expect(cards.charge(bad)).rejects.toMatchObject({ code: 'invalid_redirect_url' });
  expect(await cards.chargeStatus(attemptId, now)).toBeNull();
});

describe('slow refunds', () => {
  test.each([
    ['4000000000007726', 'completed'],
    ['4000000000005126', 'failed'],
  ])('of %s are pending, then %s', async (number, state) => {
    const { token } = await cards.tokenize({ ...card, number }, now);
    const railReference = await capturedBy(token);
    const refund = { merchantId, original: railReference, amount: 1_000n, currency: 'EUR', destination: null };
    const id = newId('outboundTransfer');
    const pending = await cards.refund({ ...refund, id, now });
    expect(pending.state).toBe('pending');
    expect((await cards.refund({ ...refund, id: newId('outboundTransfer'), now })).state).toBe('failed');
    const late = addSeconds(now, 30);
    expect(await cards.refundStatus(id, addSeconds(now, 29))).toEqual(pending);
    expect((await cards.refundStatus(id, late))?.state).toBe(state);
    // A failed refund can be repeated; a successful one cannot.
    const again = await cards.refund({ ...refund, id: newId('outboundTransfer'), now: late });
    expect(again.state).toBe(state === 'failed' ? 'pending' : 'failed');
  });
});

describe('a dispute', () => {
  const dispute = (railReference: string, changes: object = {}) =>
    cards.openDispute({ merchantId, railReference, amount: null, reason: 'fraudulent', now, ...changes });

  test('may be for the whole charge or a part, once', async () => {
    const whole = await capturedBy('tok_visa');
    const opened = await dispute(whole);
    expect(opened).toMatchObject({ amount: 1_000n, currency: 'EUR', reason: 'fraudulent' });
    expect(await dispute(whole)).toEqual(opened);
    await expect(dispute(whole, { reason: 'duplicate' })).rejects.toMatchObject({ code: 'illegal_state' });
    expect(await dispute(await capturedBy('tok_visa'), { amount: 1n })).toMatchObject({ amount: 1n });
  });

  test.each([
    ['more than was charged', { amount: 1_001n }, 'parameter_invalid'],
    ['another merchant’s charge', { merchantId: newId('account') }, 'resource_missing'],
    ['a charge that does not exist', { railReference: 'nothing' }, 'resource_missing'],
  ])('of %s is refused', async (_, changes, code) => {
    await expect(dispute(await capturedBy('tok_visa'), changes)).rejects.toMatchObject({ code });
  });

  test('of a charge that was not captured is refused', async () => {
    const outcome = await charge('tok_declined');
    const reference = outcome.state === 'declined' ? outcome.railReference : null;
    await expect(dispute(reference ?? '')).rejects.toMatchObject({ code: 'illegal_state' });
  });
});

test('no card number and no security code reaches the database', async () => {
  const numbers = ['4000056655665556', '5105105105105100', '371449635398431', '4000002500003155'];
  for (const number of numbers) {
    const cvc = number.length === 15 ? '7373' : '737';
    const { token } = await cards.tokenize({ ...card, number, cvc }, now);
    await charge(token);
  }
  const { rows: tables } = await database.pool.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema in ('public', 'sandbox') and table_type = 'BASE TABLE'`,
  );
  let dump = '';
  for (const { name } of tables) {
    const { rows } = await database.pool.query<{ text: string }>(`select t::text as text from ${name} t`);
    dump += rows.map(({ text }) => text).join('\n');
  }
  expect(dump).toContain('5556');
  for (const number of numbers) expect(dump).not.toContain(number.slice(0, 8));
  // The fraction of a time, as in 12:00:00.737, is no security code.
  expect(dump).not.toMatch(/(?<!\d\.)\b737\d?\b/);
});
