import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Payment } from '../../../src/api/payment.ts';
import type { Refund } from '../../../src/api/refund.ts';
import { instructionsOf, type PaymentLab, refusal, startPaymentLab } from './payment-lab.ts';

let lab: PaymentLab;
beforeAll(async () => {
  lab = await startPaymentLab();
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const transfer = (payment: Payment, amount: number, more: object = {}) =>
  lab.credit({ reference: instructionsOf(payment).reference, amount, ...more });
const refundsOf = async (id: string): Promise<Refund[]> =>
  (await lab.request(`GET /v1/payments/${id}/refunds`)).body.data;
/** A payment of 128.40 EUR, paid in two transfers. */
async function paidInTwo(first = 8_000, sender?: string): Promise<Payment> {
  const payment = await lab.createForBank();
  await transfer(payment, first, sender === undefined ? {} : { sender_name: sender });
  lab.clock.advance(1);
  await transfer(payment, 12_840 - first);
  return lab.read(payment.id);
}

describe('a refund', () => {
  it('of the full amount makes the payment refunded', async () => {
    const { id } = await lab.createPaid({ metadata: { order: 'A-1' } });
    const before = await lab.balance();
    const body = { reason: 'requested_by_customer', metadata: { ticket: 7 } };
    const started = await lab.act(id, 'refunds', body);
    expect([started.status, started.headers.location]).toEqual([201, `/v1/refunds/${started.body.id}`]);
    expect(started.body).toEqual({
      id: expect.stringMatching(/^re_[0-9A-Za-z]{22}$/),
      object: 'refund',
      payment: id,
      amount: 12_840,
      currency: 'EUR',
      status: 'pending',
      reason: 'requested_by_customer',
      failure: null,
      metadata: { ticket: 7 },
      requires_destination: false,
      claim_url: null,
      tx_hash: null,
      livemode: false,
      created_at: lab.clock.now().toISOString(),
    });
    expect(await lab.read(id)).toMatchObject({ status: 'completed', phase: 'paid', amount_refunded: 0 });
    await lab.sweep('outbound.send');
    expect(await refundsOf(id)).toEqual([{ ...started.body, status: 'completed' }]);
    expect(await lab.read(id)).toMatchObject({ status: 'refunded', phase: 'refunded', amount_refunded: 12_840 });
    expect((await lab.balance())['pending EUR'] ?? 0).toBe((before['pending EUR'] ?? 0) - 12_840);
    expect(await lab.eventsOf(id)).toEqual(['payment.created', 'payment.completed', 'payment.refunded']);
    expect(await lab.eventsOf(started.body.id)).toEqual(['refund.created', 'refund.completed']);
  });

  it('in parts leaves it completed until the last one', async () => {
    const { id } = await lab.createPaid();
    for (const [amount, status, phase, refunded] of [
      [1, 'completed', 'partially_refunded', 1],
      [2_839, 'completed', 'partially_refunded', 2_840],
      [10_000, 'refunded', 'refunded', 12_840],
    ] as const) {
      await lab.refund(id, { amount });
      expect(await lab.read(id)).toMatchObject({ status, phase, amount_refunded: refunded, amount_received: 12_840 });
    }
    expect(refusal(await lab.act(id, 'refunds', {}))).toEqual([409, 'illegal_state', null]);
    expect(await lab.eventsOf(id)).toEqual(['payment.created', 'payment.completed', 'payment.refunded']);
    expect((await refundsOf(id)).map(({ amount }) => amount).sort()).toEqual([1, 10_000, 2_839]);
  });

  it.each([
    [{ amount: 0 }, 'invalid_amount', 'amount'],
    [{ amount: -5 }, 'invalid_amount', 'amount'],
    [{ amount: '5' }, 'invalid_amount', 'amount'],
    [{ amount: 12_841 }, 'refund_exceeds_payment', 'amount'],
    [{ amount: 2 ** 53 - 1 }, 'refund_exceeds_payment', 'amount'],
    [{ reason: 'bored' }, 'parameter_invalid', 'reason'],
    [{ everything: true }, 'parameter_unknown', 'everything'],
    [{ destination: { iban: 1 } }, 'parameter_invalid', 'destination.iban'],
    [{ destination: { ['k'.repeat(41)]: 'x' } }, 'parameter_invalid', 'destination'],
  ])('of %j is refused and changes nothing', async (body, code, param) => {
    const { id } = await lab.createPaid();
    expect(refusal(await lab.act(id, 'refunds', body))).toEqual([400, code, param]);
    expect(await lab.read(id)).toMatchObject({ phase: 'paid', amount_refunded: 0 });
    expect(await refundsOf(id)).toEqual([]);
  });

  it('is offered by the payment up to the amount that would be refused', async () => {
    const open = await lab.create();
    const { id } = await lab.createPaid();
    const offers = async (of: string) => (await lab.read(of)).amount_refundable;
    expect([await offers(open.id), await offers(id)]).toEqual([0, 12_840]);
    await lab.act(id, 'refunds', { amount: 2_000 });
    expect(await offers(id)).toBe(10_840);
    expect(refusal(await lab.act(id, 'refunds', { amount: 10_841 }))).toEqual([
      400,
      'refund_exceeds_payment',
      'amount',
    ]);
    expect((await lab.act(id, 'refunds')).body.amount).toBe(10_840);
    expect(await offers(id)).toBe(0);
    expect((await lab.act(id, 'refunds')).status).toBe(409);
  });

  it('of a payment that was not paid is refused', async () => {
    const [created, partly] = [await lab.create(), await lab.createForBank()];
    await transfer(partly, 100);
    for (const { id } of [created, partly]) {
      expect(refusal(await lab.act(id, 'refunds', {}))).toEqual([409, 'illegal_state', null]);
    }
  });

  it('never exceeds the received amount, also when many are requested concurrently', async () => {
    const { id } = await lab.createPaid({ amount: 1_000 });
    const answers = await Promise.all(Array.from({ length: 10 }, () => lab.act(id, 'refunds', { amount: 300 })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(answers.filter(({ status }) => status !== 201).map(refusal)).toEqual(
      Array(7).fill([400, 'refund_exceeds_payment', 'amount']),
    );
    await Promise.all([lab.sweep('outbound.send'), lab.sweep('outbound.send')]);
    expect(await lab.read(id)).toMatchObject({ phase: 'partially_refunded', amount_refunded: 900 });
  });

  it('of the full amount, requested twice concurrently, is made once', async () => {
    const { id } = await lab.createPaid();
    const answers = await Promise.all([lab.act(id, 'refunds', {}), lab.act(id, 'refunds', {})]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    await lab.sweep('outbound.send');
    expect(await lab.read(id)).toMatchObject({ status: 'refunded', amount_refunded: 12_840 });
  });

  it('repeated with its idempotency key is the same refund', async () => {
    const { id } = await lab.createPaid();
    const send = () =>
      lab.request(`POST /v1/payments/${id}/refunds`, { headers: { 'idempotency-key': 'r-1' }, body: { amount: 100 } });
    const answers = await Promise.all(Array.from({ length: 10 }, send));
    expect(new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text)).size).toBe(1);
    expect(await refundsOf(id)).toHaveLength(1);
  });

  it('of two transfers returns to both, the last transfer first', async () => {
    const { id } = await paidInTwo();
    expect((await lab.refund(id, { amount: 6_000 })).status).toBe('completed');
    const { rows } = await lab.database.pool.query(
      `select s.amount::int from sandbox.refunds s join outbound_transfers o on o.id = s.refund_id
       join refund_parts p on p.id = o.resource_id join refunds r on r.id = p.refund_id where r.payment_id = $1 order by s.amount`,
      [id],
    );
    expect(rows).toEqual([{ amount: 1_160 }, { amount: 4_840 }]);
    await lab.refund(id);
    expect(await lab.read(id)).toMatchObject({ status: 'refunded', amount_refunded: 12_840 });
  });

  it('of dollars that paid euros returns every received cent', async () => {
    const payment = await lab.createForBank({}, 'ach');
    await transfer(payment, 13_996, { currency: 'USD' });
    for (const amount of [1, 3_333, undefined]) await lab.refund(payment.id, amount === undefined ? {} : { amount });
    expect((await lab.read(payment.id)).status).toBe('refunded');
    const { rows } = await lab.database.pool.query(
      `select sum(rail_amount)::int as sum from refund_parts p join refunds r on r.id = p.refund_id where r.payment_id = $1`,
      [payment.id],
    );
    expect(rows).toEqual([{ sum: 13_996 }]);
  });

  it('below the rail’s smallest unit is refused with an explanation', async () => {
    const payment = await lab.createForBank({ amount: 100_000, currency: 'UGX' }, 'ach');
    await lab.act(payment.id, 'simulate_bank_transfer', {});
    expect(refusal(await lab.act(payment.id, 'refunds', { amount: 5 }))).toEqual([400, 'invalid_amount', 'amount']);
    expect((await lab.refund(payment.id)).status).toBe('completed');
  });
});

describe('a refund that the rail', () => {
  it('executes slowly is pending until it succeeds', async () => {
    const { id } = await lab.createPaid({}, 'tok_refund_pending');
    expect((await lab.refund(id)).status).toBe('pending');
    expect(await lab.read(id)).toMatchObject({ phase: 'paid', amount_refunded: 0 });
    expect(refusal(await lab.act(id, 'refunds', { amount: 1 }))).toEqual([409, 'illegal_state', null]);
    lab.clock.advance(31);
    await lab.sweep('outbound.send');
    expect(await lab.read(id)).toMatchObject({ status: 'refunded', amount_refunded: 12_840 });
  });

  it('refuses restores the merchant’s balance, with the reason', async () => {
    const before = (await lab.balance())['pending EUR'] ?? 0;
    const { id } = await lab.createPaid({}, 'tok_refund_failed');
    const { id: refundId } = await lab.refund(id, { amount: 840 });
    lab.clock.advance(31);
    await lab.sweep('outbound.send');
    const [refund] = await refundsOf(id);
    expect(refund).toMatchObject({ status: 'failed', failure: { code: 'expired_or_canceled_card' } });
    expect(await lab.read(id)).toMatchObject({ status: 'completed', phase: 'paid', amount_refunded: 0 });
    expect((await lab.balance())['pending EUR']).toBe(before + 12_840);
    expect(await lab.eventsOf(refundId)).toEqual(['refund.created', 'refund.failed']);
  });

  it('refuses in part counts the sent part, and the rest can be tried again', async () => {
    const { id } = await paidInTwo(8_000, 'Closed Account');
    const refund = await lab.refund(id);
    expect(refund).toMatchObject({ status: 'failed', failure: { code: 'account_closed' } });
    expect(refund.failure?.message).toContain('4840 of 12840 was sent');
    expect(await lab.read(id)).toMatchObject({ phase: 'partially_refunded', amount_refunded: 4_840 });
    expect(refusal(await lab.act(id, 'refunds', { amount: 8_001 }))[1]).toBe('refund_exceeds_payment');
    expect((await lab.refund(id, { amount: 8_000 })).status).toBe('failed');
  });

  it('refuses for a surplus restores the surplus to be decided', async () => {
    const payment = await lab.createForBank({ amount: 10_000 });
    await transfer(payment, 15_000, { sender_name: 'Closed Account' });
    const { 'pending EUR': pending, 'suspense EUR': suspense } = await lab.balance();
    expect((await lab.refund(payment.id)).status).toBe('failed');
    expect(await lab.balance()).toMatchObject({ 'pending EUR': pending, 'suspense EUR': suspense });
    expect((await lab.act(payment.id, 'resolve', { action: 'accept' })).status).toBe(200);
    expect((await lab.balance())['pending EUR']).toBe((pending ?? 0) + 5_000);
  });
});

describe('the merchant decides', () => {
  const resolve = async (id: string, action: 'accept' | 'refund') => {
    const answer = await lab.act(id, 'resolve', { action });
    await lab.sweep('outbound.send');
    return answer;
  };
  const sums = async () => {
    const { 'pending EUR': pending = 0, 'suspense EUR': suspense = 0 } = await lab.balance();
    return { pending, suspense };
  };
  const underpaid = async () => {
    const payment = await lab.createForBank();
    await transfer(payment, 8_000);
    return payment.id;
  };
  const overpaid = async () => {
    const payment = await lab.createForBank();
    await transfer(payment, 20_000);
    return payment.id;
  };
  const late = async () => {
    const payment = await lab.createForBank();
    await lab.act(payment.id, 'cancel');
    await transfer(payment, 12_840);
    return payment.id;
  };

  it.each([
    [
      'take too little as enough',
      underpaid,
      'accept',
      { status: 'completed', phase: 'paid', amount_refunded: 0 },
      8_000,
    ],
    ['send too little back', underpaid, 'refund', { status: 'failed', phase: 'canceled', amount_refunded: 8_000 }, 0],
    ['keep a surplus', overpaid, 'accept', { status: 'completed', phase: 'paid', amount_refunded: 0 }, 20_000],
    ['send a surplus back', overpaid, 'refund', { status: 'completed', phase: 'paid', amount_refunded: 7_160 }, 12_840],
    ['take late money', late, 'accept', { status: 'completed', phase: 'paid', failure: null }, 12_840],
    ['send late money back', late, 'refund', { status: 'failed', phase: 'canceled', amount_refunded: 12_840 }, 0],
  ] as const)('to %s', async (_, make, action, expected, kept) => {
    const before = await sums();
    const id = await make();
    const decided = await resolve(id, action);
    expect([decided.status, decided.body.exception]).toEqual([200, null]);
    expect(await lab.read(id)).toMatchObject({ ...expected, exception: null });
    expect(await sums()).toEqual({ pending: before.pending + kept, suspense: before.suspense });
    expect(refusal(await resolve(id, action))).toEqual([409, 'illegal_state', null]);
    const completed = (await lab.eventsOf(id)).filter(type => type === 'payment.completed');
    expect(completed).toHaveLength(expected.status === 'completed' ? 1 : 0);
  });

  it('no more, after the money was refunded', async () => {
    for (const make of [late, overpaid]) {
      const id = await make();
      await lab.refund(id);
      expect((await lab.read(id)).exception).toBeNull();
      expect(refusal(await resolve(id, 'accept'))).toEqual([409, 'illegal_state', null]);
    }
  });

  it('to refund the full amount after keeping or returning the surplus', async () => {
    for (const action of ['accept', 'refund'] as const) {
      const id = await overpaid();
      await resolve(id, action);
      await lab.refund(id);
      expect(await lab.read(id)).toMatchObject({
        status: 'refunded',
        amount_received: 20_000,
        amount_refunded: 20_000,
      });
    }
  });

  it('only about payments with an exception', async () => {
    const ids = [(await lab.create()).id, (await lab.createPaid()).id, (await lab.createForBank()).id];
    for (const id of ids) expect(refusal(await resolve(id, 'refund'))).toEqual([409, 'illegal_state', null]);
    expect(refusal(await lab.act(ids[0]!, 'resolve', { action: 'forget' }))).toEqual([
      400,
      'parameter_invalid',
      'action',
    ]);
    expect(refusal(await lab.act(ids[0]!, 'resolve', {}))).toEqual([400, 'parameter_missing', 'action']);
  });
});
