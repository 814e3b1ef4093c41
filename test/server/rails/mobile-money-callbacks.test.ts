import { createHash, randomUUID } from 'node:crypto';
import { Keypair } from '@stellar/stellar-sdk/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AppModule } from '../../../src/server/app.ts';
import {
  claimOutbound,
  endOutbound,
  findOutbound,
  insertOutbound,
} from '../../../src/server/outbound/outbound.store.ts';
import type { NewOutbound } from '../../../src/server/outbound/outbound.ts';
import { dueAttempts } from '../../../src/server/payments/attempts/attempt.store.ts';
import { claimAtRails } from '../../../src/server/payments/payment.store.ts';
import type { Rails } from '../../../src/server/rails/rails.ts';
import type { RateSource } from '../../../src/server/rates/rates.ts';
import { ConfigError, readConfig } from '../../../src/server/settings/config.ts';
import { missingMobileMoneySettings } from '../../../src/server/settings/mobile-money-settings.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { type FakeMpesa, startFakeMpesa } from './fake-mpesa.ts';
import { type FakeMtn, startFakeMtn } from './fake-mtn.ts';
import { operatorSettings } from './operator-settings.ts';
import { orderOf } from './order-driver.ts';
import { promptOf } from './prompt-driver.ts';

const treasury = Keypair.fromRawEd25519Seed(createHash('sha256').update('a treasury').digest());
let mtn: FakeMtn;
let mpesa: FakeMpesa;
let app: TestApp;
let rails: Rails;

const onPublic = {
  PAY_NETWORK: 'public',
  PAY_PUBLIC_URL: 'https://pay.example.com',
  PAY_TREASURY_SECRET: treasury.secret(),
};
const settingsOf = () => ({ ...onPublic, PAY_HORIZON_URL: 'http://127.0.0.1:9', ...operatorSettings(mtn, mpesa) });

/** Gives the tests access to the rails of the app. */
const watch: AppModule = {
  name: 'watch',
  start: core => {
    rails = core.rails;
  },
};

/** Knows no rate of the operators' currencies, as the sources of live mode. */
const dollars: RateSource = {
  id: 'dollars',
  wellKnownAssets: { USDC: 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN' },
  price: async (...pair) =>
    pair.slice(0, 2).every(unit => unit?.toString().startsWith('USD')) ? { price: '1', asOf: app.clock.now() } : null,
};

beforeAll(async () => {
  [mtn, mpesa] = await Promise.all([startFakeMtn(), startFakeMpesa()]);
  app = await startTestApp({ settings: settingsOf(), modules: [watch], rateSource: dollars });
});
afterAll(async () => {
  await app.close();
  await Promise.all([mtn.close(), mpesa.close()]);
});

const railOf = (id: string) => {
  const rail = rails.payouts.find(each => each.id === id);
  if (rail === undefined) throw new Error(`there is no rail ${id}`);
  return rail;
};

const currencies = { mtn: 'GHS', mpesa: 'KES' } as const;

function transferOf(rail: 'mtn' | 'mpesa', resourceId: string, destination: NewOutbound['destination']): NewOutbound {
  const asset = currencies[rail];
  return {
    merchantId: app.merchant.id,
    livemode: true,
    purpose: 'test',
    resourceId,
    attempt: 1,
    destination,
    asset,
    rail: `payout:${rail}`,
    originalReference: null,
    amount: 1_200n,
    source: null,
    value: 1_200n,
    valueCurrency: asset,
    now: app.clock.now(),
  };
}

/** Sends a transfer by the rail, as the outbound queue does. Returns the callback path that the provider received. */
async function send(railId: 'mtn' | 'mpesa') {
  const { db } = app.database;
  const [merchantId, resourceId, currency] = [app.merchant.id, randomUUID(), currencies[railId]];
  await insertOutbound(db, [transferOf(railId, resourceId, null)]);
  expect(await claimDue()).toHaveLength(1);
  const [row] = await findOutbound(db, merchantId, 'test', [resourceId]);
  const order = orderOf(railId, currency, { id: row?.id ?? '', merchantId, now: app.clock.now() });
  expect(await railOf(railId).send([order])).toMatchObject([{ state: 'pending' }]);
  const url = railId === 'mtn' ? mtn.transfers.at(-1)?.callbackUrl : mpesa.payments.at(-1)?.body['ResultURL'];
  return { order, path: new URL(String(url)).pathname };
}

/** Claims the due transfers for an hour. */
const claimDue = () =>
  claimOutbound(app.database.db, {
    rails: ['payout:mtn', 'payout:mpesa'],
    states: ['queued', 'sending'],
    to: 'sending',
    limit: 10,
    leaseSeconds: 3_600,
    now: app.clock.now(),
  });
const call = (path: string, body: unknown, method = 'POST', headers = {}) =>
  app.request(`${method} ${path}` as 'POST /', { key: null, body, headers });

describe('a call of a provider', () => {
  it.each([
    ['its own JSON', '{"status":"FAILED","externalId":"another"}', 'POST', {}],
    ['PUT', '{"status":"SUCCESSFUL"}', 'PUT', {}],
    ['text that is no JSON', '{"status"', 'POST', {}],
    ['XML', '<result/>', 'POST', { 'content-type': 'text/xml' }],
    ['no body', undefined, 'POST', {}],
  ])('with %s makes the transfer due, and decides nothing', async (_, body, method, headers) => {
    const { order, path } = await send('mtn');
    expect(await claimDue()).toEqual([]);
    expect((await call(path, body, method, headers)).status).toBe(200);
    expect((await claimDue()).map(({ id, state }) => [id, state])).toEqual([[order.id, 'sending']]);
    mtn.ending = { status: 'PENDING' };
    expect(await railOf('mtn').status([order.id], app.clock.now())).toMatchObject([{ state: 'pending' }]);
    mtn.ending = { status: 'SUCCESSFUL' };
  });

  it('leads to a status request to M-Pesa, whose answer arrives at another URL', async () => {
    const { order, path } = await send('mpesa');
    mpesa.status = 'Completed';
    expect((await call(path, { Result: { ResultCode: 0 } })).body).toEqual({ ResultCode: 0, ResultDesc: 'Accepted' });
    expect(await claimDue()).toHaveLength(1);
    expect(await railOf('mpesa').status([order.id], app.clock.now())).toMatchObject([{ state: 'pending' }]);
    const question = JSON.parse(mpesa.calls.at(-1)?.body ?? '');
    const answer = {
      OriginatorConversationID: question.OriginatorConversationID,
      TransactionStatus: 'Completed',
      Amount: '12',
      ReceiptNo: 'MBN31H462N',
    };
    const ResultParameter = Object.entries(answer).map(([Key, Value]) => ({ Key, Value }));
    const body = { Result: { ResultCode: 0, ResultParameters: { ResultParameter } } };
    await call(path, body);
    expect(await railOf('mpesa').status([order.id], app.clock.now())).toMatchObject([{ state: 'pending' }]);
    await claimDue();
    const answerPath = new URL(question.ResultURL).pathname;
    expect((await call(answerPath, body)).status).toBe(200);
    expect(await claimDue()).toHaveLength(1);
    const states = await railOf('mpesa').status([order.id], app.clock.now());
    expect(states).toEqual([{ state: 'completed', railReference: 'MBN31H462N' }]);
  });

  it('to a wrong address, or with too long a body, changes nothing', async () => {
    const { path } = await send('mtn');
    const last = path.slice(-1) === 'A' ? 'B' : 'A';
    const wrong = [path.slice(0, -1) + last, path.slice(0, -1), path.replace('/mtn/', '/mpesa/'), `${path}A`];
    for (const each of [...wrong, path.replace('/mtn/', '/airtel/')]) expect((await call(each, {})).status).toBe(404);
    expect((await call(path, 'x'.repeat(70_000))).status).toBe(413);
    expect((await call(path, undefined, 'GET')).status).toBe(405);
    expect(await claimDue()).toEqual([]);
  });

  it('about a transfer that has ended is accepted, and changes nothing', async () => {
    const { order, path } = await send('mtn');
    const key = { merchant_id: order.merchantId, id: order.id };
    const end = { state: 'completed', reference: 'f-1' } as const;
    await endOutbound(app.database.db, [{ key, end }], { now: app.clock.now() });
    expect((await call(path, {})).status).toBe(200);
    expect(await claimDue()).toEqual([]);
  });
});

describe('a payout of the queue', () => {
  const stateOf = async (resourceId: string) => {
    const [row] = await findOutbound(app.database.db, app.merchant.id, 'test', [resourceId]);
    return [row?.state, row?.reference ?? row?.failure_code];
  };
  const queue = async () => {
    const resourceId = randomUUID();
    const destination = { type: 'mobile_money', provider: 'mtn', number: '+233241234567', description: 'Wages' };
    await insertOutbound(app.database.db, [transferOf('mtn', resourceId, destination)]);
    return resourceId;
  };

  it('is paid once with its note although the answer is lost, and completed by polling when MTN does not call back', async () => {
    const before = mtn.transfers.length;
    const resourceId = await queue();
    mtn.fail('/disbursement/v1_0/transfer', 'reset after');
    mtn.ending = { status: 'PENDING' };
    await app.sweep('outbound.send');
    for (let minute = 0; minute < 3; minute++) {
      app.clock.advance(70);
      await app.sweep('outbound.send');
    }
    expect(await stateOf(resourceId)).toEqual(['sending', null]);
    mtn.ending = { status: 'SUCCESSFUL' };
    app.clock.advance(3_600);
    await app.sweep('outbound.send');
    expect(mtn.transfers).toHaveLength(before + 1);
    expect(mtn.transfers.at(-1)?.body).toMatchObject({ payeeNote: 'Wages', payerMessage: 'Wages' });
    const reference = `f-${mtn.transfers.at(-1)?.reference.slice(0, 8)}`;
    expect(await stateOf(resourceId)).toEqual(['completed', reference]);
  });

  it('is looked at as soon as MTN calls', async () => {
    const resourceId = await queue();
    mtn.ending = { status: 'PENDING' };
    await app.sweep('outbound.send');
    mtn.ending = { status: 'FAILED', reason: 'PAYEE_NOT_FOUND' };
    await app.sweep('outbound.send');
    expect(await stateOf(resourceId)).toEqual(['sending', null]);
    await call(new URL(mtn.transfers.at(-1)?.callbackUrl ?? '').pathname, {}, 'PUT');
    await app.sweep('outbound.send');
    expect(await stateOf(resourceId)).toEqual(['failed', 'recipient_not_found']);
    mtn.ending = { status: 'SUCCESSFUL' };
  });
});

describe('a call about a prompt', () => {
  const dueIds = async () => {
    const request = { rails: ['mtn', 'mpesa'], now: app.clock.now(), limit: 10 };
    return (await claimAtRails<{ id: string }>(app.database.db, dueAttempts, request)).map(({ id }) => id);
  };
  const phoneOf = (id: string) => {
    const rail = rails.phones.find(each => each.id === id);
    if (rail === undefined) throw new Error(`there is no rail ${id}`);
    return rail;
  };

  /** Stores an attempt that is due in an hour, and shows its prompt. Returns the path that the operator received. */
  async function show(railId: 'mtn' | 'mpesa') {
    const request = promptOf(railId, { merchantId: app.merchant.id, now: app.clock.now() });
    await app.database.pool.query(
      `insert into payment_attempts (merchant_id, payment_id, id, livemode, method, rail, amount, currency, number,
         state, due_at, created_at, updated_at)
       values ($1, $2, $3, true, 'mobile_money', $4, 1200, $5, $6, 'requires_action', $7, $8, $8)`,
      [
        ...[request.merchantId, request.paymentId, request.attemptId, railId, request.currency, request.number],
        ...[new Date(request.now.getTime() + 3_600_000), request.now],
      ],
    );
    expect(await phoneOf(railId).prompt(request)).toMatchObject({ state: 'waiting' });
    const url = railId === 'mtn' ? mtn.requests.at(-1)?.callbackUrl : mpesa.express.pushes.at(-1)?.body['CallBackURL'];
    return { request, path: new URL(String(url)).pathname };
  }

  it.each([
    ['mtn', 'PUT', { status: 'SUCCESSFUL' }],
    ['mtn', 'POST', undefined],
    ['mpesa', 'POST', { Body: { stkCallback: { CheckoutRequestID: 'ws_CO_other', ResultCode: 0 } } }],
    ['mpesa', 'POST', '<html>'],
  ] as const)('of %s by %s with %j makes its attempt due, twice too, and decides nothing', async (id, method, body) => {
    const { request, path } = await show(id);
    expect(await dueIds()).toEqual([]);
    expect((await call(path, body, method)).body).toEqual({ ResultCode: 0, ResultDesc: 'Accepted' });
    expect((await call(path, body, method)).status).toBe(200);
    expect(await dueIds()).toEqual([request.attemptId]);
    const key = { merchantId: request.merchantId, id: request.attemptId };
    expect(await phoneOf(id).promptStatus(key, request.now)).toMatchObject({ state: 'waiting' });
  });

  it('to the address of another prompt, order or rail changes nothing', async () => {
    const [{ path }, other] = [await show('mtn'), await show('mpesa')];
    const [last, payout] = [path.slice(-1) === 'A' ? 'B' : 'A', await send('mtn')];
    await claimDue();
    const wrong = [
      ...[path.slice(0, -1) + last, path.replace('/mtn/', '/mpesa/'), path.replace('/mtn/', '/airtel/')],
      payout.path.replace('/mtn/', '/mpesa/'),
    ];
    for (const each of wrong) expect((await call(each, {})).status).toBe(404);
    expect(await dueIds()).toEqual([]);
    expect((await call(other.path, {})).status).toBe(200);
    expect(await dueIds()).toEqual([other.request.attemptId]);
    expect(await claimDue()).toEqual([]);
  });
});

describe('real money', () => {
  const customer = { name: 'Ada', email: 'ada@example.com' };
  const order = {
    amount: 100_000,
    currency: 'KES',
    settlement_asset: 'KES',
    settlement_network: 'stellar',
    payment_methods: ['mobile_money'],
    customer,
  };
  let key: string;
  beforeAll(async () => {
    key = await app.addKey(app.merchant.id, 'secret', { livemode: true });
    const destination = { type: 'mobile_money', provider: 'mpesa', number: '+254712345678' };
    await post('PATCH /v1/account', { settlement: { asset: 'KES', destination, schedule: 'automatic' } });
  });

  async function post(path: `${string} /${string}`, body: object) {
    const answer = await app.request(path, { key, body });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  }

  it('is taken by phone alone, from the prompt to the refund', async () => {
    const { id, livemode } = await post('POST /v1/payments', order);
    const { body: options } = await app.request(`GET /v1/payments/${id}/options`, { key });
    expect([livemode, Object.keys(options)]).toEqual([true, ['object', 'mobile_money']]);
    expect(options.mobile_money.operators).toMatchObject([{ provider: 'mpesa', amount: 100_000, currency: 'KES' }]);
    const phone = { method: 'mobile_money', provider: 'mpesa', number: '+254712345679' };
    const sent = mpesa.express.pushes.length;
    expect((await post(`POST /v1/payments/${id}/confirm`, phone)).next_action).toMatchObject({ type: 'phone_prompt' });
    const second = await post('POST /v1/payments', order);
    const refused = await app.request(`POST /v1/payments/${second.id}/confirm`, { key, body: phone });
    expect([refused.status, refused.body.error.code, mpesa.express.pushes.length]).toEqual([
      409,
      'prompt_open',
      sent + 1,
    ]);
    Object.assign(mpesa.express.pushes.at(-1) ?? {}, { resultCode: '0' });
    app.clock.advance(60);
    await app.sweep('payments.attempts');
    expect((await app.request(`GET /v1/payments/${id}`, { key })).body).toMatchObject({ status: 'completed' });
    for (const [amount, message] of [
      [30_050, 'M-Pesa sends multiples of 1.00 KES only. Refund such an amount, or all that is left.'],
      [500, 'M-Pesa sends at least 10.00 KES, and this would be 5.00 KES.'],
    ] as const) {
      const refused = await app.request(`POST /v1/payments/${id}/refunds`, { key, body: { amount } });
      expect([refused.status, refused.body.error]).toMatchObject([400, { code: 'invalid_amount', message }]);
    }
    expect(await post(`POST /v1/payments/${id}/refunds`, { amount: 30_000 })).toMatchObject({ status: 'pending' });
  });

  it.each<[string, () => Promise<string>]>([
    [
      'a link',
      async () => {
        const { amount, currency, settlement_asset, payment_methods } = order;
        const link = await post('POST /v1/payment-links', { amount, currency, settlement_asset, payment_methods });
        return `payment-links/${link.id}`;
      },
    ],
    [
      'an invoice',
      async () => {
        const { currency, payment_methods } = order;
        const lines = [{ description: 'Coffee', quantity: '1', unit_amount: order.amount }];
        const draft = await post('POST /v1/invoices', { customer, currency, payment_methods, lines });
        return `invoices/${(await post(`POST /v1/invoices/${draft.id}/send`, {})).id}`;
      },
    ],
  ])('pays %s by phone alone', async (_, make) => {
    const path = await make();
    const body = path.includes('links') ? { customer } : {};
    expect(await post(`POST /v1/${path}/payments`, body)).toMatchObject({ livemode: true, status: 'pending' });
  });

  it.each([
    ['POST /v1/payments', {}],
    ['POST /v1/payment-links', { settlement_network: undefined, customer: undefined }],
  ] as const)('%s refuses a currency that no operator collects, if no other method takes it', async (path, changes) => {
    const inDollars = { ...order, currency: 'USD', settlement_asset: 'USDC', ...changes };
    const refused = await app.request(path, { key, body: inDollars });
    expect([refused.status, refused.body.error]).toMatchObject([
      400,
      {
        code: 'payment_method_not_allowed',
        param: 'payment_methods',
        message: expect.stringMatching(
          /^This server takes no USD by mobile_money\. Add crypto to payment_methods\. By mobile_money it takes .*KES/,
        ),
      },
    ]);
    await post(path, { ...inDollars, payment_methods: ['mobile_money', 'crypto'] });
  });

  it('is not taken by methods without a connector', async () => {
    const body = { ...order, payment_methods: ['card', 'bank_transfer'] };
    const answer = await app.request('POST /v1/payments', { key, body });
    expect([answer.status, answer.body.error]).toMatchObject([
      403,
      {
        code: 'live_mode_unavailable',
        param: 'payment_methods',
        message: 'This server takes real money by crypto and mobile_money only. Add one of them to payment_methods.',
      },
    ]);
  });
});

describe('the connectors', () => {
  it('are reported to the operator when their provider refuses calls', async () => {
    mtn.revokeTokens();
    mtn.fail('/disbursement/token/', 'refused token', 'refused token');
    await railOf('mtn').status(['ot_unknown'], app.clock.now());
    expect((await app.request('GET /readyz')).text).toContain('MTN MoMo: answers 401');
    const warnings = app.logs
      .map(line => JSON.parse(line))
      .filter(({ problem }) => problem === 'MTN MoMo: answers 401');
    expect(warnings).toMatchObject([{ level: 40 }]);
    const failing = async () =>
      (await app.request('GET /metrics', { key: null })).text.match(/^pay_mobile_money_failing.*pays mtn.*$/gm);
    expect(await failing()).toEqual(['pay_mobile_money_failing{connector="pays mtn"} 1']);
    await railOf('mtn').status(['ot_unknown'], app.clock.now());
    expect((await app.request('GET /readyz')).text).not.toContain('MTN MoMo');
    expect(await failing()).toEqual(['pay_mobile_money_failing{connector="pays mtn"} 0']);
    mtn.fail('/collection/token/', 'refused token', 'refused token');
    const key = { merchantId: app.merchant.id, id: 'att_unknown' };
    await rails.phones[0]?.prompt(promptOf('mtn', { attemptId: key.id, merchantId: key.merchantId }));
    expect((await app.request('GET /readyz')).text).toContain('MTN MoMo Collections: answers 401');
    await rails.phones[0]?.prompt(promptOf('mtn', { attemptId: 'att_second', merchantId: key.merchantId }));
    expect((await app.request('GET /readyz')).text).not.toContain('MTN MoMo');
  });

  it('exist on the public network only, by their settings', async () => {
    expect(rails.payouts.map(({ id, livemode }) => [id, livemode])).toEqual([
      ['mtn', true],
      ['mpesa', true],
    ]);
    expect(
      rails.phones.map(({ id, livemode, markets }) => [id, livemode, markets.map(({ country }) => country)]),
    ).toEqual([
      ['mtn', true, ['GH']],
      ['mpesa', true, ['KE']],
    ]);
    const found: string[] = [];
    const testApp = await startTestApp({
      settings: { ...settingsOf(), PAY_NETWORK: 'sandbox', PAY_HORIZON_URL: '', PAY_TREASURY_SECRET: '' },
      modules: [{ name: 'watch', start: core => void found.push(...core.mobileMoney.receivers.map(({ id }) => id)) }],
    });
    await testApp.close();
    expect(found).toEqual([]);
  });

  it.each([
    [{ PAY_MTN_API_USER: 'user-1', PAY_MTN_CURRENCY: 'GHS' }, 'PAY_MTN_API_KEY: is needed with PAY_MTN_API_USER'],
    [{ PAY_MTN_CURRENCY: 'GHS' }, 'PAY_MTN_API_KEY: is needed with PAY_MTN_CURRENCY'],
    [{ PAY_MTN_COLLECTION_API_USER: 'u' }, 'PAY_MTN_CURRENCY: is needed with PAY_MTN_COLLECTION_API_USER'],
    [
      { PAY_MPESA_COLLECTION_PASSKEY: 'k' },
      'PAY_MPESA_COLLECTION_SHORTCODE: is needed with PAY_MPESA_COLLECTION_PASSKEY',
    ],
    [{ PAY_MPESA_COLLECTION_SHORTCODE: '12' }, 'PAY_MPESA_COLLECTION_SHORTCODE: takes 5 to 9 digits'],
    [{ PAY_MPESA_SHORTCODE: '600999' }, 'PAY_MPESA_CERTIFICATE: is needed with PAY_MPESA_SHORTCODE'],
    [{ PAY_MPESA_SHORTCODE: 'abc' }, 'PAY_MPESA_SHORTCODE: takes 5 to 9 digits'],
    [{ PAY_MPESA_CERTIFICATE: 'abc' }, 'PAY_MPESA_CERTIFICATE: takes an X.509 certificate'],
    [{ PAY_MTN_CURRENCY: 'ABC' }, 'PAY_MTN_CURRENCY: “ABC” is not an ISO 4217 currency code.'],
    [{ PAY_MTN_CURRENCY: 'ZWL' }, 'PAY_MTN_CURRENCY: ZWL was withdrawn; use ZWG.'],
    [
      { PAY_MTN_API_USER: 'user-1', PAY_PUBLIC_URL: 'http://pay.example.com' },
      'PAY_PUBLIC_URL: takes an https address with PAY_MTN_API_USER, because the operator calls it',
    ],
    [{ PAY_MPESA_SHORTCODE: '600999', PAY_PUBLIC_URL: '' }, 'PAY_PUBLIC_URL: takes an https address with PAY_MPESA'],
  ])('refuse the settings %j', (settings, message) => {
    expect(() => readConfig({ ...onPublic, ...settings })).toThrow(ConfigError);
    expect(() => readConfig({ ...onPublic, ...settings })).toThrow(message);
  });

  it.each(['MTN', 'MPESA'])(
    'of %s collect without settings for payouts, and pay without those for collecting',
    operator => {
      const all = Object.entries(operatorSettings(mtn, mpesa)).filter(([name]) => name.startsWith(`PAY_${operator}_`));
      const shared = ['PAY_MTN_URL', 'PAY_MPESA_URL', 'PAY_MTN_ENVIRONMENT', 'PAY_MTN_CURRENCY'];
      for (const isCollecting of [true, false]) {
        const own = all.filter(([name]) => shared.includes(name) || name.includes('_COLLECTION_') === isCollecting);
        const config = readConfig({ ...onPublic, ...Object.fromEntries(own) });
        const missing = (direction: 'payIn' | 'payOut') =>
          missingMobileMoneySettings(config, direction)[operator === 'MTN' ? 'mtn' : 'mpesa'].length;
        expect([missing('payIn') === 0, missing('payOut') === 0]).toEqual([isCollecting, !isCollecting]);
      }
    },
  );
});
