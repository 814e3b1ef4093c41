import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
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

describe('an approval that a later one replaces meanwhile', () => {
  const bank = (iban: string) => ({ type: 'bank_account', iban });
  const [good, evil] = [bank('FR7630006000011234567890189'), bank('GB82WEST12345698765432')];

  interface Replaceable {
    /** The earlier approval. */
    readonly id: string;
    /** Asks for another change. */
    replace(): Promise<unknown>;
    read(): Promise<unknown>;
  }
  const account = async (key: string, body: object) => (await lab.request('PATCH /v1/account', { key, body })).body;
  const limitOf = async (key: string, amount: number) =>
    (await account(key, { payouts: { approval_above: { amount, currency: 'EUR' } } })).payouts;
  const payTo = async (key: string, destination: object) =>
    (await account(key, { settlement: { destination } })).settlement;

  /** Changes that wait, and the row that every decision about them locks. */
  const changes = {
    limit: {
      lock: 'select from approval_locks where merchant_id = $1 for update',
      start: async (key: string): Promise<Replaceable> => ({
        id: (await limitOf(key, 2_000)).approval_change.id,
        replace: () => limitOf(key, 3_000),
        read: async () => (await account(key, {})).payouts.approval_above,
      }),
    },
    'settlement destination': {
      lock: 'select from approval_locks where merchant_id = $1 for update',
      start: async (key: string): Promise<Replaceable> => {
        await payTo(key, bank('DE89370400440532013000'));
        return {
          id: (await payTo(key, good)).destination_change.id,
          replace: () => payTo(key, evil),
          read: async () => (await account(key, {})).settlement.destination,
        };
      },
    },
    'recurring batch': {
      lock: 'select from payout_batches where merchant_id = $1 for update',
      start: async (key: string): Promise<Replaceable> => {
        const starts_at = new Date(lab.clock.now().getTime() + 86_400_000).toISOString();
        const schedule = { type: 'recurring', rrule: 'FREQ=DAILY', starts_at, timezone: 'Etc/UTC' };
        const batch = await lab.bulk([phone], { schedule, approval: {} }, { key });
        const path = `/v1/payout-batches/${batch.body.id}` as const;
        return {
          id: await waitingOf(key),
          replace: () => lab.request(`PATCH ${path}`, { key, body: { payouts: [phone, phone] } }),
          read: async () => (await lab.request(`GET ${path}`, { key })).body.status,
        };
      },
    },
  };
  const waitingOf = async (key: string): Promise<string> =>
    (await lab.request('GET /v1/approvals?status=awaiting_approval', { key })).body.data[0].id;
  const untilBlocked = (count: number) =>
    vi.waitFor(async () => {
      const blocked = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      expect((await lab.database.pool.query(blocked)).rowCount).toBe(count);
    }, 10_000);

  it.each([
    ['limit', 'approve'],
    ['limit', 'cancel'],
    ['settlement destination', 'approve'],
    ['recurring batch', 'approve'],
  ] as const)('%s: no call can %s the later one', async (name, action) => {
    const { id: merchantId } = await lab.addMerchant({ payoutApprovalAmount: 1_000n, payoutApprovalCurrency: 'EUR' });
    const keyOfPerson = () => lab.addKey(merchantId, 'secret', { person: newId('person') });
    const [key, other] = await Promise.all([keyOfPerson(), keyOfPerson()]);
    const { lock, start } = changes[name];
    const { id, replace, read } = await start(key);
    const before = await read();
    const holder = await lab.database.pool.connect();
    await holder.query('begin');
    await holder.query(lock, [merchantId]);
    const replaced = replace();
    await untilBlocked(1);
    const decided = lab.request(`POST /v1/approvals/${id}/${action}`, { key: other });
    await untilBlocked(2);
    await holder.query('commit');
    holder.release();
    await replaced;
    expect(refusal(await decided)).toEqual([409, 'illegal_state', null]);
    expect(await read()).toEqual(before);
    expect(await waitingOf(key)).not.toBe(id);
  });
});
