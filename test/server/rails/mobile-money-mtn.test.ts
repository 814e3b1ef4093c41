import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../../src/core/id.ts';
import { createHttpExchange } from '../../../src/server/platform/http-exchange.ts';
import type { CallbackAddresses } from '../../../src/server/rails/mobile-money/connector.ts';
import { createMtnRail } from '../../../src/server/rails/mobile-money/mtn.ts';
import { type FakeMtn, startFakeMtn } from './fake-mtn.ts';
import { type Fault, faults } from './fake-provider.ts';
import { carryOut, orderOf, start } from './order-driver.ts';

let mtn: FakeMtn;
const http = createHttpExchange({ largestAnswerBytes: 10_000 });
/** A client with a short timeout, for providers that do not answer. */
const impatient = createHttpExchange({ timeoutMs: 250 });
const addresses: CallbackAddresses = {
  urlOf: (rail, purpose, { orderId }) => `https://pay.example/${rail}/${purpose}/${orderId}`,
  open: () => null,
};
beforeAll(async () => {
  mtn = await startFakeMtn();
});
beforeEach(() => {
  mtn.heal();
  mtn.ending = { status: 'SUCCESSFUL' };
  mtn.tokenSeconds = 3600;
});
afterAll(async () => {
  http.close();
  impatient.close();
  await mtn.close();
});

const wallet = { type: 'mobile_money', provider: 'mtn', number: '+233241234567' };
const transferPath = '/disbursement/v1_0/transfer';
const rail = () => createMtnRail({ account: mtn.account, http, addresses });
/** A rail with a short timeout for silent faults. */
const railFor = (fault: Fault) =>
  fault.startsWith('silent') ? createMtnRail({ account: mtn.account, http: impatient, addresses }) : rail();
const order = (changes = {}) => orderOf('mtn', 'GHS', changes);
const transfersOf = ({ id }: { readonly id: string }) => mtn.transfers.filter(({ body }) => body['externalId'] === id);

test('a transfer is asked for as MTN documents it', async () => {
  const sent = order();
  const outcomes = await carryOut(rail, sent);
  expect(outcomes.map(({ state }) => state)).toEqual(['pending', 'completed']);
  const call = mtn.calls.findLast(({ method, path }) => method === 'POST' && path === transferPath);
  expect(JSON.parse(call?.body ?? '')).toEqual({
    amount: '12.00',
    currency: 'GHS',
    externalId: sent.id,
    payerMessage: 'Payout',
    payeeNote: 'Payout',
    payee: { partyIdType: 'MSISDN', partyId: '233241234567' },
  });
  expect(call?.headers).toMatchObject({
    'content-type': 'application/json',
    'x-callback-url': `https://pay.example/mtn/callback/${sent.id}`,
  });
  expect(outcomes[0]).toEqual({ state: 'pending', railReference: call?.headers['x-reference-id'] });
});

test('a description reaches the recipient in letters that MTN accepts', async () => {
  const sent = order({ text: 'José’s pay & more <b>' });
  await rail().send([sent]);
  expect(transfersOf(sent)[0]?.body).toMatchObject({
    payeeNote: 'Joses pay  more b',
    payerMessage: 'Joses pay  more b',
  });
});

describe('an order is carried out once', () => {
  test.each(faults)('when its transfer meets “%s”', async fault => {
    const sent = order();
    mtn.fail(transferPath, fault);
    const outcomes = await carryOut(() => railFor(fault), sent);
    expect(outcomes.at(-1)).toMatchObject({ state: 'completed' });
    expect(transfersOf(sent)).toHaveLength(1);
  });

  test.each(faults)('when its status meets “%s”', async fault => {
    const sent = order();
    const outcomes = await carryOut(() => railFor(fault), sent, {
      betweenSteps: async step => step === 0 && mtn.fail(`${transferPath}/`, fault),
    });
    expect(outcomes.at(-1)).toMatchObject({ state: 'completed' });
    expect(transfersOf(sent)).toHaveLength(1);
  });

  test('when many processes send it at the same time', async () => {
    const sent = order();
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => rail().send([sent])));
    for (const [outcome] of outcomes) expect(['pending', 'completed']).toContain(outcome?.state);
    expect(transfersOf(sent)).toHaveLength(1);
  });

  test('under any sequence of faults, and it never fails by them', async () => {
    const fault = fc.constantFrom<(Fault | null)[]>(...faults.filter(each => !each.startsWith('silent')), null);
    const several = fc.array(fault, { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(several, several, async (sending, asking) => {
        const sent = order();
        mtn.heal();
        mtn.fail(`${transferPath}/`, ...asking.filter(each => each !== null));
        mtn.fail(transferPath, ...sending.filter(each => each !== null));
        const outcomes = await carryOut(rail, sent, { steps: 20 });
        expect(outcomes.at(-1)).toMatchObject({ state: 'completed' });
        expect(transfersOf(sent)).toHaveLength(1);
      }),
      { numRuns: 40 },
    );
  });
});

describe('a failed transfer', () => {
  test.each([
    ['PAYEE_NOT_FOUND', 'recipient_not_found'],
    ['PAYEE_NOT_ALLOWED_TO_RECEIVE', 'recipient_not_allowed'],
    ['NOT_ENOUGH_FUNDS', 'insufficient_funds'],
    ['PAYER_LIMIT_REACHED', 'account_limit_reached'],
    ['EXPIRED', 'expired'],
    ['INTERNAL_PROCESSING_ERROR', 'provider_error'],
    ['constructor', 'provider_error'],
    [{ code: 'PAYEE_NOT_FOUND', message: 'Payee does not exist' }, 'recipient_not_found'],
    [undefined, 'provider_error'],
  ])('for the reason %j has the code %s', async (reason, code) => {
    mtn.ending = { status: 'FAILED', reason };
    const outcomes = await carryOut(rail, order());
    expect(outcomes.at(-1)).toMatchObject({ state: 'failed', code, message: expect.stringMatching(/^The .+\)\.$/) });
  });

  test('is an order that MTN refuses, unless it accepted the same order before', async () => {
    const refused = order({ currency: 'GHS' });
    const wrongAccount = { ...mtn.account, currency: 'XOF' };
    const wrongRail = () => createMtnRail({ account: wrongAccount, http, addresses });
    const asXof = { ...refused, currency: 'XOF' };
    expect(await wrongRail().send([asXof])).toMatchObject([{ state: 'failed', code: 'provider_error' }]);
    await rail().send([refused]);
    expect(await wrongRail().send([asXof])).toMatchObject([{ state: 'completed' }]);
    expect(transfersOf(refused)).toHaveLength(1);
  });
});

test.each([
  ['without a destination', { destination: null }, 'provider_error'],
  ['to a number without country code', { destination: { ...wallet, number: '0241234567' } }, 'recipient_not_found'],
  ['to another operator', { destination: { ...wallet, provider: 'airtel' } }, 'provider_error'],
  ['in another currency', { currency: 'EUR' }, 'provider_error'],
])('an order %s fails before MTN is asked', async (_, changes, code) => {
  const before = mtn.calls.length;
  expect(await rail().send([order(changes)])).toMatchObject([{ state: 'failed', code }]);
  expect(mtn.calls).toHaveLength(before);
});

describe('the state of an order', () => {
  test('is null only when MTN itself does not know it', async () => {
    const id = newId('outboundTransfer');
    expect(await rail().status([id], start)).toEqual([null]);
    mtn.fail(`${transferPath}/`, '503 without JSON');
    expect(await rail().status([id], start)).toEqual([{ state: 'unknown' }]);
  });

  test('is unknown when MTN shows another transfer, or a state that is not documented', async () => {
    const sent = order();
    await rail().send([sent]);
    const [transfer] = transfersOf(sent);
    mtn.ending = { status: 'ON_HOLD' as 'PENDING' };
    expect(await rail().status([sent.id], start)).toEqual([{ state: 'unknown' }]);
    mtn.ending = { status: 'SUCCESSFUL' };
    Object.assign(transfer?.body ?? {}, { externalId: 'another' });
    const asking = rail();
    expect(await asking.status([sent.id], start)).toEqual([{ state: 'unknown' }]);
    expect(asking.problem()).toContain('a different transfer');
  });

  test('is returned for many orders in their order', async () => {
    const sent = Array.from({ length: 40 }, () => order());
    const outcomes = await rail().send(sent);
    const states = await rail().status(
      sent.toReversed().map(({ id }) => id),
      start,
    );
    expect(states).toHaveLength(40);
    for (const [index, { id }] of sent.entries()) {
      const [transfer] = transfersOf({ id });
      expect(outcomes[index]).toEqual({ state: 'pending', railReference: transfer?.reference });
      const railReference = `f-${transfer?.reference.slice(0, 8)}`;
      expect(states[39 - index]).toEqual({ state: 'completed', railReference });
    }
  });
});

test('a silent provider is not asked for every order of many', async () => {
  const sent = Array.from({ length: 60 }, () => order());
  const before = mtn.calls.length;
  mtn.fail(transferPath, ...sent.map(() => 'silent before' as const));
  const one = railFor('silent before');
  expect(await one.send(sent)).toEqual(sent.map(() => ({ state: 'unknown' })));
  expect(mtn.calls.length - before).toBeLessThan(30);
  mtn.heal();
  expect((await rail().send(sent)).map(({ state }) => state)).toEqual(sent.map(() => 'pending'));
});

describe('the token', () => {
  const tokenCalls = () => mtn.calls.filter(({ path }) => path === '/disbursement/token/').length;

  test('is shared by concurrent and later calls', async () => {
    const before = tokenCalls();
    const one = rail();
    await one.send(Array.from({ length: 10 }, () => order()));
    await one.send([order()]);
    expect(tokenCalls() - before).toBe(1);
  });

  test('is not used in its last minute', async () => {
    mtn.tokenSeconds = 60;
    const before = tokenCalls();
    const one = rail();
    await one.send([order()]);
    await one.send([order()]);
    expect(tokenCalls() - before).toBe(2);
  });

  test('is renewed when MTN refuses it', async () => {
    const one = rail();
    await one.send([order()]);
    mtn.revokeTokens();
    expect(await one.send([order()])).toMatchObject([{ state: 'pending' }]);
  });

  test('that MTN does not issue leaves orders unknown, and the operator gets a report', async () => {
    const one = createMtnRail({ account: { ...mtn.account, apiKey: 'wrong' }, http, addresses });
    const sent = order();
    expect(await one.send([sent])).toEqual([{ state: 'unknown' }]);
    expect(one.problem()).toBe('MTN MoMo: answers 401');
    expect(transfersOf(sent)).toEqual([]);
  });
});

test.each<[string, Fault, string]>([
  ['/disbursement/token/', '200 with HTML', 'answers 200 without a JSON object'],
  ['/disbursement/token/', '200 with a list', 'answers 200 without a JSON object'],
  ['/disbursement/token/', '200 with {}', 'returns no token that can be used'],
  [transferPath, '200 with HTML', 'answers 200 without a JSON object'],
  [`${transferPath}/`, '200 with a list', 'answers 200 without a JSON object'],
])('an answer of %s that is “%s” is a problem, reported once', async (path, fault, problem) => {
  const reports: string[] = [];
  const one = createMtnRail({ account: mtn.account, http, addresses, onProblem: text => void reports.push(text) });
  const sent = order();
  mtn.fail(path, ...Array<Fault>(4).fill(fault));
  for (let round = 0; round < 2; round++) {
    if (path.endsWith('transfer/')) await one.status([sent.id], start);
    else await one.send([sent]);
    expect(one.problem()).toBe(`MTN MoMo: ${problem}`);
  }
  expect(reports).toEqual([`MTN MoMo: ${problem}`]);
  mtn.heal();
  expect(await one.send([sent])).toMatchObject([{ state: 'pending' }]);
  expect(one.problem()).toBeNull();
});

test('the rail pays its provider in the currency of its account', () => {
  const { currencyFor } = rail();
  expect(currencyFor({ type: 'mobile_money', provider: 'mtn', number: '+233241234567' }, 'USD')).toBe('GHS');
  expect(currencyFor({ type: 'mobile_money', provider: 'airtel', number: '+233241234567' }, 'GHS')).toBeNull();
  expect(currencyFor({ type: 'bank_account', iban: 'x' }, 'GHS')).toBeNull();
});
