import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Refund } from '../../../src/api/refund.ts';
import type { TestMerchant } from '../../support/app.ts';
import { type PaymentLab, refusal, startPaymentLab } from './payment-lab.ts';

let lab: PaymentLab;
let stranger: TestMerchant;
const made: Refund[] = [];
beforeAll(async () => {
  lab = await startPaymentLab();
  stranger = await lab.addMerchant();
  const [euros, dollars] = [await lab.createPaid(), await lab.createPaid({ currency: 'USD' })];
  for (const { id } of [euros, dollars, euros, euros]) {
    lab.clock.advance(60);
    made.push((await lab.act(id, 'refunds', { amount: 100 })).body);
    if (made.length === 2) await lab.sweep('outbound.send');
  }
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const list = (query = '', key = lab.merchant.secretKey) => lab.request(`GET /v1/refunds?${query}`, { key });
const ids = async (query?: string, key?: string) =>
  (await list(query, key)).body.data.map(({ id }: { id: string }) => made.findIndex(refund => refund.id === id));

describe('GET /v1/refunds', () => {
  it('lists the refunds of all payments, newest first, in pages', async () => {
    expect((await list()).body).toMatchObject({ object: 'list', url: '/v1/refunds', has_more: false });
    expect(await ids()).toEqual([3, 2, 1, 0]);
    expect(await ids(`limit=2&starting_after=${made[3]?.id}`)).toEqual([2, 1]);
    expect((await list(`limit=2&starting_after=${made[3]?.id}`)).body.has_more).toBe(true);
  });

  it('filters by status, payment, currency and time', async () => {
    expect(await ids('status=completed')).toEqual([1, 0]);
    expect(await ids('status=pending')).toEqual([3, 2]);
    expect(await ids('status=failed')).toEqual([]);
    expect(await ids(`payment=${made[1]?.payment}`)).toEqual([1]);
    expect(await ids('currency=usd')).toEqual([1]);
    expect(await ids(`created_at[gt]=${made[0]?.created_at}&created_at[lte]=${made[2]?.created_at}`)).toEqual([2, 1]);
    expect(await ids(`status=completed&payment=${made[0]?.payment}`)).toEqual([0]);
  });

  it('excludes other merchants and modes', async () => {
    const live = await lab.addKey(lab.merchant.id, 'secret', { livemode: true });
    expect(await ids('', stranger.secretKey)).toEqual([]);
    expect(await ids('', live)).toEqual([]);
    expect(refusal(await list(`starting_after=${made[0]?.id}`, stranger.secretKey))).toEqual([
      ...[400, 'invalid_cursor', 'starting_after'],
    ]);
  });

  it.each([
    ['status=paid', 'parameter_invalid', 'status'],
    ['currency=EURO', 'invalid_currency', 'currency'],
    ['reason=duplicate', 'parameter_unknown', 'reason'],
  ])('refuses ?%s', async (query, code, param) => {
    expect(refusal(await list(query))).toEqual([400, code, param]);
  });
});

describe('GET /v1/refunds/:id', () => {
  const read = (id: string, key = lab.merchant.secretKey) => lab.request(`GET /v1/refunds/${id}`, { key });

  it('is where the creation of a refund points to', async () => {
    const { id } = await lab.createPaid();
    const created = await lab.act(id, 'refunds', {});
    expect(created.headers.location).toBe(`/v1/refunds/${created.body.id}`);
    const { status, body } = await read(created.body.id);
    expect([status, body]).toEqual([200, created.body]);
  });

  it('gives the same error for another merchant’s key, another mode’s key and an unknown id', async () => {
    const { id } = made[0] as Refund;
    const live = await lab.addKey(lab.merchant.id, 'secret', { livemode: true });
    const unknownId = 're_0000000000000000000000';
    const unknown = await read(unknownId);
    expect(refusal(unknown)).toEqual([404, 'resource_missing', 'id']);
    for (const key of [stranger.secretKey, live]) {
      const answer = await read(id, key);
      expect(refusal(answer)).toEqual(refusal(unknown));
      expect(answer.body.error.message.replace(id, unknownId)).toBe(unknown.body.error.message);
    }
  });

  it('refuses a publishable key', async () => {
    const key = lab.merchant.publishableKey;
    expect(refusal(await read(made[0]?.id ?? '', key))).toEqual([403, 'secret_key_required', null]);
    expect(refusal(await list('', key))).toEqual([403, 'secret_key_required', null]);
  });
});
