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
import type { Rails } from '../../../src/server/rails/rails.ts';
import { ConfigError, readConfig } from '../../../src/server/settings/config.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { type FakeMpesa, startFakeMpesa } from './fake-mpesa.ts';
import { type FakeMtn, startFakeMtn } from './fake-mtn.ts';
import { operatorSettings } from './operator-settings.ts';
import { orderOf } from './order-driver.ts';

const treasury = Keypair.fromRawEd25519Seed(createHash('sha256').update('a treasury').digest());
let mtn: FakeMtn;
let mpesa: FakeMpesa;
let app: TestApp;
let rails: Rails;

const onPublic = { PAY_NETWORK: 'public', PAY_TREASURY_SECRET: treasury.secret() };
const settingsOf = () => ({ ...onPublic, PAY_HORIZON_URL: 'http://127.0.0.1:9', ...operatorSettings(mtn, mpesa) });

/** Gives the tests access to the rails of the app. */
const watch: AppModule = {
  name: 'watch',
  start: core => {
    rails = core.rails;
  },
};

beforeAll(async () => {
  [mtn, mpesa] = await Promise.all([startFakeMtn(), startFakeMpesa()]);
  app = await startTestApp({ settings: settingsOf(), modules: [watch], publicUrl: () => 'https://pay.example.com' });
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

describe('the connectors', () => {
  it('are reported to the operator when their provider refuses calls', async () => {
    mtn.revokeTokens();
    mtn.fail('/disbursement/token/', 'refused token', 'refused token');
    await railOf('mtn').status(['ot_unknown'], app.clock.now());
    expect((await app.request('GET /readyz')).text).toContain('MTN MoMo: answers 401');
    await railOf('mtn').status(['ot_unknown'], app.clock.now());
    expect((await app.request('GET /readyz')).text).not.toContain('MTN MoMo');
  });

  it('exist on the public network only, by their settings', async () => {
    expect(rails.payouts.map(({ id, livemode }) => [id, livemode])).toEqual([
      ['mtn', true],
      ['mpesa', true],
    ]);
    const found: string[] = [];
    const testApp = await startTestApp({
      settings: { ...settingsOf(), PAY_NETWORK: 'sandbox', PAY_HORIZON_URL: '', PAY_TREASURY_SECRET: '' },
      modules: [{ name: 'watch', start: core => void found.push(...core.mobileMoney.connectors.map(({ id }) => id)) }],
    });
    await testApp.close();
    expect(found).toEqual([]);
  });

  it.each([
    [{ PAY_MTN_API_USER: 'user-1', PAY_MTN_CURRENCY: 'GHS' }, 'PAY_MTN_API_KEY: is needed with PAY_MTN_API_USER'],
    [{ PAY_MPESA_SHORTCODE: '600999' }, 'PAY_MPESA_CERTIFICATE: is needed with PAY_MPESA_SHORTCODE'],
    [{ PAY_MPESA_SHORTCODE: 'abc' }, 'PAY_MPESA_SHORTCODE: takes 5 to 9 digits'],
    [{ PAY_MPESA_CERTIFICATE: 'abc' }, 'PAY_MPESA_CERTIFICATE: takes an X.509 certificate'],
    [{ PAY_MTN_CURRENCY: 'ABC' }, 'PAY_MTN_CURRENCY: “ABC” is not an ISO 4217 currency code.'],
    [{ PAY_MTN_CURRENCY: 'ZWL' }, 'PAY_MTN_CURRENCY: ZWL was withdrawn; use ZWG.'],
  ])('refuse the settings %j', (settings, message) => {
    expect(() => readConfig({ ...onPublic, ...settings })).toThrow(ConfigError);
    expect(() => readConfig({ ...onPublic, ...settings })).toThrow(message);
  });
});
