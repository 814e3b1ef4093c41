import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { PromptRequest } from '../../../src/server/rails/mobile-money/collecting.ts';
import type { FakeMpesa } from './fake-mpesa.ts';
import { callbackOf, receiptOf } from './fake-mpesa-express.ts';
import { type Fault, faults } from './fake-provider.ts';
import { type MpesaLab, startMpesaLab } from './mpesa-lab.ts';
import { collect, operatorUnavailable, promptOf, statusOf } from './prompt-driver.ts';

let lab: MpesaLab;
let mpesa: FakeMpesa;
beforeAll(async () => {
  lab = await startMpesaLab();
  mpesa = lab.mpesa;
});
beforeEach(() => {
  mpesa.heal();
  lab.isHeard = true;
});
afterAll(() => lab.close());

const rail = () => lab.openCollector();
const railFor = (fault: Fault) => lab.openCollector(fault.startsWith('silent') ? 250 : undefined);
const pushPath = '/mpesa/stkpush/v1/processrequest';
const queryPath = '/mpesa/stkpushquery/v1/query';
const prompt = (changes: Partial<PromptRequest> = {}) => promptOf('mpesa', changes);
const pushesOf = ({ attemptId }: PromptRequest) =>
  mpesa.express.pushes.filter(({ body }) => String(body['CallBackURL']).endsWith(`-${attemptId}`));
const end = (request: PromptRequest, resultCode: string) => {
  for (const each of pushesOf(request)) each.resultCode = resultCode;
};
const keyOf = ({ merchantId, attemptId: orderId }: PromptRequest) => ({ merchantId, orderId });
const tell = async (request: PromptRequest, claimed?: object) => {
  for (const each of pushesOf(request)) await mpesa.tellPush(each, claimed);
};

test('a push and its query are sent as Daraja documents them, and wait a minute', async () => {
  const request = prompt();
  const outcome = await rail().prompt(request);
  const [push] = pushesOf(request);
  const password = Buffer.from('600999bfb279f9aa9bdbcf20261120150000').toString('base64');
  expect(push?.body).toEqual({
    BusinessShortCode: '600999',
    Password: password,
    Timestamp: '20261120150000',
    TransactionType: 'CustomerPayBillOnline',
    Amount: 12,
    PartyA: '254712345678',
    PartyB: '600999',
    PhoneNumber: '254712345678',
    CallBackURL: lab.addresses.urlOf('mpesa', 'prompt', keyOf(request)),
    AccountReference: 'CafeNordlysS',
    TransactionDesc: request.paymentId.slice(-13),
  });
  const railReference = push?.checkoutId ?? '';
  expect(outcome).toEqual({ state: 'waiting', railReference, expiresAt: new Date(request.now.getTime() + 60_000) });
  const one = rail();
  expect(await statusOf(one, request)).toEqual(outcome);
  expect(one.problem()).toBeNull();
  const question = JSON.parse(mpesa.calls.findLast(({ path }) => path === queryPath)?.body ?? '');
  expect(question).toEqual({
    BusinessShortCode: '600999',
    Password: expect.any(String),
    Timestamp: '20261120150001',
    CheckoutRequestID: railReference,
  });
  end(request, '0');
  expect(await statusOf(rail(), request)).toEqual({ state: 'collected', railReference, amount: 1_200n });
});

describe('money is collected at most once', () => {
  const unsent: readonly string[] = ['throttled'];
  const lost = ['reset before', 'silent before', '500 before', '503 without JSON'];
  const unheard = [
    'reset after',
    'silent after',
    '500 after',
    'HTML after',
    'half an answer after',
    'huge answer after',
  ];

  test.each(faults)('when the push meets “%s”', async fault => {
    const request = prompt();
    mpesa.fail(pushPath, fault);
    const outcome = await collect(
      () => railFor(fault),
      request,
      () => end(request, '0'),
    );
    // A push that M-Pesa may have read is never sent again. Only a callback tells which prompt it shows.
    const isOpen = lost.includes(fault) || unheard.includes(fault);
    const isUnsent = unsent.includes(fault);
    expect(outcome).toMatchObject(isUnsent ? operatorUnavailable : { state: isOpen ? 'unknown' : 'collected' });
    expect(pushesOf(request)).toHaveLength(isUnsent || lost.includes(fault) ? 0 : 1);
    if (!unheard.includes(fault)) return;
    await tell(request);
    expect(await statusOf(rail(), request)).toMatchObject({
      state: 'collected',
      railReference: expect.stringMatching(/^RLA/),
    });
    expect(pushesOf(request)).toHaveLength(1);
  });

  test.each(faults)('when its query meets “%s”', async fault => {
    const request = prompt();
    mpesa.fail(queryPath, fault);
    const outcome = await collect(
      () => railFor(fault),
      request,
      () => end(request, '0'),
    );
    expect(outcome).toMatchObject({ state: 'collected' });
    expect(pushesOf(request)).toHaveLength(1);
  });

  test('under any sequence of faults and callbacks, and it is refused only if M-Pesa got no push', async () => {
    const fault = fc.constantFrom<(Fault | null)[]>(...faults.filter(each => !each.startsWith('silent')), null);
    const several = fc.array(fault, { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(several, several, fc.nat(2), async (sending, asking, callbacks) => {
        const request = prompt();
        mpesa.heal();
        mpesa.fail(pushPath, ...sending.filter(each => each !== null));
        mpesa.fail(queryPath, ...asking.filter(each => each !== null));
        const outcome = await collect(rail, request, async () => {
          end(request, '0');
          for (let time = 0; time < callbacks; time++) await tell(request);
        });
        const shown = pushesOf(request).length;
        expect(shown).toBeLessThanOrEqual(1);
        if (outcome.state === 'refused') expect([outcome.refusal.code, shown]).toEqual(['operator_unavailable', 0]);
        else expect(['collected', 'unknown']).toContain(outcome.state);
        if (shown === 1 && callbacks > 0) expect(outcome.state).toBe('collected');
      }),
      { numRuns: 20 },
    );
  });
});

describe('a callback decides nothing', () => {
  test.each(['0', '1032'])('when it claims the result %s of a prompt that waits', async claimed => {
    const request = prompt();
    await rail().prompt(request);
    const [push] = pushesOf(request);
    if (push !== undefined) await mpesa.tellPush(push, callbackOf({ ...push, resultCode: claimed }));
    expect(await statusOf(rail(), request)).toMatchObject({ state: 'waiting' });
  });

  test.each([
    ['of another prompt', { checkoutId: 'ws_CO_other' }],
    ['of another amount', { amount: 13 }],
  ])('when it is %s, and its receipt does not count', async (_, { checkoutId, amount }: Record<string, unknown>) => {
    const request = prompt();
    await rail().prompt(request);
    const [push] = pushesOf(request);
    if (push === undefined) throw new Error('there is no push');
    const forged = {
      ...push,
      resultCode: '0',
      body: { ...push.body, ...(amount !== undefined && { Amount: amount }) },
    };
    await mpesa.tellPush(push, callbackOf({ ...forged, checkoutId: String(checkoutId ?? push.checkoutId) }));
    end(request, '0');
    expect(await statusOf(rail(), request)).toMatchObject({ state: 'collected', railReference: push.checkoutId });
  });

  test('and neither does a body that cannot be read', async () => {
    const [request, one] = [prompt(), rail()];
    await one.prompt(request);
    const token = new URL(lab.addresses.urlOf('mpesa', 'prompt', keyOf(request))).pathname.slice(1);
    const bodies = ['', 'null', '<html>', '{"Body":[]}', '{"Body":{"stkCallback":{"CheckoutRequestID":{}}}}', '\0'];
    for (const body of bodies) expect(await one.receive(token, body)).toEqual(keyOf(request));
    expect(await one.receive('mpesa-result-acct_1-att_1', '')).toBeNull();
    expect(await statusOf(one, request)).toMatchObject({ state: 'waiting' });
  });

  test('but it tells the receipt, twice or late too', async () => {
    const request = prompt();
    await rail().prompt(request);
    end(request, '0');
    await tell(request);
    await tell(request);
    const collected = await statusOf(rail(), request);
    const railReference = receiptOf(pushesOf(request)[0]?.checkoutId ?? '');
    expect(collected).toEqual({ state: 'collected', railReference, amount: 1_200n });
    end(request, '1032');
    await tell(request);
    expect(await statusOf(rail(), request)).toEqual(collected);
  });

  test('and a lost push takes no prompt of another attempt', async () => {
    const [paid, lost] = [prompt(), prompt()];
    await rail().prompt(paid);
    mpesa.fail(pushPath, 'reset before');
    await rail().prompt(lost);
    const [push] = pushesOf(paid);
    end(paid, '0');
    const token = new URL(lab.addresses.urlOf('mpesa', 'prompt', keyOf(lost))).pathname.slice(1);
    if (push !== undefined) await rail().receive(token, JSON.stringify(callbackOf(push)));
    expect(await statusOf(rail(), lost)).toEqual({ state: 'unknown' });
  });
});

describe('a result', () => {
  test.each([
    ['1', 'insufficient_funds'],
    ['4', 'operator_limit'],
    ['1019', 'prompt_expired'],
    ['1025', 'processing_error'],
    ['1032', 'prompt_refused'],
    ['1037', 'prompt_expired'],
    ['2001', 'wrong_pin'],
  ])('of code %s means %s', async (resultCode, code) => {
    const request = prompt();
    await rail().prompt(request);
    end(request, resultCode);
    expect(await statusOf(rail(), request)).toMatchObject({ state: 'refused', refusal: { code } });
  });

  test.each(['4999', '7777', 'constructor'])('of the unlisted code %s refuses nothing before the end', async code => {
    const request = prompt();
    await rail().prompt(request);
    end(request, code);
    expect(await statusOf(rail(), request)).toMatchObject({ state: 'waiting' });
    const later = await statusOf(rail(), request, 61);
    expect(later).toMatchObject(code === '4999' ? { state: 'waiting' } : { state: 'refused' });
  });

  test('of another prompt decides nothing', async () => {
    const [request, one] = [prompt(), rail()];
    await one.prompt(request);
    const [push] = pushesOf(request);
    mpesa.express.answering = { CheckoutRequestID: 'ws_CO_other', ResultCode: '0' };
    expect(await statusOf(one, request)).toEqual({ state: 'unknown' });
    expect(one.problem()).toContain('a different prompt');
    mpesa.express.answering = {};
    expect(push?.resultCode).toBeNull();
  });
});

test.each([
  ['to a number that M-Pesa refuses', { number: '+254700000000' }, 'number_not_registered', 1],
  ['of a part of a shilling', { amount: 1_250n }, 'processing_error', 0],
  ['in another currency', { currency: 'TZS' }, 'processing_error', 0],
  ['to a number without country code', { number: '0712345678' }, 'number_not_registered', 0],
])('a prompt %s is refused', async (_, changes, code, calls) => {
  const before = mpesa.calls.filter(({ path }) => path === pushPath).length;
  expect(await rail().prompt(prompt(changes))).toMatchObject({ state: 'refused', refusal: { code } });
  expect(mpesa.calls.filter(({ path }) => path === pushPath).length - before).toBe(calls);
});

test('a wrong passkey is refused before the prompt, and the operator gets a report', async () => {
  mpesa.express.passkey = 'other';
  const one = rail();
  expect(await one.prompt(prompt())).toMatchObject({ state: 'refused', refusal: { code: 'processing_error' } });
  expect(one.problem()).toBe('M-Pesa Express: answers 500 (500.001.1001 Wrong credentials)');
  mpesa.express.passkey = mpesa.account.passkey;
});

test('the rail collects in Kenya', () => {
  expect(rail().markets.map(({ country, currency }) => [country, currency])).toEqual([['KE', 'KES']]);
});
