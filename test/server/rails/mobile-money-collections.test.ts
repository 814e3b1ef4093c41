import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createHttpExchange } from '../../../src/server/platform/http-exchange.ts';
import type { PromptRequest } from '../../../src/server/rails/mobile-money/collecting.ts';
import { createMtnCollections } from '../../../src/server/rails/mobile-money/mtn-collections.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type FakeMtn, startFakeMtn } from './fake-mtn.ts';
import { type Fault, faults } from './fake-provider.ts';
import { collect, operatorUnavailable, promptOf, statusOf } from './prompt-driver.ts';

let mtn: FakeMtn;
let database: TestDatabase;
const http = createHttpExchange({ largestAnswerBytes: 10_000 });
/** A client with a short timeout, for providers that do not answer. */
const impatient = createHttpExchange({ timeoutMs: 250 });
const addresses = {
  urlOf: (rail: string, purpose: string, { orderId }: { orderId: string }) =>
    `https://pay.example/${rail}/${purpose}/${orderId}`,
  open: () => null,
};
beforeAll(async () => {
  [mtn, database] = await Promise.all([startFakeMtn(), createTestDatabase()]);
});
beforeEach(() => mtn.heal());
afterAll(async () => {
  http.close();
  impatient.close();
  await Promise.all([mtn.close(), database.drop()]);
});

const path = '/collection/v1_0/requesttopay';
const rail = (changes: Partial<FakeMtn['collecting']> = {}, exchange = http) =>
  createMtnCollections({ account: { ...mtn.collecting, ...changes }, db: database.db, http: exchange, addresses });
const railFor = (fault: Fault) => rail({}, fault.startsWith('silent') ? impatient : http);
const prompt = (changes: Partial<PromptRequest> = {}) => promptOf('mtn', changes);
const requestsOf = ({ attemptId }: PromptRequest) =>
  mtn.requests.filter(({ body }) => body['externalId'] === attemptId);
const end = (request: PromptRequest, status: 'SUCCESSFUL' | 'FAILED', reason?: unknown) => {
  for (const each of requestsOf(request)) Object.assign(each, { status, reason });
};

test('a request to pay is sent as MTN documents it, and waits five minutes', async () => {
  const request = prompt();
  const outcome = await rail().prompt(request);
  const call = mtn.calls.findLast(each => each.method === 'POST' && each.path === path);
  expect(JSON.parse(call?.body ?? '')).toEqual({
    amount: '12.00',
    currency: 'GHS',
    externalId: request.attemptId,
    payer: { partyIdType: 'MSISDN', partyId: '233241234567' },
    payerMessage: 'Cafe Nordlys  Sn',
    payeeNote: request.paymentId.replace('_', ''),
  });
  expect(call?.headers).toMatchObject({
    'x-target-environment': 'mtnghana',
    'ocp-apim-subscription-key': 'subscription-2',
    'x-callback-url': `https://pay.example/mtn/prompt/${request.attemptId}`,
  });
  expect(outcome).toEqual({
    state: 'waiting',
    railReference: call?.headers['x-reference-id'],
    expiresAt: new Date(request.now.getTime() + 300_000),
  });
  end(request, 'SUCCESSFUL');
  const railReference = `f-${requestsOf(request)[0]?.reference.slice(0, 8)}`;
  expect(await statusOf(rail(), request)).toEqual({ state: 'collected', railReference, amount: 1_200n });
});

describe('money is collected once', () => {
  test.each(faults)('when the request meets “%s”', async fault => {
    const request = prompt();
    mtn.fail(path, fault);
    const outcome = await collect(
      () => railFor(fault),
      request,
      () => end(request, 'SUCCESSFUL'),
    );
    // MTN's gateway did not forward a throttled request, so its attempt has ended.
    const isUnsent = fault === 'throttled';
    expect(outcome).toMatchObject(isUnsent ? operatorUnavailable : { state: 'collected' });
    expect(requestsOf(request)).toHaveLength(isUnsent ? 0 : 1);
  });

  test.each(faults)('when its status meets “%s”', async fault => {
    const request = prompt();
    mtn.fail(`${path}/`, fault);
    const outcome = await collect(
      () => railFor(fault),
      request,
      () => end(request, 'SUCCESSFUL'),
    );
    expect(outcome).toMatchObject({ state: 'collected' });
    expect(requestsOf(request)).toHaveLength(1);
  });

  test('under any sequence of faults, and it is refused only if MTN got no request', async () => {
    const fault = fc.constantFrom<(Fault | null)[]>(...faults.filter(each => !each.startsWith('silent')), null);
    const several = fc.array(fault, { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(several, several, async (sending, asking) => {
        const request = prompt();
        mtn.heal();
        mtn.fail(`${path}/`, ...asking.filter(each => each !== null));
        mtn.fail(path, ...sending.filter(each => each !== null));
        const outcome = await collect(rail, request, () => end(request, 'SUCCESSFUL'));
        const isUnsent = requestsOf(request).length === 0;
        expect(outcome).toMatchObject(isUnsent ? operatorUnavailable : { state: 'collected' });
        expect(requestsOf(request)).toHaveLength(isUnsent ? 0 : 1);
      }),
      { numRuns: 30 },
    );
  });
});

test.each([
  ['APPROVAL_REJECTED', 'prompt_refused'],
  ['EXPIRED', 'prompt_expired'],
  ['COULD_NOT_PERFORM_TRANSACTION', 'prompt_expired'],
  ['NOT_ENOUGH_FUNDS', 'insufficient_funds'],
  ['PAYER_NOT_FOUND', 'number_not_registered'],
  ['SENDER_ACCOUNT_NOT_ACTIVE', 'number_not_registered'],
  ['PAYER_LIMIT_REACHED', 'operator_limit'],
  ['INTERNAL_PROCESSING_ERROR', 'processing_error'],
  ['constructor', 'processing_error'],
  [{ code: 'PAYER_NOT_FOUND', message: 'Payer does not exist' }, 'number_not_registered'],
  [undefined, 'processing_error'],
])('the reason %j means %s', async (reason, code) => {
  const [request, one] = [prompt(), rail()];
  await one.prompt(request);
  end(request, 'FAILED', reason);
  expect(await statusOf(one, request)).toMatchObject({ state: 'refused', refusal: { code } });
  if (code === 'processing_error') expect(one.problem()).toContain('did not collect (');
});

test.each([
  ['of another attempt', { externalId: 'another' }],
  ['of another amount', { amount: '13.00' }],
  ['of another currency', { currency: 'XOF' }],
  ['without an amount', { amount: undefined }],
])('a status %s decides nothing', async (_, changes) => {
  const [request, one] = [prompt(), rail()];
  await one.prompt(request);
  const [shown] = requestsOf(request);
  Object.assign(shown ?? {}, { status: 'SUCCESSFUL', body: { ...shown?.body, ...changes } });
  expect(await statusOf(one, request)).toEqual({ state: 'unknown' });
  expect(one.problem()).toContain('a different request to pay');
});

test('amounts may come back without decimals', async () => {
  const request = prompt();
  await rail().prompt(request);
  const [shown] = requestsOf(request);
  Object.assign(shown ?? {}, { status: 'SUCCESSFUL', body: { ...shown?.body, amount: '12' } });
  expect(await statusOf(rail(), request)).toMatchObject({ state: 'collected', amount: 1_200n });
});

test('a refused request is refused, unless MTN accepted an earlier one of the attempt', async () => {
  const request = prompt();
  mtn.fail(path, 'reset after');
  expect(await rail().prompt(request)).toEqual({ state: 'unknown' });
  mtn.fail(path, '400 before');
  expect(await rail().prompt(request)).toEqual({ state: 'unknown' });
  expect(await statusOf(rail(), request)).toMatchObject({ state: 'waiting' });
  const [refused, one] = [prompt(), rail()];
  mtn.fail(path, '400 before');
  expect(await one.prompt(refused)).toMatchObject({ state: 'refused', refusal: { code: 'processing_error' } });
  expect(one.problem()).toBe('MTN MoMo Collections: refused a request to pay (BAD_REQUEST)');
});

test('a token that MTN does not issue ends the attempt, and the operator gets a report', async () => {
  const [request, one] = [prompt(), rail({ apiKey: 'wrong' })];
  expect(await one.prompt(request)).toMatchObject(operatorUnavailable);
  expect(one.problem()).toBe('MTN MoMo Collections: answers 401');
  expect(await statusOf(rail(), request)).toMatchObject(operatorUnavailable);
});

test.each([
  ['to a number without country code', { number: '0241234567' }, 'number_not_registered'],
  ['in another currency', { currency: 'XOF' }, 'processing_error'],
  ['of nothing', { amount: 0n }, 'processing_error'],
  ['of a part of the step', { amount: 1_250n }, 'processing_error'],
])('a prompt %s is refused before MTN is asked', async (_, changes, code) => {
  const before = mtn.calls.length;
  expect(await rail().prompt(prompt(changes))).toMatchObject({ state: 'refused', refusal: { code } });
  expect(mtn.calls).toHaveLength(before);
});

test.each([
  [{ environment: 'mtnghana', currency: 'GHS' }, ['GH']],
  [{ environment: 'mtnuganda', currency: 'UGX' }, ['UG']],
  [{ environment: 'mtnivorycoast', currency: 'XOF' }, ['CI']],
  [{ environment: 'mtnbenin', currency: 'XOF' }, []],
  [{ environment: 'mtnghana', currency: 'UGX' }, []],
  [{ environment: 'sandbox', currency: 'ZMW' }, ['ZM']],
])('an account %j collects in %j', (account, expected) => {
  const one = rail(account);
  expect(one.markets.map(({ country }) => country)).toEqual(expected);
  expect(one.problem() === null).toBe(expected.length > 0);
});
