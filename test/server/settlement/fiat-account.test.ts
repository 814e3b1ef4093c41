import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/core/id.ts';
import { order, type PaymentLab, refusal, startPaymentLab } from '../payments/payment-lab.ts';

let lab: PaymentLab;
let second: string;
beforeAll(async () => {
  lab = await startPaymentLab();
  second = await lab.addKey(lab.merchant.id, 'secret', { person: newId('person') });
});
afterAll(() => lab.close());

const iban = { type: 'bank_account', iban: 'DE89370400440532013000' };
const other = { type: 'bank_account', iban: 'FR7630006000011234567890189', account_holder: 'Ada Lovelace' };
const set = (settlement: object, key = lab.merchant.secretKey) =>
  lab.request('PATCH /v1/account', { key, body: { settlement } });
const terms = async () => (await lab.request('GET /v1/account')).body.settlement;
const create = (fields: object) =>
  lab.request('POST /v1/payments', { body: { ...order, settlement_asset: 'EUR', ...fields } });

describe('an account that settles in a currency', () => {
  it('is Stellar’s by default', async () => {
    expect(await terms()).toMatchObject({ asset: 'USDC', destination: null, batch: 'payment', hour: 0 });
    expect(refusal(await create({}))).toEqual([400, 'asset_not_listed', 'settlement_asset']);
  });

  it.each<[string, object, [number, string, string]]>([
    ['no destination', { asset: 'EUR' }, [400, 'parameter_missing', 'settlement.destination']],
    ['an unknown asset', { asset: 'ZZZ' }, [400, 'invalid_asset', 'settlement.asset']],
    [
      'a wrong IBAN',
      { asset: 'EUR', destination: { ...iban, iban: 'DE88370400440532013000' } },
      [400, 'invalid_iban', 'settlement.destination.iban'],
    ],
    [
      'a holder that is too long',
      { destination: { ...iban, account_holder: 'x'.repeat(141) } },
      [400, 'parameter_invalid', 'settlement.destination.account_holder'],
    ],
    [
      'a holder of two lines',
      { destination: { ...iban, account_holder: 'Ada\nGB82WEST12345698765432' } },
      [400, 'invalid_destination', 'settlement.destination.account_holder'],
    ],
    [
      'a holder that reverses text',
      { destination: { ...iban, account_holder: '\u202eadA' } },
      [400, 'invalid_destination', 'settlement.destination.account_holder'],
    ],
    [
      'an operator that is not connected',
      { destination: { type: 'mobile_money', provider: 'nobody', number: '+256772123456' } },
      [400, 'invalid_provider', 'settlement.destination.provider'],
    ],
    [
      'a landline without country',
      { destination: { type: 'mobile_money', provider: 'mtn', number: '0772123456' } },
      [400, 'invalid_phone_number', 'settlement.destination.number'],
    ],
  ])('refuses %s', async (_, settlement, expected) => {
    expect(refusal(await set(settlement))).toEqual(expected);
    expect(await terms()).toMatchObject({ asset: 'USDC', destination: null });
  });

  it('refuses a destination by a key without all scopes, the first one too', async () => {
    const key = await lab.addKey(lab.merchant.id, 'secret', { scopes: ['account:write'] });
    const refused = [403, 'operation_not_allowed', 'settlement.destination'];
    for (const destination of [iban, null]) expect(refusal(await set({ destination }, key))).toEqual(refused);
    expect((await set({ hour: 1 }, key)).status).toBe(200);
  });

  it('takes its first destination at once, in canonical form', async () => {
    const spaced = { ...iban, iban: 'de89 3704 0044 0532 0130 00' };
    const answer = await set({ asset: 'eur', destination: spaced, batch: 'daily', hour: 17 });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.settlement).toMatchObject({ asset: 'EUR', destination: iban, batch: 'daily', hour: 17 });
  });

  it('quotes payments in the currency: EUR for EUR is the same amount', async () => {
    const { status, body, text } = await create({ settlement_asset: 'eur' });
    expect(status, text).toBe(201);
    expect(body).toMatchObject({ settlement_asset: 'EUR', settlement_address: null });
    expect(body.quote).toMatchObject({ settlement_amount: '128.40', rate: '1' });
    expect(body.settlement).toMatchObject({ asset: 'EUR', payout: null });
    const dollars = await create({ currency: 'USD' });
    expect(Number(dollars.body.quote.settlement_amount)).toBeCloseTo(128.4 * dollars.body.quote.rate, 1);
    expect((await lab.request(`GET /v1/payments/${dollars.body.id}/options`)).body.card).toBeDefined();
  });

  it.each([
    ['settlement_mode', { settlement_mode: 'direct' }],
    ['settlement_address', { settlement_address: 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ' }],
  ])('refuses %s, which is for Stellar', async (param, fields) => {
    expect(refusal(await create(fields))).toEqual([400, 'parameter_invalid', param]);
  });

  it('uses the old destination until a second person approves another one', async () => {
    const asked = await set({ destination: other });
    expect(asked.body.settlement).toMatchObject({ destination: iban, destination_change: { destination: other } });
    const { id } = asked.body.settlement.destination_change;
    const approve = (key: string) => lab.request(`POST /v1/approvals/${id}/approve`, { key });
    expect((await approve(lab.merchant.secretKey)).body.error.code).toBe('approval_required');
    const { body: approval } = await lab.request(`GET /v1/approvals/${id}`);
    expect(approval).toMatchObject({
      kind: 'settlement_destination',
      description: `Send settlements to Ada Lovelace ${other.iban}`,
      change: { settlement_destination: other },
    });
    const scopes = ['account:write', 'approvals:write'];
    const restricted = await lab.addKey(lab.merchant.id, 'secret', { person: newId('person'), scopes });
    expect(refusal(await approve(restricted))).toEqual([403, 'operation_not_allowed', null]);
    expect((await approve(second)).status).toBe(200);
    expect(await terms()).toMatchObject({ destination: other });
    expect(await terms()).not.toHaveProperty('destination_change');
    expect((await set({ destination: iban })).body.settlement.destination_change.destination).toEqual(iban);
    expect((await set({ destination: iban }, second)).body.settlement.destination).toEqual(iban);
  });

  it('keeps its destination while it settles in the currency', async () => {
    expect(refusal(await set({ destination: null }))).toEqual([400, 'parameter_missing', 'settlement.destination']);
    expect((await set({ asset: 'USDC' })).status).toBe(200);
    expect((await set({ destination: null })).body.settlement.destination_change.destination).toBeNull();
    expect((await set({ destination: iban })).body.settlement).not.toHaveProperty('destination_change');
  });
});
