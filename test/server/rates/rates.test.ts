import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { currencyDecimals, parseCurrency } from '../../../src/core/currency.ts';
import { convert } from '../../../src/core/rate.ts';
import { createSandboxRates } from '../../../src/sandbox/rates.ts';
import type { RateSource, ReportedPrice } from '../../../src/server/rates/rates.ts';
import { createRates } from '../../../src/server/rates/rates.ts';
import type { TestAnswer, TestRequest } from '../../support/app.ts';
import { order, type PaymentLab, refusal, startPaymentLab } from '../payments/payment-lab.ts';

const issuer = 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5';
const usdc = `USDC:${issuer}`;
const begin = new Date('2026-11-02T09:00:00Z').getTime();

/** A market and a clock that the test sets, and the rates from them. */
function market() {
  let now = begin;
  let asked = 0;
  const prices = new Map<string, ReportedPrice | Error>();
  const source: RateSource = {
    id: 'hand',
    wellKnownAssets: { USDC: issuer },
    price: async (from, to) => {
      asked++;
      const price = prices.get(`${from}>${to}`);
      if (price instanceof Error) throw price;
      return price ?? null;
    },
  };
  const set = (pair: string, price: string, ageSeconds = 0) =>
    prices.set(pair, { price, asOf: new Date(now - ageSeconds * 1000) });
  const rates = createRates(source, { now: () => new Date(now) });
  return {
    set,
    fail: (pair: string) => prices.set(pair, new Error('the market is closed')),
    advance: (seconds: number) => {
      now += seconds * 1000;
    },
    asked: () => asked,
    source,
    /** The value of 1000.00 EUR in stroops of USDC. */
    worth: async () => convert(100_000n, (await rates.find('EUR', usdc)).rate),
  };
}

const refused = { code: 'rate_unavailable', status: 503, retryAfterSeconds: 5 };

describe('a rate', () => {
  it('is the price in the smallest units of both sides', async () => {
    const hand = market();
    hand.set(`EUR>${usdc}`, '1.09');
    expect(await hand.worth()).toBe(10_900_000_000n);
  });

  it.each([
    ['zero', '0'],
    ['zero with decimals', '0.000'],
    ['negative', '-1.09'],
    ['not a number', 'NaN'],
    ['infinite', 'Infinity'],
    ['an exponent', '1e3'],
    ['empty', ''],
    ['of another alphabet', '１.０９'],
    ['with a comma', '1,09'],
    ['finer than can be kept', `1.${'0'.repeat(18)}1`],
  ])('is unknown when the price is %s', async (_, price) => {
    const hand = market();
    hand.set(`EUR>${usdc}`, price);
    await expect(hand.worth()).rejects.toMatchObject(refused);
  });

  it.each([
    ['older than two minutes', 121],
    ['ten minutes old', 600],
    ['from the future', -121],
  ])('is unknown when the price is dated: %s', async (_, age) => {
    const hand = market();
    hand.set(`EUR>${usdc}`, '1.09', age);
    await expect(hand.worth()).rejects.toMatchObject(refused);
  });

  it('is unknown when the market has none, or does not answer', async () => {
    const hand = market();
    await expect(hand.worth()).rejects.toMatchObject(refused);
    hand.fail(`EUR>${usdc}`);
    await expect(hand.worth()).rejects.toMatchObject({ ...refused, cause: new Error('the market is closed') });
  });

  it.each([
    ['10.9', 'ten times the last'],
    ['0.109', 'a tenth of the last'],
    ['1090000', 'in other units'],
  ])('is unknown when the price jumps to %s, %s, and known when it returns', async price => {
    const hand = market();
    hand.set(`EUR>${usdc}`, '1.09');
    await hand.worth();
    hand.advance(60);
    hand.set(`EUR>${usdc}`, price);
    await expect(hand.worth()).rejects.toMatchObject(refused);
    hand.set(`EUR>${usdc}`, '1.10');
    expect(await hand.worth()).toBe(11_000_000_000n);
  });

  it('is known again when a jump has lasted ten minutes', async () => {
    const hand = market();
    hand.set(`EUR>${usdc}`, '0.1');
    await hand.worth();
    for (let minute = 1; minute < 10; minute++) {
      hand.advance(60);
      hand.set(`EUR>${usdc}`, '1.09');
      await expect(hand.worth()).rejects.toMatchObject(refused);
    }
    hand.advance(60);
    hand.set(`EUR>${usdc}`, '1.09');
    expect(await hand.worth()).toBe(10_900_000_000n);
  });

  it.each([
    ['the first is inverted', '0.9174', '0.9174'],
    ['the second is inverted', '1.09', '1.09'],
    ['they are far apart', '1.09', '0.8'],
  ])('is unknown when both directions disagree: %s', async (_, there, back) => {
    const hand = market();
    hand.set(`EUR>${usdc}`, there);
    hand.set(`${usdc}>EUR`, back);
    await expect(hand.worth()).rejects.toMatchObject(refused);
  });

  it('may differ slightly between the two directions, as bid and ask do', async () => {
    const hand = market();
    hand.set(`EUR>${usdc}`, '1.09');
    hand.set(`${usdc}>EUR`, '0.91');
    expect(await hand.worth()).toBe(10_900_000_000n);
    hand.advance(2);
    hand.fail(`${usdc}>EUR`);
    expect(await hand.worth()).toBe(10_900_000_000n);
  });

  it('is cached for a second, so that a busy shop does not request it for every payment', async () => {
    const hand = market();
    hand.set(`EUR>${usdc}`, '1.09');
    await hand.worth();
    const once = hand.asked();
    for (let i = 0; i < 10; i++) await hand.worth();
    expect(hand.asked()).toBe(once);
    hand.advance(1);
    await hand.worth();
    expect(hand.asked()).toBe(2 * once);
  });

  it('makes a quote equal to the price, within half a stroop', async () => {
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: 1n, max: 10n ** 9n }), async micros => {
        const hand = market();
        hand.set(`EUR>${usdc}`, `${micros / 1_000_000n}.${String(micros % 1_000_000n).padStart(6, '0')}`);
        expect(await hand.worth()).toBe(micros * 10_000n);
      }),
      { numRuns: 50 },
    );
  });
});

/** ISO 4217 list one of 2026 by number of decimals, without funds, units of account, metals and codes for tests. */
const activeCurrencies = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'],
  [
    2,
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP ' +
      'CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD ' +
      'KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN ' +
      'NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC ' +
      'SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG',
  ],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  // Withdrawn, and still in older payments.
  [2, 'ANG BGN'],
] as const;

it.each(activeCurrencies)(
  'every currency of ISO 4217 with %i decimals has a price in the sandbox',
  async (decimals, list) => {
    const source = createSandboxRates({ now: () => new Date(begin) });
    const known = list.split(' ').map(async code => {
      const isTaken = parseCurrency(code) !== null;
      return [code, isTaken && currencyDecimals(code), (await source.price(code, 'USD')) !== null];
    });
    expect(await Promise.all(known)).toEqual(list.split(' ').map(code => [code, decimals, true]));
  },
);

describe('GET /v1/rates', () => {
  const hand = market();
  let lab: PaymentLab;
  beforeAll(async () => {
    lab = await startPaymentLab({ rateSource: hand.source });
    hand.set(`EUR>${usdc}`, '1.09');
    hand.set('EUR>JPY', '162.686567');
  });
  afterAll(() => lab.close());

  it.each([
    ['from=EUR&to=USDC', { from: 'EUR', to: usdc, rate: '1.09', source: 'hand', as_of: '2026-11-02T09:00:00.000Z' }],
    ['from=eur&to=jpy', { from: 'EUR', to: 'JPY', rate: '162.686567' }],
  ])('returns ?%s', async (query, expected) => {
    const { status, body } = await lab.request(`GET /v1/rates?${query}`);
    expect([status, body.object]).toEqual([200, 'rate']);
    expect(body).toMatchObject(expected);
  });

  it.each([
    ['from=EUR', [400, 'parameter_missing', 'to']],
    ['from=EUR&to=DOGE', [400, 'invalid_asset', 'to']],
    ['from=EURO:X&to=EUR', [400, 'invalid_asset', 'from']],
    ['from=USD&to=GBP', [503, 'rate_unavailable', null]],
  ])('refuses ?%s', async (query, expected) => {
    expect(refusal(await lab.request(`GET /v1/rates?${query}`))).toEqual(expected);
  });

  const payment = { ...order, currency: 'huf' };
  const invoice = {
    currency: 'HUF',
    customer: { name: 'Ada', email: 'ada@example.com' },
    lines: [{ description: 'Work', unit_amount: 5000 }],
  };
  const monthly = { rrule: 'FREQ=MONTHLY', starts_on: '2026-12-01' };
  it.each<[string, () => Promise<TestAnswer>, string]>([
    ['a payment', () => lab.request('POST /v1/payments', { body: payment }), 'currency'],
    ['a link', () => lab.request('POST /v1/payment-links', { body: { currency: 'HUF' } }), 'currency'],
    [
      'a link with a further currency',
      () =>
        lab.request('POST /v1/payment-links', {
          body: { currency: 'EUR', custom_amount: { currencies: ['EUR', 'HUF'] } },
        }),
      'custom_amount.currencies[1]',
    ],
    [
      'the sending of an invoice',
      async () => {
        const { body } = await lab.request('POST /v1/invoices', { body: invoice });
        return await lab.request(`POST /v1/invoices/${body.id}/send`);
      },
      'currency',
    ],
  ])('refuses %s in a currency that no source knows', async (_, send, param) => {
    expect(refusal(await send())).toEqual([400, 'invalid_currency', param]);
  });

  /** Bulk payouts of one row by SEPA. */
  const bulk = (row: object, options: object = {}) => {
    const destination = { type: 'bank_account', iban: 'DE89370400440532013000', account_holder: 'Ada' };
    return { body: { payouts: [{ amount: 100, currency: 'EUR', destination, ...row }], ...options } };
  };
  const csv = (currency: string) => ({
    headers: { 'content-type': 'text/csv' },
    body: `amount,currency,type,iban,account_holder\n100,${currency},bank_account,DE89370400440532013000,Ada\n`,
  });
  it.each<[`${string} /${string}`, (currency: string) => TestRequest, string]>([
    ['POST /v1/payments', currency => ({ body: { ...order, currency } }), 'currency'],
    ['POST /v1/payment-links', currency => ({ body: { amount: 100, currency } }), 'currency'],
    [
      'POST /v1/payment-links',
      currency => ({ body: { currency: 'EUR', custom_amount: { currencies: ['EUR', currency] } } }),
      'custom_amount.currencies[1]',
    ],
    ['POST /v1/invoices', currency => ({ body: { ...invoice, currency } }), 'currency'],
    ['POST /v1/invoices', currency => ({ body: { ...invoice, exchange: { currency } } }), 'exchange.currency'],
    ['POST /v1/invoices/preview', currency => ({ body: { ...invoice, currency } }), 'currency'],
    [
      'POST /v1/recurring-invoices',
      currency => ({ body: { ...monthly, invoice: { ...invoice, currency } } }),
      'invoice.currency',
    ],
    ['POST /v1/payouts/bulk', currency => bulk({ currency }), 'payouts[0].currency'],
    ['POST /v1/payouts/bulk', csv, 'payouts[0].currency'],
    [
      'POST /v1/payouts/bulk',
      currency => bulk({}, { approval: { above: { amount: 1, currency } } }),
      'approval.above.currency',
    ],
    [
      'PATCH /v1/account',
      currency => ({ body: { payouts: { approval_above: { amount: 1, currency } } } }),
      'payouts.approval_above.currency',
    ],
    ['POST /v1/balance/top-ups', currency => ({ body: { currency } }), 'currency'],
    [
      'POST /v1/balance/quotes',
      currency => ({ body: { from: { currency: 'EUR', amount: 100 }, to: { currency } } }),
      'to.currency',
    ],
    [
      'POST /v1/balance/conversions',
      currency => ({ body: { from: { currency: 'EUR', amount: 100 }, to: { currency } } }),
      'to.currency',
    ],
    ['POST /v1/test_helpers/fund', currency => ({ body: { currency, amount: 100 } }), 'currency'],
    ['GET /v1/rates?from=CODE&to=EUR', () => ({}), 'from'],
    ['GET /v1/rates?from=EUR&to=CODE', () => ({}), 'to'],
  ])('%s refuses withdrawn currencies and names their successors (%#)', async (call, requestOf, param) => {
    for (const [code, successor] of [['ANG', 'XCG'], ['bgn', 'EUR'], ['HRK', 'EUR'] as const]) {
      const answer = await lab.request(call.replace('CODE', code) as typeof call, requestOf(code));
      const message = expect.stringContaining(`${code.toUpperCase()} was withdrawn; use ${successor}`);
      expect([...refusal(answer), answer.body.error.message]).toEqual([400, 'invalid_currency', param, message]);
    }
  });

  it('lets money and objects in a withdrawn currency be read, paid, changed and exchanged', async () => {
    hand.set(`BGN>${usdc}`, '0.5573');
    hand.set('BGN>USD', '0.5573');
    hand.set(`EUR>${usdc}`, '1.09');
    hand.set('BGN>EUR', '0.5113');
    hand.set('EUR>BGN', '1.9558');
    const { id } = await lab.create();
    const draft = await lab.request('POST /v1/invoices', { body: { ...invoice, currency: 'EUR' } });
    const link = await lab.request('POST /v1/payment-links', { body: { currency: 'EUR', amount: 100 } });
    for (const table of ['payments', 'invoices', 'payment_links'])
      await lab.database.pool.query(`update ${table} set currency = 'BGN'`);
    expect((await lab.payByCard(id)).body).toMatchObject({ status: 'completed', currency: 'BGN' });
    const changed = await lab.request(`PATCH /v1/invoices/${draft.body.id}`, {
      body: { memo: 'Thanks', currency: 'BGN' },
    });
    expect(changed.body).toMatchObject({ currency: 'BGN', memo: 'Thanks' });
    const visit = { key: null, body: { customer: { email: 'ada@example.com' } } };
    const paid = await lab.request(`POST /v1/payment-links/${link.body.id}/payments`, visit);
    expect(paid.body).toMatchObject({ status: 'pending', currency: 'BGN' });
    const payout = bulk({ source_currency: 'BGN' }, { dry_run: true });
    expect((await lab.request('POST /v1/payouts/bulk', payout)).body).toMatchObject({ dry_run: true, errors: [] });
    const from = { currency: 'BGN', amount: 100 };
    expect((await lab.request('POST /v1/balance/quotes', { body: { from, to: { currency: 'EUR' } } })).status).toBe(
      201,
    );
  });

  it('without a rate, new payments and quotes are refused, and an existing payment can still be paid', async () => {
    const old = await lab.create();
    for (const clock of [lab.clock, hand]) clock.advance(901);
    hand.set(`EUR>${usdc}`, '1.09');
    const { id } = await lab.create();
    lab.clock.advance(2);
    hand.set(`EUR>${usdc}`, '109');
    const answer = await lab.request('POST /v1/payments', { body: { ...order } });
    expect([...refusal(answer), answer.headers['retry-after']]).toEqual([503, 'rate_unavailable', null, '5']);
    expect(refusal(await lab.act(old.id, 'quotes'))).toEqual([503, 'rate_unavailable', null]);
    expect((await lab.options(id)).bank_transfer?.rails.map(({ rail }) => rail)).toEqual(['sepa']);
    expect((await lab.payByCard(id)).body.status).toBe('completed');
    expect(await lab.options(id)).toEqual({ object: 'payment_options' });
    await lab.expectSoundBooks();
  });
});
