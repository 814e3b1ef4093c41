import { Keypair } from '@stellar/stellar-sdk/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PaymentLab, refusal, startPaymentLab } from '../payments/payment-lab.ts';

let lab: PaymentLab;
beforeAll(async () => {
  lab = await startPaymentLab();
  await lab.request('POST /v1/test_helpers/fund', { body: { currency: 'EUR', amount: 100_000 } });
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

/** Another issuer’s asset, whose market the issuer owns. */
const fake = `MOON:${Keypair.random().publicKey()}`;
const quote = (body: object) => lab.request('POST /v1/balance/quotes', { body });
const convert = (body: object) => lab.request('POST /v1/balance/conversions', { body });
const pair = (amount: number) => ({ from: { currency: 'EUR', amount }, to: { currency: 'JPY' } });

describe('a conversion', () => {
  it('books the amounts of its quote, once', async () => {
    const { status, body: quoted } = await quote(pair(10_000));
    expect(status).toBe(201);
    expect(quoted).toMatchObject({
      object: 'balance_quote',
      from: { currency: 'EUR', amount: 10_000 },
      conversion: null,
    });
    const { status: made, body } = await convert({ quote: quoted.id });
    expect(made).toBe(201);
    const { from, to, rate } = quoted;
    expect(body).toMatchObject({ object: 'conversion', from, to, rate, quote: quoted.id });
    expect(to.amount).toBe(Math.floor(100 * Number(rate)));
    expect(await lab.balance()).toEqual({ 'available EUR': 90_000, 'available JPY': to.amount });
    expect(await lab.eventsOf(body.id)).toEqual(['conversion.created']);
    expect(refusal(await convert({ quote: quoted.id }))).toEqual([409, 'illegal_state', 'quote']);
    expect((await lab.request(`GET /v1/balance/conversions/${body.id}`)).body).toEqual(body);
    expect((await lab.request('GET /v1/balance/conversions')).body.data).toEqual([body]);
  });

  it('into an asset is exact to seven decimals, at the rate of the moment', async () => {
    const { body } = await convert({ from: { currency: 'EUR', amount: 1 }, to: { asset: 'USDC' } });
    expect(body.to).toEqual({ asset: expect.stringMatching(/^USDC:/), amount: expect.stringMatching(/^0\.\d{7}$/) });
    expect((await lab.request('GET /v1/balance')).body.available).toContainEqual(body.to);
  });

  it('is refused after its quote expired, and without the money', async () => {
    const { body } = await quote(pair(1_000));
    lab.clock.advance(60);
    expect(refusal(await convert({ quote: body.id }))).toEqual([409, 'quote_expired', 'quote']);
    const { status, body: refused } = await convert(pair(900_000));
    expect([status, refused.error.code]).toEqual([402, 'insufficient_funds']);
  });

  it.each([
    ['POST /v1/balance/conversions', { from: { currency: 'EUR', amount: 1 }, to: { asset: fake } }, 'to.asset'],
    ['POST /v1/balance/quotes', { from: { asset: fake, amount: '1' }, to: { currency: 'EUR' } }, 'from.asset'],
    ['PATCH /v1/account', { settlement: { asset: fake } }, 'settlement.asset'],
    [
      'POST /v1/payments',
      {
        amount: 100,
        currency: 'EUR',
        settlement_asset: fake,
        settlement_network: 'stellar',
        payment_methods: ['card'],
        customer: { email: 'ada@example.com' },
      },
      'settlement_asset',
    ],
    [
      'POST /v1/payment-links',
      { amount: 100, currency: 'EUR', settlement_asset: fake, description: 'A book' },
      'settlement_asset',
    ],
    [
      'POST /v1/invoices',
      {
        currency: 'EUR',
        settlement_asset: fake,
        customer: { name: 'Ada', email: 'ada@example.com' },
        lines: [{ description: 'A book', quantity: 1, unit_amount: 100 }],
      },
      'settlement_asset',
    ],
  ] as const)('%s refuses an asset that the operator does not list: %j', async (call, body, param) => {
    const answer = await lab.request(call, { body });
    expect(refusal(answer)).toEqual([400, 'asset_not_listed', param]);
    const { body: capabilities } = await lab.request('GET /v1/capabilities');
    for (const asset of capabilities.settlement_assets) expect(answer.body.error.message).toContain(asset);
  });

  it('is limited to a value an hour, and says when there is room again', async () => {
    const merchant = await lab.addMerchant();
    const key = merchant.secretKey;
    const fund = { currency: 'USD', amount: 3_000_000 };
    await lab.request('POST /v1/test_helpers/fund', { key, body: fund });
    const give = (amount: number) =>
      lab.request('POST /v1/balance/conversions', {
        key,
        body: { from: { currency: 'USD', amount }, to: { currency: 'EUR' } },
      });
    expect(refusal(await give(1_000_001))).toEqual([400, 'invalid_amount', 'from.amount']);
    expect((await give(600_000)).status).toBe(201);
    lab.clock.advance(60);
    expect((await give(400_000)).status).toBe(201);
    const full = await give(600_000);
    expect([full.status, full.body.error.code, full.headers['retry-after']]).toEqual([429, 'conversion_limit', '3540']);
    lab.clock.advance(3_540);
    expect((await give(600_000)).status).toBe(201);
  });

  it.each([
    [{}, 400, 'parameter_missing', 'from'],
    [{ from: { currency: 'EUR', amount: 1 } }, 400, 'parameter_missing', 'to'],
    [{ ...pair(1), to: { currency: 'EUR' } }, 400, 'parameter_invalid', 'to'],
    [{ ...pair(1), quote: 'quote_x' }, 400, 'parameter_invalid', 'quote'],
    [{ quote: 'quote_x' }, 404, 'resource_missing', 'quote'],
    [{ from: { currency: 'EUR', amount: '1' }, to: { asset: 'XLM' } }, 400, 'invalid_amount', 'from.amount'],
    [{ from: { currency: 'EUR', amount: 1 }, to: { asset: 'NOPE' } }, 400, 'invalid_asset', 'to.asset'],
  ])('refuses %j', async (body, status, code, param) => {
    expect(refusal(await convert(body))).toEqual([status, code, param]);
  });
});
