import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/core/id.ts';
import { refusal } from '../payments/payment-lab.ts';
import { allOf, type BulkLab, phone, startBulkLab } from './bulk-lab.ts';

let lab: BulkLab;
let second: string;
beforeAll(async () => {
  lab = await startBulkLab();
  second = await lab.addKey(lab.merchant.id, 'secret', { person: newId('person') });
  await lab.fund(1_000_000);
});
afterAll(async () => {
  // The operator reports a second later that it has paid.
  await lab.sweep('payouts.batches', 'payouts.send', 'outbound.send');
  await lab.expectSoundBooks();
  await lab.close();
});

const limitTo = (above: object | null, key = lab.merchant.secretKey) =>
  lab.request('PATCH /v1/account', { key, body: { payouts: { approval_above: above } } });
const act = (id: string, action: string, key = lab.merchant.secretKey) =>
  lab.request(`POST /v1/payout-batches/${id}/${action}` as 'POST /', { key });
const actOnPayout = (id: string, action: string) => lab.request(`POST /v1/payouts/${id}/${action}` as 'POST /');
const payoutOf = async (id: string) => {
  const [payout] = await allOf<{ id: string; status: string }>(lab, `/v1/payout-batches/${id}/payouts`);
  if (payout === undefined) throw new Error('the batch has no payout');
  return payout;
};

describe('the limit of the account', () => {
  it('is shown, checked, and changed by a key with all scopes only', async () => {
    expect((await lab.request('GET /v1/account')).body.payouts).toEqual({ approval_above: null });
    const set = await limitTo({ amount: 10_000, currency: 'eur' });
    expect(set.body.payouts).toEqual({ approval_above: { amount: 10_000, currency: 'EUR' } });
    expect((await lab.request('PATCH /v1/account', { body: { name: 'Shop' } })).body.payouts).toEqual(set.body.payouts);
    const param = 'payouts.approval_above.currency';
    expect(refusal(await limitTo({ amount: 1, currency: 'ZZZ' }))).toEqual([400, 'invalid_currency', param]);
    const restricted = await lab.addKey(lab.merchant.id, 'secret', { scopes: ['account:write', 'payouts:write'] });
    const refused = [403, 'operation_not_allowed', 'payouts.approval_above'];
    expect(refusal(await limitTo(null, restricted))).toEqual(refused);
    const name = await lab.request('PATCH /v1/account', { key: restricted, body: { name: 'Shop' } });
    expect(name.status, name.text).toBe(200);
  });

  it.each<[string, object | null, number, object | undefined, string]>([
    ['covers a batch of its amount', { amount: 10_000, currency: 'EUR' }, 10_000, undefined, 'processing'],
    ['stops one that is worth more', { amount: 10_000, currency: 'EUR' }, 10_001, undefined, 'awaiting_approval'],
    ['counts other currencies', { amount: 100, currency: 'JPY' }, 10_000, undefined, 'awaiting_approval'],
    ['is not lifted by the request', { amount: 100, currency: 'EUR' }, 200, { required: false }, 'awaiting_approval'],
    [
      'is not raised by the request',
      { amount: 100, currency: 'EUR' },
      200,
      { above: { amount: 900, currency: 'EUR' } },
      'awaiting_approval',
    ],
    ['is lowered by the request', { amount: 900, currency: 'EUR' }, 200, { required: true }, 'awaiting_approval'],
    [
      'is lowered by an amount of the request',
      { amount: 900, currency: 'EUR' },
      200,
      { above: { amount: 100, currency: 'eur' } },
      'awaiting_approval',
    ],
    ['is none when it was removed', null, 200_000, undefined, 'processing'],
  ])('%s', async (_, above, amount, approval, status) => {
    await limitTo(above);
    expect((await limitTo(above, second)).body.payouts).toEqual({ approval_above: above });
    const batch = await lab.accept([{ ...phone, amount }], approval && { approval });
    expect(batch.status).toBe(status);
    expect(batch.approval === null).toBe(status === 'processing');
    await act(batch.id, 'cancel');
  });

  it('is approved by a key of another person than the one that made the batch', async () => {
    for (const key of [lab.merchant.secretKey, second]) await limitTo({ amount: 100, currency: 'EUR' }, key);
    const batch = await lab.accept([{ ...phone, amount: 500 }]);
    expect(refusal(await act(batch.id, 'approve'))).toEqual([403, 'approval_required', null]);
    const both = await Promise.all([act(batch.id, 'approve', second), act(batch.id, 'approve', second)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const { approval } = (await lab.request(`GET /v1/payout-batches/${batch.id}`)).body;
    expect(approval).toMatchObject({ approved_at: expect.any(String), approved_by: expect.any(String) });
    expect(approval.approved_by).not.toBe(approval.created_by);
    expect(await lab.eventsOf(batch.id)).toEqual(['payout_batch.created', 'payout_batch.approved']);
  });
});

describe('a payout whose batch waits for approval', () => {
  it('does not leave when it is held and resumed', async () => {
    const batch = await lab.accept([phone], { approval: {} });
    const { id } = await payoutOf(batch.id);
    expect((await actOnPayout(id, 'hold')).body).toMatchObject({ status: 'on_hold' });
    expect((await actOnPayout(id, 'resume')).body).toMatchObject({ status: 'scheduled' });
    lab.clock.advance(3_600);
    await lab.sweep('payouts.batches', 'payouts.send');
    expect(await payoutOf(batch.id)).toMatchObject({ status: 'scheduled' });
    expect((await act(batch.id, 'approve', second)).body).toMatchObject({ status: 'processing' });
    expect(await payoutOf(batch.id)).toMatchObject({ status: 'queued' });
  });

  it('leaves once when it is resumed while the batch is approved', async () => {
    for (let turn = 0; turn < 5; turn++) {
      const batch = await lab.accept([phone, phone], { approval: {} });
      const { id } = await payoutOf(batch.id);
      await actOnPayout(id, 'hold');
      const answers = await Promise.all([actOnPayout(id, 'resume'), act(batch.id, 'approve', second)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      const payouts = await allOf<{ id: string; status: string }>(lab, `/v1/payout-batches/${batch.id}/payouts`);
      expect(payouts.map(({ status }) => status)).toEqual(['queued', 'queued']);
    }
  });

  it('is canceled with its batch, and its money is free', async () => {
    const before = await lab.balance();
    const batch = await lab.accept([phone, phone], { approval: {} });
    const answers = await Promise.all([act(batch.id, 'cancel'), act(batch.id, 'approve', second)]);
    expect(answers.map(({ status }) => status)).toContain(200);
    await act(batch.id, 'cancel');
    const { status } = (await lab.request(`GET /v1/payout-batches/${batch.id}`)).body;
    expect(status).toBe('canceled');
    expect(await lab.balance()).toEqual(before);
  });
});
