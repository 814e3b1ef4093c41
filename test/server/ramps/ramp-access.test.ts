import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CreatedRamp } from '../../../src/api/ramps/ramp.ts';
import type { TestAnswer } from '../../support/app.ts';
import { refusal } from '../payments/payment-lab.ts';
import { type RampLab, startRampLab, USDC } from './ramp-lab.ts';

const origin = 'http://localhost:5173';

let lab: RampLab;
let wallet: string;
beforeAll(async () => {
  lab = await startRampLab();
  wallet = (await lab.openAccount(USDC)).publicKey();
}, 60_000);
afterAll(() => lab.close());

/** A call of a page, with the publishable key and a client secret. */
function byPage(call: Parameters<RampLab['request']>[0], secret: string | null, body?: object, from = origin) {
  const headers = { origin: from, ...(secret !== null && { 'pay-client-secret': secret }) };
  return lab.request(call, { key: lab.merchant.publishableKey, headers, body });
}

let count = 0;
const terms = (changes: object = {}) => ({
  direction: 'on',
  fiat_currency: 'EUR',
  fiat_amount: 100_00,
  asset: 'USDC',
  method: 'card',
  wallet: { address: wallet },
  customer: { email: `page-${++count}@example.com` },
  ...changes,
});

async function begun(changes: object = {}): Promise<CreatedRamp> {
  const answer = await byPage('POST /v1/ramps', null, terms(changes));
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

const codeOf = ({ status, body }: TestAnswer) => [status, body.error?.code ?? null];

/** An identity check from the first cent. */
const checked = [{ tier: 'basic', currency: 'EUR', per_transaction: 500_00 }];
const ada = { first_name: 'Ada', last_name: 'Lovelace', birth_date: '1990-12-10', address_country_code: 'GBR' };

describe('a page', { timeout: 40_000 }, () => {
  it('learns what is offered, quotes, and begins a ramp at the quote', async () => {
    const { body: options } = await byPage('GET /v1/ramps/options?currency=eur', null);
    expect(options).toMatchObject({ currency: 'EUR', assets: [USDC, 'XLM'], livemode: false });
    expect(options.methods).toEqual(expect.arrayContaining(['card', 'bank_transfer']));
    const quoted = await byPage('POST /v1/ramps/quotes', null, {
      direction: 'on',
      sell: { currency: 'EUR', amount: 100_00 },
      buy: { asset: 'USDC' },
      method: 'card',
    });
    expect(quoted.status, quoted.text).toBe(201);
    const ramp = await begun({ quote_id: quoted.body.id, metadata: { cart: '7' } });
    expect(ramp).toMatchObject({ amount_out: quoted.body.buy.amount, status: 'pending_user_transfer_start' });
    expect(ramp.widget_url).toMatch(/\/ramp\/\w{72,74}$/);
    expect([ramp.metadata, ramp.customer_id, ramp.client_reference]).toEqual([undefined, undefined, undefined]);
    const read = await byPage(`GET /v1/ramps/${ramp.id}`, ramp.client_secret);
    expect(read.body).toMatchObject({ id: ramp.id, payment_client_secret: ramp.payment_client_secret });
    expect(read.body.metadata).toBeUndefined();
    // The payment's secret pays it.
    const payment = await lab.request(`GET /v1/payments/${ramp.payment}`, { key: ramp.payment_client_secret ?? '' });
    expect(payment.body).toMatchObject({ amount: 100_00, ramp: ramp.id });
    const merchants = await lab.request(`GET /v1/ramps/${ramp.id}`);
    expect(merchants.body).toMatchObject({ metadata: { cart: '7' }, customer_id: expect.stringMatching(/^cus_/) });
  });

  it('reserves no coins by asking for prices', async () => {
    const most = Number(await lab.holds(lab.treasury, 'XLM'));
    const amount = String(Math.floor(most * 1.5));
    const quote = { direction: 'on', sell: { currency: 'EUR' }, buy: { asset: 'XLM', amount }, method: 'card' };
    const answers = [];
    for (let i = 0; i < 6; i++) answers.push(await byPage('POST /v1/ramps/quotes', null, quote));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201));
    const ramps = [];
    for (const { body } of answers) {
      const given = terms({ quote_id: body.id, asset: undefined, fiat_amount: undefined });
      ramps.push(await byPage('POST /v1/ramps', null, given));
    }
    expect(ramps[0]?.status).toBe(201);
    expect(ramps.filter(({ status }) => status !== 201).map(refusal)).toContainEqual([409, 'no_liquidity', 'amount']);
  });

  it('gets the same secrets when it repeats a request whose answer was lost', async () => {
    const body = terms();
    const headers = { origin, 'idempotency-key': 'lost answer' };
    const send = () => lab.request('POST /v1/ramps', { key: lab.merchant.publishableKey, headers, body });
    const [first, again] = [await send(), await send()];
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body).toMatchObject({
      id: first.body.id,
      client_secret: first.body.client_secret,
      payment_client_secret: first.body.payment_client_secret,
    });
  });

  it('ends its ramp before the money only', async () => {
    const ramp = await begun();
    expect(codeOf(await byPage(`POST /v1/ramps/${ramp.id}/cancel`, ramp.client_secret))).toEqual([200, null]);
    const paid = await begun();
    await lab.pay(paid);
    expect(codeOf(await byPage(`POST /v1/ramps/${paid.id}/cancel`, paid.client_secret))[0]).toBe(409);
    await lab.reach(paid.id, 'completed');
  });

  it('has no access to anything else', async () => {
    const [mine, other] = [await begun(), await begun()];
    const id = mine.id;
    const answers = await Promise.all([
      byPage(`GET /v1/ramps/${other.id}`, mine.client_secret),
      byPage(`GET /v1/ramps/${id}`, null),
      byPage(`GET /v1/ramps/${id}`, mine.payment_client_secret ?? ''),
      byPage(`POST /v1/ramps/${id}/cancel`, other.client_secret),
      byPage(`GET /v1/ramps/${id}/kyc`, other.client_secret),
      byPage('GET /v1/ramps', mine.client_secret),
      byPage(`POST /v1/ramps/${id}/resume`, mine.client_secret),
      byPage(`POST /v1/ramps/${id}/accept`, mine.client_secret),
      byPage(`POST /v1/ramps/${id}/refunds`, mine.client_secret, {}),
      byPage(`GET /v1/ramps/${id}`, mine.client_secret, undefined, 'https://evil.example'),
      byPage('POST /v1/ramps', null, terms(), 'https://evil.example'),
      byPage('POST /v1/ramps', null, terms({ customer: undefined, customer_id: 'cus_0000000000000000000000' })),
      byPage('POST /v1/ramps', null, terms({ customer: { id: 'cus_0000000000000000000000' } })),
    ]);
    expect(answers.map(codeOf)).toEqual([
      [403, 'client_secret_mismatch'],
      [403, 'secret_key_required'],
      [403, 'client_secret_mismatch'],
      [403, 'client_secret_mismatch'],
      [403, 'client_secret_mismatch'],
      ...Array.from({ length: 4 }, () => [403, 'secret_key_required']),
      [403, 'origin_not_allowed'],
      [403, 'origin_not_allowed'],
      [403, 'secret_key_required'],
      [403, 'secret_key_required'],
    ]);
  });

  it('gives the data of an identity check, and the ramp begins after the approval', async () => {
    await lab.setTerms({ limits: checked });
    const ramp = await begun();
    expect(ramp).toMatchObject({ status: 'incomplete', kyc_tier_needed: 'basic' });
    const { client_secret: secret } = ramp;
    const asked = await byPage(`GET /v1/ramps/${ramp.id}/kyc`, secret);
    expect(asked.body).toMatchObject({ object: 'session_kyc', status: 'not_started', requested_tier: 'basic' });
    expect(asked.body.fields.map(({ name }: { name: string }) => name)).toEqual(Object.keys(ada));
    const decided = await byPage(`PUT /v1/ramps/${ramp.id}/kyc`, secret, { ...ada, status: 'approved' });
    expect(codeOf(decided)).toEqual([400, 'parameter_unknown']);
    const given = await byPage(`PUT /v1/ramps/${ramp.id}/kyc`, secret, ada);
    expect(given.status, given.text).toBe(200);
    expect(given.text).not.toContain('Lovelace');
    await lab.sweep('kyc.checks');
    await lab.reach(ramp.id, 'pending_user_transfer_start');
    const { body: begins } = await byPage(`GET /v1/ramps/${ramp.id}`, secret);
    expect(begins).toMatchObject({ kyc_status: 'approved', payment_client_secret: expect.any(String) });
    await lab.setTerms({ limits: [] });
  });

  it('neither uses nor sees the identity check that another session began', async () => {
    await lab.setTerms({ limits: checked });
    const customer = { email: 'victim@example.com' };
    const early = await begun({ customer });
    const owner = await begun({ customer });
    await byPage(`PUT /v1/ramps/${owner.id}/kyc`, owner.client_secret, ada);
    await lab.sweep('kyc.checks');
    await lab.reach(owner.id, 'pending_user_transfer_start');
    const late = await begun({ customer });
    await lab.sweep('ramps');
    for (const { id, client_secret: secret } of [early, late]) {
      const { body } = await byPage(`GET /v1/ramps/${id}`, secret);
      expect(body).toMatchObject({ status: 'incomplete', kyc_status: 'not_started' });
      expect(codeOf(await byPage(`GET /v1/ramps/${id}/kyc`, secret))).toEqual([403, 'operation_not_allowed']);
      expect(codeOf(await byPage(`PUT /v1/ramps/${id}/kyc`, secret, ada))).toEqual([403, 'operation_not_allowed']);
    }
    // The merchant's server vouches for its customer.
    const vouched = await lab.begin(wallet, { customer });
    expect(vouched.body).toMatchObject({ status: 'pending_user_transfer_start', kyc_status: 'approved' });
    await lab.setTerms({ limits: [] });
  });
});

it('a secret key gets a fresh address of the widget', async () => {
  const ramp: CreatedRamp = (await lab.begin(wallet)).body;
  expect(ramp.client_secret).toMatch(/^ramp_\w{22}_secret_\w{44}$/);
  const { status, body } = await lab.request(`POST /v1/ramps/${ramp.id}/resume`);
  expect([status, body.id]).toEqual([200, ramp.id]);
  expect(body.widget_url).toMatch(/\/ramp\/\w{72,74}$/);
  expect(body.client_secret).toBeUndefined();
});
