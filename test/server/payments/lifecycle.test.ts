import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Payment } from '../../../src/api/payment.ts';
import { instructionsOf, type PaymentLab, refusal, startPaymentLab } from './payment-lab.ts';

let lab: PaymentLab;
beforeAll(async () => {
  lab = await startPaymentLab();
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const transfer = (payment: Payment, amount: number) =>
  lab.credit({ reference: instructionsOf(payment).reference, amount });

describe('canceling a payment', () => {
  it.each<[string, () => Promise<Payment>]>([
    ['has not been touched', () => lab.create()],
    ['waits for a bank transfer', () => lab.createForBank()],
    ['waits for the payer’s bank', async () => (await lab.payByCard((await lab.create()).id, 'tok_3ds')).body],
  ])('that %s ends it, once', async (_, make) => {
    const { id } = await make();
    expect(await lab.read(id)).toMatchObject({ can_cancel: true });
    const { status, body } = await lab.act(id, 'cancel');
    expect(status).toBe(200);
    expect(body.can_cancel).toBe(false);
    expect(body).toMatchObject({
      status: 'failed',
      phase: 'canceled',
      failure: { code: 'canceled' },
      next_action: null,
      completed_at: null,
    });
    expect((await lab.eventsOf(id)).filter(type => type === 'payment.failed')).toHaveLength(1);
    expect((await lab.act(id, 'cancel')).body).toMatchObject({ phase: 'canceled' });
    expect((await lab.eventsOf(id)).filter(type => type === 'payment.failed')).toHaveLength(1);
    expect(refusal(await lab.payByCard(id))).toEqual([409, 'illegal_state', null]);
    expect(refusal(await lab.act(id, 'quotes'))).toEqual([409, 'illegal_state', null]);
  });

  it('with a partial payment or money in flight is refused', async () => {
    const partly = await lab.createForBank();
    await transfer(partly, 5_000);
    const { id } = await lab.create();
    await lab.payByCard(id, 'tok_delayed');
    for (const refused of [partly.id, id]) {
      expect(await lab.read(refused)).toMatchObject({ can_cancel: false });
      expect(refusal(await lab.act(refused, 'cancel'))).toEqual([409, 'payment_in_flight', null]);
    }
  });

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['was paid', id => lab.payByCard(id)],
    ['was refunded', async id => [await lab.payByCard(id), await lab.refund(id)]],
    ['has expired', async () => lab.clock.advance(86_400)],
  ])('that %s is refused', async (_, end) => {
    const { id } = await lab.create();
    await end(id);
    expect(refusal(await lab.act(id, 'cancel'))).toEqual([409, 'illegal_state', null]);
  });
});

describe('the end of a session', () => {
  const over = () => lab.clock.advance(86_400);

  it('ends the payment when it is read, exact to the millisecond', async () => {
    const { id, session_expires_at: end } = await lab.create();
    lab.clock.advance(86_399.999);
    expect((await lab.read(id)).phase).toBe('awaiting_payer');
    lab.clock.advance(0.001);
    expect(lab.clock.now().toISOString()).toBe(end);
    expect(await lab.read(id)).toMatchObject({
      status: 'failed',
      phase: 'expired',
      failure: { code: 'session_expired' },
      next_action: null,
    });
    expect(await lab.eventsOf(id)).toEqual(['payment.created', 'payment.failed']);
    await lab.sweep('payments.expire');
    expect(await lab.eventsOf(id)).toEqual(['payment.created', 'payment.failed']);
  });

  it('is extended by the rail’s bank days after transfer instructions, without weekends, and never shortened', async () => {
    // The test begins on a Monday. A session of 24 hours ends on Tuesday, and two bank days later is Thursday.
    const payment = await lab.createForBank({ currency: 'USD' }, 'ach');
    const plainEnd = new Date(new Date(payment.created_at).getTime() + 86_400_000);
    const end = new Date(payment.session_expires_at);
    const bankDays = Array.from({ length: 10 }, (_, day) => new Date(plainEnd.getTime() + (day + 1) * 86_400_000))
      .filter(day => day.getUTCDay() % 6 !== 0)
      .slice(0, 2);
    expect(end).toEqual(bankDays[1]);
    expect((await lab.payByBank(payment.id, 'sepa')).body.session_expires_at).toBe(payment.session_expires_at);
    lab.clock.advance((end.getTime() - lab.clock.now().getTime()) / 1000 - 1);
    const { body: again } = await lab.act(payment.id, 'quotes');
    expect([again.phase, again.expires_at]).toEqual(['awaiting_funds', payment.session_expires_at]);
    const confirmed = (await lab.payByBank(payment.id, 'ach')).body;
    await lab.credit({
      reference: instructionsOf(confirmed).reference,
      amount: instructionsOf(confirmed).amount,
      currency: 'USD',
    });
    expect(await lab.read(payment.id)).toMatchObject({ status: 'completed', exception: null });
  });

  it('ends payments without any request, many at once', async () => {
    const made = await Promise.all(Array.from({ length: 130 }, () => lab.create()));
    over();
    await Promise.all([lab.sweep('payments.expire'), lab.sweep('payments.expire'), lab.read(made[0]!.id)]);
    const { data } = (await lab.request('GET /v1/payments?limit=100&status=pending')).body;
    expect(data.filter(({ phase }: Payment) => phase !== 'processing')).toEqual([]);
    const { rows } = await lab.database.pool.query(
      `select count(*)::int from audit_events where type = 'payment.failed' and resource_id = any($1)`,
      [made.map(({ id }) => id)],
    );
    expect(rows).toEqual([{ count: 130 }]);
  });

  it.each([
    ['by card', { method: 'card', token: 'tok_visa' }],
    ['by bank', { method: 'bank_transfer', rail: 'sepa' }],
  ])('refuses a payment %s before any sweep has run', async (_, body) => {
    const { id } = await lab.create();
    over();
    expect(refusal(await lab.act(id, 'confirm', body))).toEqual([409, 'payment_expired', null]);
  });

  it('makes a transfer late, although no request was made since', async () => {
    const payment = await lab.createForBank();
    over();
    await transfer(payment, 12_840);
    expect(await lab.read(payment.id)).toMatchObject({
      phase: 'expired',
      exception: 'paid_late',
      amount_received: 12_840,
    });
    expect(await lab.eventsOf(payment.id)).toEqual([
      ...['payment.created', 'payment.failed', 'payment.paid_late', 'payment.quote_refreshed'],
    ]);
  });

  it('leaves a partial payment to the merchant', async () => {
    const payment = await lab.createForBank();
    await transfer(payment, 5_000);
    over();
    expect(await lab.read(payment.id)).toMatchObject({
      phase: 'expired',
      exception: 'underpaid',
      requires_decision: true,
      amount_received: 5_000,
    });
    const resolved = await lab.act(payment.id, 'resolve', { action: 'refund' });
    expect(resolved.status).toBe(200);
    await lab.sweep('outbound.send');
    expect(await lab.read(payment.id)).toMatchObject({
      status: 'failed',
      phase: 'expired',
      amount_refunded: 5_000,
      exception: null,
      requires_decision: false,
    });
  });

  it('follows the merchant’s own test clock only', async () => {
    const stranger = await lab.addMerchant();
    const [mine, theirs] = [
      await lab.create(),
      await lab.request('POST /v1/payments', { key: stranger.secretKey, body }),
    ];
    const moved = { key: stranger.secretKey, body: { advance: 'P1D' } };
    expect((await lab.request('POST /v1/test_helpers/clock', moved)).status).toBe(200);
    const { rows } = await lab.database.pool.query('select phase from payments where id = $1', [theirs.body.id]);
    expect(rows).toEqual([{ phase: 'expired' }]);
    expect((await lab.read(mine.id)).phase).toBe('awaiting_payer');
  });
  const body = {
    amount: 100,
    currency: 'EUR',
    settlement_asset: 'USDC',
    settlement_network: 'stellar',
    payment_methods: ['card'],
    customer: { email: 'a@b.example' },
  };

  it('follows the account’s session duration', async () => {
    await lab.request('PATCH /v1/account', { body: { session_seconds: 120, quote_seconds: 60 } });
    const { id, expires_at: quoteEnd, session_expires_at: end } = await lab.create();
    const now = lab.clock.now().getTime();
    expect([new Date(quoteEnd).getTime() - now, new Date(end).getTime() - now]).toEqual([60_000, 120_000]);
    lab.clock.advance(60);
    expect(refusal(await lab.payByCard(id))).toEqual([409, 'quote_expired', null]);
    lab.clock.advance(60);
    expect(refusal(await lab.payByCard(id))).toEqual([409, 'payment_expired', null]);
    await lab.request('PATCH /v1/account', { body: { session_seconds: 86_400, quote_seconds: 900 } });
  });
});

describe('two concurrent payment methods', () => {
  it.each([1, 2, 3, 4, 5])('complete the payment once, and the surplus waits for a decision (%i)', async round => {
    const { pending, suspense } = await sums();
    const payment = await lab.createForBank({ amount: 10_000 + round });
    const [card, bank] = await Promise.all([
      lab.payByCard(payment.id),
      lab.credit({ reference: instructionsOf(payment).reference, amount: payment.amount }),
    ]);
    expect(bank.status).toBe(201);
    const after = await lab.read(payment.id);
    const twice = card.status === 200;
    if (!twice) expect(refusal(card)).toEqual([409, 'payment_already_settled', null]);
    expect(after).toMatchObject({
      status: 'completed',
      phase: 'paid',
      exception: twice ? 'overpaid' : null,
      amount_received: payment.amount * (twice ? 2 : 1),
    });
    expect((await lab.eventsOf(payment.id)).filter(type => type === 'payment.completed')).toHaveLength(1);
    expect(await sums()).toEqual({
      pending: pending + payment.amount,
      suspense: suspense + (twice ? payment.amount : 0),
    });
  });

  it('never lose money: 3-D Secure approved after the transfer is a surplus', async () => {
    const payment = await lab.createForBank();
    const { reference } = instructionsOf(payment);
    const asked = (await lab.payByCard(payment.id, 'tok_3ds')).body;
    await lab.credit({ reference, amount: 12_840 });
    expect(await lab.read(payment.id)).toMatchObject({ status: 'completed', next_action: null });
    const back = await lab.answerChallenge(asked, 'approve');
    await lab.request(`GET ${back.pathname}` as 'GET /', { key: null });
    expect(await lab.read(payment.id)).toMatchObject({ exception: 'overpaid', amount_received: 25_680 });
    await lab.act(payment.id, 'resolve', { action: 'refund' });
    await lab.sweep('outbound.send');
    expect(await lab.read(payment.id)).toMatchObject({ status: 'completed', phase: 'paid', amount_refunded: 12_840 });
  });

  it('end with the payment: a 3-D Secure page is canceled when the transfer has completed it', async () => {
    const payment = await lab.createForBank();
    const { reference } = instructionsOf(payment);
    const asked = (await lab.payByCard(payment.id, 'tok_3ds')).body;
    await lab.credit({ reference, amount: 12_840 });
    lab.clock.advance(16);
    await lab.sweep('payments.attempts');
    await lab.answerChallenge(asked, 'approve').catch(() => undefined);
    lab.clock.advance(60);
    await lab.sweep('payments.attempts');
    expect(await lab.read(payment.id)).toMatchObject({ amount_received: 12_840, exception: null });
  });

  const sums = async () => {
    const { 'pending EUR': pending = 0, 'suspense EUR': suspense = 0 } = await lab.balance();
    return { pending, suspense };
  };
});
