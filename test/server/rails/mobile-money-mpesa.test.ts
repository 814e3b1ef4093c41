import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../../src/core/id.ts';
import type { SendOrder } from '../../../src/server/outbound/sender.ts';
import { createHttpExchange } from '../../../src/server/platform/http-exchange.ts';
import type { MobileMoneyConnector } from '../../../src/server/rails/mobile-money/connector.ts';
import { createMpesaRail } from '../../../src/server/rails/mobile-money/mpesa.ts';
import type { FakeMpesa } from './fake-mpesa.ts';
import { type Fault, faults } from './fake-provider.ts';
import { type MpesaLab, startMpesaLab } from './mpesa-lab.ts';
import { carryOut, orderOf, start } from './order-driver.ts';

let lab: MpesaLab;
let mpesa: FakeMpesa;
beforeAll(async () => {
  lab = await startMpesaLab();
  mpesa = lab.mpesa;
});
beforeEach(() => {
  mpesa.heal();
  lab.isHeard = true;
  Object.assign(mpesa, { status: 'Completed', claimedCode: '0', answerTimes: 1, responseCode: '0', alter: () => {} });
});
afterAll(() => lab.close());

const rail = () => lab.open();
/** A rail with a short timeout for silent faults. */
const railFor = (fault: Fault) => lab.open(fault.startsWith('silent') ? 250 : undefined);
const paymentPath = '/mpesa/b2c/v3/paymentrequest';
const queryPath = '/mpesa/transactionstatus/v1/query';
const order = (changes: Partial<SendOrder> = {}) => orderOf('mpesa', 'KES', changes);
const callsOf = (path: string) => mpesa.calls.filter(call => call.path === path);
const paymentsOf = ({ merchantId, id }: SendOrder) =>
  mpesa.payments.filter(
    ({ body }) => body['ResultURL'] === lab.addresses.urlOf('mpesa', 'result', { merchantId, orderId: id }),
  );
const settle = (sent: SendOrder, steps = 12, one: () => MobileMoneyConnector = rail) =>
  carryOut(one, sent, { steps, betweenSteps: () => mpesa.settled() });

test('a payment and its status request are sent as Daraja documents them', async () => {
  const sent = order({ text: 'Wages for 11/2026' });
  const outcomes = await settle(sent);
  const [payment] = paymentsOf(sent);
  expect(outcomes[0]).toEqual({ state: 'pending', railReference: payment?.conversationId });
  expect(outcomes.at(-1)).toEqual({ state: 'completed', railReference: expect.stringMatching(/^MBN/) });
  const resultUrl = payment?.body['ResultURL'];
  expect(payment?.body).toEqual({
    OriginatorConversationID: expect.stringMatching(/^[0-9a-f-]{36}$/),
    InitiatorName: 'api-user',
    SecurityCredential: expect.any(String),
    CommandID: 'BusinessPayment',
    Amount: 12,
    PartyA: '600999',
    PartyB: '254712345678',
    Remarks: 'Wages for 112026',
    Occassion: 'Payout',
    QueueTimeOutURL: resultUrl,
    ResultURL: resultUrl,
  });
  const question = JSON.parse(callsOf(queryPath).at(-1)?.body ?? '');
  expect(question).toMatchObject({
    CommandID: 'TransactionStatusQuery',
    IdentifierType: '4',
    PartyA: '600999',
    Initiator: 'api-user',
    OriginatorConversationID: payment?.body['OriginatorConversationID'],
  });
  expect(question.ResultURL).not.toBe(resultUrl);
});

describe('an order is carried out at most once', () => {
  const lost = ['reset before', 'silent before', '500 before', '503 without JSON'];

  test.each(faults)('when its payment meets “%s”', async fault => {
    const sent = order();
    mpesa.fail(paymentPath, fault);
    const outcomes = await settle(sent, 12, () => railFor(fault));
    // An order that M-Pesa may have read is never sent again: it waits for its status.
    const isLost = lost.includes(fault);
    expect(outcomes.at(-1)).toMatchObject({ state: isLost ? 'unknown' : 'completed' });
    expect(paymentsOf(sent)).toHaveLength(isLost ? 0 : 1);
  });

  test.each(faults)('when its status request meets “%s”', async fault => {
    const sent = order();
    mpesa.fail(queryPath, fault);
    expect((await settle(sent, 12, () => railFor(fault))).at(-1)).toMatchObject({ state: 'completed' });
    expect(paymentsOf(sent)).toHaveLength(1);
  });

  test('when no call of M-Pesa arrives for a while', async () => {
    const sent = order();
    lab.isHeard = false;
    const before = await settle(sent, 4);
    expect(before.map(({ state }) => state)).toEqual(['pending', 'pending', 'pending', 'pending']);
    lab.isHeard = true;
    const later = { ...sent, now: new Date(start.getTime() + 3_600_000) };
    await rail().status([sent.id], later.now);
    await mpesa.settled();
    expect(await rail().status([sent.id], later.now)).toMatchObject([{ state: 'completed' }]);
    expect(paymentsOf(sent)).toHaveLength(1);
  });

  test('when calls of M-Pesa arrive three times, and again after the end', async () => {
    const sent = order();
    mpesa.answerTimes = 3;
    await rail().send([sent]);
    await mpesa.callBack(3);
    await rail().status([sent.id], start);
    await mpesa.settled();
    mpesa.status = 'Failed';
    await mpesa.callBack(3);
    expect(await rail().status([sent.id], start)).toMatchObject([{ state: 'completed' }]);
    expect(paymentsOf(sent)).toHaveLength(1);
  });

  test('when many processes send it at the same time', async () => {
    const sent = order();
    await Promise.all(Array.from({ length: 12 }, () => rail().send([sent, sent])));
    expect(paymentsOf(sent)).toHaveLength(1);
  });

  test('under any sequence of faults and callbacks, and it never fails by them', async () => {
    const fault = fc.constantFrom<(Fault | null)[]>(...faults.filter(each => !each.startsWith('silent')), null);
    const several = fc.array(fault, { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(several, several, fc.array(fc.boolean(), { maxLength: 8 }), async (sending, asking, called) => {
        const sent = order();
        mpesa.heal();
        mpesa.fail(paymentPath, ...sending.filter(each => each !== null));
        mpesa.fail(queryPath, ...asking.filter(each => each !== null));
        const outcomes = await carryOut(rail, sent, {
          betweenSteps: async step => {
            if (called[step] === true) await mpesa.callBack(2);
            await mpesa.settled();
          },
        });
        const paid = paymentsOf(sent).length;
        expect(paid).toBeLessThanOrEqual(1);
        expect(outcomes.at(-1)?.state).toBe(paid === 1 ? 'completed' : 'unknown');
      }),
      { numRuns: 15 },
    );
  });
});

describe('a callback decides nothing', () => {
  test.each(['0', '1', '2001'])('when it claims the result %s of a payment that is under way', async code => {
    const sent = order();
    Object.assign(mpesa, { status: 'Pending', claimedCode: code });
    await rail().send([sent]);
    await mpesa.callBack();
    await rail().status([sent.id], start);
    await mpesa.settled();
    expect(await rail().status([sent.id], start)).toMatchObject([{ state: 'pending' }]);
  });

  test.each([
    [
      'of another order',
      (fields: Record<string, unknown>) => {
        Object.assign(fields, { OriginatorConversationID: 'another', ConversationID: 'AG_other' });
      },
    ],
    [
      'of another amount',
      (fields: Record<string, unknown>) => {
        fields['Amount'] = '13';
      },
    ],
    [
      'without an amount',
      (fields: Record<string, unknown>) => {
        delete fields['Amount'];
      },
    ],
    [
      'that is not documented',
      (fields: Record<string, unknown>) => {
        fields['TransactionStatus'] = 'Toasted';
      },
    ],
  ])('and neither does a status %s', async (_, alter) => {
    const sent = order();
    mpesa.alter = alter;
    expect((await settle(sent, 3)).at(-1)).toMatchObject({ state: 'pending' });
  });

  test('and neither does a body that cannot be read', async () => {
    const sent = order();
    await rail().send([sent]);
    const key = { merchantId: sent.merchantId, orderId: sent.id };
    for (const purpose of ['result', 'status']) {
      const token = new URL(lab.addresses.urlOf('mpesa', purpose, key)).pathname.slice(1);
      for (const body of ['', 'null', '[]', '<html>', '{"Result":[]}', '{"Result":{"ResultCode":{}}}', '\0']) {
        expect(await lab.listening.receive(token, body)).toEqual(key);
      }
    }
    mpesa.status = 'Pending';
    expect(await rail().status([sent.id], start)).toMatchObject([{ state: 'pending' }]);
  });

  test('but it makes the rail ask at once', async () => {
    const sent = order();
    const one = rail();
    await one.send([sent]);
    const before = callsOf(queryPath).length;
    await one.status([sent.id], start);
    expect(callsOf(queryPath)).toHaveLength(before);
    await mpesa.callBack();
    await one.status([sent.id], start);
    expect(callsOf(queryPath)).toHaveLength(before + 1);
  });
});

describe('a failed payment', () => {
  test.each([
    ['Failed', '1', 'insufficient_funds'],
    ['Failed', '2040', 'recipient_not_found'],
    ['Failed', '8', 'account_limit_reached'],
    ['Declined', '2001', 'provider_error'],
    ['Cancelled', '0', 'provider_error'],
    ['Expired', '1', 'expired'],
  ])('with status %s and result code %s has the code %s', async (status, claimed, code) => {
    const sent = order();
    Object.assign(mpesa, { status, claimedCode: claimed });
    await rail().send([sent]);
    await mpesa.callBack();
    expect((await settle(sent)).at(-1)).toMatchObject({
      state: 'failed',
      code,
      message: expect.stringMatching(/\)\.$/),
    });
  });

  test('is an order that M-Pesa refuses', async () => {
    mpesa.responseCode = '1';
    expect((await settle(order())).at(-1)).toMatchObject({ state: 'failed', code: 'insufficient_funds' });
    const { addresses, database } = lab;
    const account = { ...mpesa.account, shortcode: '600111' };
    const http = createHttpExchange();
    const wrongCode = createMpesaRail({ account, db: database.db, http, addresses });
    expect(await wrongCode.send([order()])).toMatchObject([{ state: 'failed', code: 'provider_error' }]);
    http.close();
  });

  test('is none when M-Pesa calls it a duplicate', async () => {
    mpesa.responseCode = '15';
    expect(await rail().send([order()])).toEqual([{ state: 'unknown' }]);
  });
});

test.each([
  ['of a part of a shilling', { amount: 1_250n }, 'provider_error'],
  ['in another currency', { currency: 'TZS' }, 'provider_error'],
  ['without a destination', { destination: null }, 'provider_error'],
])('an order %s fails before M-Pesa is asked', async (_, changes, code) => {
  const before = mpesa.calls.length;
  expect(await rail().send([order(changes)])).toMatchObject([{ state: 'failed', code }]);
  expect(mpesa.calls).toHaveLength(before);
});

test('an order that M-Pesa never received has no state, and a status that M-Pesa cannot tell is shown to the operator', async () => {
  expect(await rail().status([newId('outboundTransfer')], start)).toEqual([null]);
  const sent = order();
  mpesa.fail(paymentPath, 'reset before');
  await settle(sent, 3);
  expect(lab.listening.problem()).toBe('M-Pesa: did not return a transaction status (result code 2033)');
});

test('the rail pays M-Pesa numbers in shillings', () => {
  expect(rail().currencyFor({ type: 'mobile_money', provider: 'mpesa', number: '+254712345678' }, 'EUR')).toBe('KES');
  expect(rail().currencyFor({ type: 'mobile_money', provider: 'mtn', number: '+254712345678' }, 'KES')).toBeNull();
});
