import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Payment } from '../../../src/api/payment.ts';
import { instructionsOf, order, type PaymentLab, refusal, startPaymentLab } from './payment-lab.ts';

let lab: PaymentLab;
beforeAll(async () => {
  lab = await startPaymentLab();
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const week = 7 * 86_400;
const manual = { capture_method: 'manual' };

async function authorize(token = 'tok_visa', changes: object = {}): Promise<Payment> {
  const { status, body, text } = await lab.payByCard((await lab.create({ ...manual, ...changes })).id, token);
  expect(status, text).toBe(200);
  return body;
}

const capture = (id: string, body: object = {}) => lab.act(id, 'capture', body);
const wait = async (seconds: number) => {
  lab.clock.advance(seconds);
  await lab.sweep('payments.attempts');
};

/** The state of the payment's charge at the acquirer, and the captured amount. */
async function chargeOf(id: string) {
  const { rows } = await lab.database.pool.query(
    `select c.state, c.captured_amount::int as captured from sandbox.charges c
     join payment_attempts a on a.id = c.attempt_id where a.payment_id = $1 order by c.created_at desc limit 1`,
    [id],
  );
  return rows[0];
}

/** No charge of the acquirer can change meanwhile. */
async function whileAcquirerIsDown(work: () => Promise<void>): Promise<void> {
  const { pool } = lab.database;
  await pool.query(`create function sandbox.fail() returns trigger language plpgsql as $$
    begin raise exception 'the line is down'; end $$;
    create trigger down before update on sandbox.charges execute function sandbox.fail()`);
  try {
    await work();
  } finally {
    await pool.query('drop trigger down on sandbox.charges; drop function sandbox.fail');
  }
}

describe('a payment with capture_method manual', () => {
  it('authorizes the card, takes no money, and tells until when it can be captured', async () => {
    const before = await lab.balance();
    const payment = await authorize();
    expect(payment).toMatchObject({
      status: 'pending',
      phase: 'authorized',
      method: 'card',
      capture_method: 'manual',
      next_action: null,
      amount_received: 0,
      amount_capturable: 12_840,
      received: [],
      completed_at: null,
      card: { brand: 'visa', last4: '4242', three_d_secure: 'not_requested' },
      settlement: { status: 'none', amount: null },
      capture_before: new Date(lab.clock.now().getTime() + week * 1000).toISOString(),
    });
    expect(payment.session_expires_at).toBe(payment.capture_before);
    expect(await lab.read(payment.id)).toEqual(payment);
    expect(await lab.balance()).toEqual(before);
    expect(await lab.eventsOf(payment.id)).toEqual(['payment.created', 'payment.authorized']);
    expect(await lab.options(payment.id)).toEqual({ object: 'payment_options' });
    const { data } = (await lab.request('GET /v1/payments?phase=authorized&limit=1')).body;
    expect(data).toEqual([payment]);
  });

  it('is automatic unless asked for', async () => {
    expect(await lab.create()).toMatchObject({
      capture_method: 'automatic',
      amount_capturable: 0,
      capture_before: null,
    });
    expect(refusal(await capture((await lab.createPaid()).id))).toEqual([409, 'illegal_state', null]);
  });

  it.each([
    ['without card', { payment_methods: ['bank_transfer'], capture_method: 'manual' }, 'parameter_invalid'],
    ['with another word', { capture_method: 'later' }, 'parameter_invalid'],
  ])('is refused %s', async (_, changes, code) => {
    const answer = await lab.request('POST /v1/payments', { body: { ...order, ...changes } });
    expect(refusal(answer)).toEqual([400, code, 'capture_method']);
  });

  it('is refused to payment links and invoices', async () => {
    const link = await lab.request('POST /v1/payment-links', {
      body: { amount: 100, currency: 'EUR', settlement_asset: 'USDC', ...manual },
    });
    expect(refusal(link)).toEqual([400, 'parameter_unknown', 'capture_method']);
    const invoice = await lab.request('POST /v1/invoices', { body: { currency: 'EUR', lines: [], ...manual } });
    expect(invoice.body.error.errors).toContainEqual(
      expect.objectContaining({ code: 'parameter_unknown', param: 'capture_method' }),
    );
  });

  it('takes bank transfers at once', async () => {
    const payment = await lab.createForBank(manual);
    await lab.credit({ reference: instructionsOf(payment).reference, amount: 12_840 });
    expect(await lab.read(payment.id)).toMatchObject({ status: 'completed', amount_received: 12_840 });
  });

  it('counts declined cards as any payment does', async () => {
    const { id } = await lab.create(manual);
    expect(refusal(await lab.payByCard(id, 'tok_declined'))).toEqual([402, 'card_declined', null]);
    expect(await lab.read(id)).toMatchObject({ phase: 'awaiting_payer', last_attempt: { code: 'card_declined' } });
    expect((await lab.payByCard(id)).body.phase).toBe('authorized');
  });

  it('is authorized after 3-D Secure', async () => {
    const asked = await authorize('tok_3ds');
    expect(asked).toMatchObject({ phase: 'requires_action', amount_capturable: 0, capture_before: null });
    const back = await lab.answerChallenge(asked, 'approve');
    for (const _ of [1, 2]) await lab.request(`GET ${back.pathname}` as 'GET /', { key: null });
    expect(await lab.read(asked.id)).toMatchObject({ phase: 'authorized', card: { three_d_secure: 'authenticated' } });
    expect((await capture(asked.id)).body.status).toBe('completed');
  });

  it('is authorized once the acquirer answers, when its first answer was lost', async () => {
    const payment = await authorize('tok_timeout');
    expect(payment.phase).toBe('processing');
    const end = new Date(lab.clock.now().getTime() + week * 1000).toISOString();
    await wait(3);
    const authorized = { phase: 'authorized', amount_capturable: 12_840, capture_before: end };
    expect(await lab.read(payment.id)).toMatchObject(authorized);
  });

  it('refuses further ways to pay while the card is authorized', async () => {
    const { id } = await authorize();
    for (const call of [lab.payByCard(id), lab.payByBank(id), lab.act(id, 'quotes')]) {
      expect(refusal(await call)).toEqual([409, 'payment_in_flight', null]);
    }
    expect((await lab.read(id)).phase).toBe('authorized');
  });
});

describe('the capture', () => {
  it.each([
    ['the whole amount', {}, 12_840, '139.9560000'],
    ['a part', { amount: 5_000 }, 5_000, '54.5000000'],
    ['one cent', { amount: 1 }, 1, '0.0109000'],
  ])('of %s completes the payment with it, and releases the rest', async (_, body, amount, settled) => {
    const before = (await lab.balance())['pending EUR'] ?? 0;
    const { id } = await authorize();
    lab.clock.advance(3 * 86_400);
    const answer = await capture(id, body);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toMatchObject({
      status: 'completed',
      phase: 'paid',
      exception: null,
      method: 'card',
      amount: 12_840,
      amount_received: amount,
      amount_capturable: 0,
      capture_before: null,
      failure: null,
      received: [{ method: 'card', credited: amount }],
      settlement: { status: 'pending', asset: 'USDC', amount: settled },
      completed_at: lab.clock.now().toISOString(),
    });
    expect(await lab.read(id)).toEqual(answer.body);
    const captured = ['payment.completed', 'payment.quote_refreshed'];
    expect(await lab.eventsOf(id)).toEqual(['payment.created', 'payment.authorized', ...captured]);
    expect((await lab.balance())['pending EUR']).toBe(before + amount);
    expect(await chargeOf(id)).toEqual({ state: 'captured', captured: amount });
  });

  it('is possible until the last moment, and not after it', async () => {
    const [inTime, late] = [await authorize(), await authorize()];
    lab.clock.advance(week - 0.001);
    expect((await capture(inTime.id)).body.status).toBe('completed');
    lab.clock.advance(0.001);
    expect(refusal(await capture(late.id))).toEqual([409, 'payment_expired', null]);
    expect(await lab.read(late.id)).toMatchObject({
      status: 'failed',
      phase: 'expired',
      amount_received: 0,
      amount_capturable: 0,
      capture_before: null,
      failure: { code: 'authorization_expired' },
    });
    expect(await lab.eventsOf(late.id)).toEqual(['payment.created', 'payment.authorized', 'payment.failed']);
    await lab.sweep('payments.attempts');
    expect(await chargeOf(late.id)).toEqual({ state: 'released', captured: null });
  });

  it('without any request ends by the test clock, and releases the card', async () => {
    const key = (await lab.addMerchant()).secretKey;
    const { body } = await lab.request('POST /v1/payments', { key, body: { ...order, ...manual } });
    await lab.request(`POST /v1/payments/${body.id}/confirm`, { key, body: { method: 'card', token: 'tok_visa' } });
    await lab.request('POST /v1/test_helpers/clock', { key, body: { advance: 'P7D' } });
    const { rows } = await lab.database.pool.query('select phase from payments where id = $1', [body.id]);
    expect(rows).toEqual([{ phase: 'expired' }]);
    await lab.sweep('payments.attempts');
    expect(await chargeOf(body.id)).toEqual({ state: 'released', captured: null });
  });

  it.each([
    ['more than authorized', { amount: 12_841 }, 'amount_out_of_range', 'amount'],
    ['nothing', { amount: 0 }, 'invalid_amount', 'amount'],
    ['an unknown parameter', { final: true }, 'parameter_unknown', 'final'],
  ])('of %s is refused, and the card stays authorized', async (_, body, code, param) => {
    const { id } = await authorize();
    expect(refusal(await capture(id, body))).toEqual([400, code, param]);
    expect(await lab.read(id)).toMatchObject({ phase: 'authorized', amount_capturable: 12_840 });
  });

  it.each<[string, (id: string) => Promise<unknown>, string]>([
    ['has not authorized a card', async () => {}, 'illegal_state'],
    ['was canceled', id => lab.act(id, 'cancel'), 'illegal_state'],
    ['waits for the payer’s bank', id => lab.payByCard(id, 'tok_3ds'), 'illegal_state'],
    ['was captured', async id => [await lab.payByCard(id), await capture(id)], 'payment_already_settled'],
  ])('of a payment that %s is refused', async (_, prepare, code) => {
    const { id } = await lab.create(manual);
    await prepare(id);
    expect(refusal(await capture(id, { amount: 1 }))).toEqual([409, code, null]);
  });

  it('needs the merchant’s own secret key', async () => {
    const { id } = await authorize();
    const secret = (await lab.create()).client_secret ?? '';
    expect((await lab.request(`POST /v1/payments/${id}/capture`, { key: secret, body: {} })).status).toBeGreaterThan(
      400,
    );
    const stranger = await lab.addMerchant();
    const theirs = await lab.request(`POST /v1/payments/${id}/capture`, { key: stranger.secretKey, body: {} });
    expect(refusal(theirs)).toEqual([404, 'resource_missing', 'id']);
  });

  it.each([1, 2, 3, 4])('takes the money once when two are concurrent (%i)', async round => {
    const before = (await lab.balance())['pending EUR'] ?? 0;
    const { id } = await authorize();
    const answers = await Promise.all([capture(id, { amount: 4_000 + round }), capture(id, { amount: 5_000 + round })]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const won = answers.find(({ status }) => status === 200)?.body;
    expect(await lab.read(id)).toMatchObject({ status: 'completed', amount_received: won.amount_received });
    expect((await lab.balance())['pending EUR']).toBe(before + won.amount_received);
  });

  it('is repeated by its Idempotency-Key', async () => {
    const { id } = await authorize();
    const once = () =>
      lab.request(`POST /v1/payments/${id}/capture`, {
        body: { amount: 700 },
        headers: { 'idempotency-key': `capture ${id}` },
      });
    const [first, second] = [await once(), await once()];
    expect([first.status, second.text, second.headers['idempotent-replayed']]).toEqual([200, first.text, 'true']);
    expect((await lab.read(id)).amount_received).toBe(700);
  });

  it('by a slow card is processing, and completes later', async () => {
    const { id } = await authorize('tok_delayed');
    expect((await capture(id, { amount: 9_000 })).body).toMatchObject({ phase: 'processing', amount_capturable: 0 });
    for (const call of [capture(id), lab.act(id, 'cancel'), lab.payByCard(id)]) {
      expect(refusal(await call)).toEqual([409, 'payment_in_flight', null]);
    }
    await wait(31);
    expect(await lab.read(id)).toMatchObject({ status: 'completed', amount_received: 9_000 });
  });

  it('whose answer was lost is asked for again, and is booked once', async () => {
    const { id } = await authorize('tok_timeout');
    await wait(3);
    expect((await capture(id, { amount: 300 })).body).toMatchObject({ phase: 'processing', amount_received: 0 });
    await wait(3);
    expect(await lab.read(id)).toMatchObject({ status: 'completed', amount_received: 300 });
    expect(await chargeOf(id)).toEqual({ state: 'captured', captured: 300 });
  });

  it('that never reached the acquirer is asked for again, even days later', async () => {
    const { id } = await authorize();
    await whileAcquirerIsDown(async () => {
      expect((await capture(id, { amount: 300 })).body.phase).toBe('processing');
      await wait(week + 60).catch(() => undefined);
      expect((await lab.read(id)).phase).toBe('processing');
    });
    await wait(60);
    expect(await lab.read(id)).toMatchObject({ status: 'completed', amount_received: 300 });
  });

  it('that the card’s bank declines ends the payment', async () => {
    const { id } = await authorize('tok_uncapturable');
    expect(refusal(await capture(id))).toEqual([402, 'card_declined', null]);
    expect(await lab.read(id)).toMatchObject({
      status: 'failed',
      phase: 'declined',
      amount_received: 0,
      failure: { code: 'card_declined' },
    });
  });

  it('of a card that the bank has released ends the payment', async () => {
    const { id } = await authorize();
    await lab.database.pool.query(
      `update sandbox.charges set state = 'released'
       where attempt_id = (select id from payment_attempts where payment_id = $1)`,
      [id],
    );
    expect(refusal(await capture(id))).toEqual([409, 'illegal_state', null]);
    expect(await lab.read(id)).toMatchObject({ phase: 'declined', failure: { code: 'authorization_released' } });
  });

  it('can be refunded up to the captured amount', async () => {
    const { id } = await authorize();
    expect(refusal(await lab.act(id, 'refunds', {}))).toEqual([409, 'illegal_state', null]);
    await capture(id, { amount: 5_000 });
    expect(refusal(await lab.act(id, 'refunds', { amount: 5_001 }))).toEqual([400, 'refund_exceeds_payment', 'amount']);
    await lab.refund(id, { amount: 2_000 });
    expect(await lab.read(id)).toMatchObject({ phase: 'partially_refunded', amount_refunded: 2_000 });
    await lab.refund(id);
    expect(await lab.read(id)).toMatchObject({ status: 'refunded', amount_refunded: 5_000 });
  });

  it('can be disputed up to the captured amount', async () => {
    const { id } = await authorize();
    await capture(id, { amount: 5_000 });
    const dispute = (body: object) =>
      lab.request('POST /v1/test_helpers/cards/disputes', { body: { payment: id, ...body } });
    expect((await dispute({ amount: 5_001 })).status).toBe(400);
    expect((await dispute({})).status).toBe(201);
    expect(await lab.eventsOf(id)).toContain('payment.disputed');
  });
});

describe('the release of an authorized card', () => {
  it('follows the cancellation', async () => {
    const { id } = await authorize();
    const { status, body } = await lab.act(id, 'cancel');
    expect([status, body.phase, body.failure.code, body.amount_capturable]).toEqual([200, 'canceled', 'canceled', 0]);
    expect(refusal(await capture(id))).toEqual([409, 'illegal_state', null]);
    expect((await lab.act(id, 'cancel')).status).toBe(200);
    await lab.sweep('payments.attempts');
    expect(await chargeOf(id)).toEqual({ state: 'released', captured: null });
    expect(await lab.eventsOf(id)).toEqual(['payment.created', 'payment.authorized', 'payment.failed']);
  });

  it('waits for an acquirer that is no longer connected, and a capture says so', async () => {
    const { id } = await authorize();
    const moveTo = (rail: string) =>
      lab.database.pool.query('update payment_attempts set rail = $2 where payment_id = $1', [id, rail]);
    await moveTo('former_acquirer');
    expect(refusal(await capture(id))).toEqual([503, 'unavailable', null]);
    expect((await lab.read(id)).phase).toBe('authorized');
    expect((await lab.act(id, 'cancel')).status).toBe(200);
    await wait(60);
    const { body } = await lab.request(`GET /v1/payments/${id}/attempts`);
    expect(body.data).toMatchObject([{ rail: 'former_acquirer', status: 'authorized' }]);
    await moveTo('sandbox_card');
    await lab.sweep('payments.attempts');
    expect((await chargeOf(id)).state).toBe('released');
  });

  it('is asked for again while the acquirer does not answer', async () => {
    const { id } = await authorize();
    await whileAcquirerIsDown(async () => {
      expect((await lab.act(id, 'cancel')).status).toBe(200);
      await wait(1).catch(() => undefined);
    });
    expect((await chargeOf(id)).state).toBe('authorized');
    await wait(60);
    expect((await chargeOf(id)).state).toBe('released');
  });

  it.each([1, 2, 3, 4])('or a capture that runs at the same time has one outcome (%i)', async () => {
    const { id } = await authorize();
    const [captured, canceled] = await Promise.all([capture(id), lab.act(id, 'cancel')]);
    expect([captured.status, canceled.status].toSorted()).toEqual([200, 409]);
    await lab.sweep('payments.attempts');
    const won = captured.status === 200;
    expect((await lab.read(id)).phase).toBe(won ? 'paid' : 'canceled');
    expect((await chargeOf(id)).state).toBe(won ? 'captured' : 'released');
  });

  it('follows a bank transfer that pays the whole amount', async () => {
    const { id, reference } = await authorizeBesideBank();
    await lab.credit({ reference, amount: 12_840 });
    expect(await lab.read(id)).toMatchObject({
      status: 'completed',
      method: 'bank_transfer',
      card: null,
      amount_received: 12_840,
    });
    await lab.sweep('payments.attempts');
    expect((await chargeOf(id)).state).toBe('released');
  });

  it('leaves a payment that a transfer has paid in part to the merchant', async () => {
    const first = await authorizeBesideBank();
    await lab.credit({ reference: first.reference, amount: 5_000 });
    expect(await lab.read(first.id)).toMatchObject({
      phase: 'authorized',
      method: 'card',
      amount_received: 5_000,
      amount_capturable: 7_840,
      next_action: null,
    });
    expect(refusal(await lab.act(first.id, 'cancel'))).toEqual([409, 'payment_in_flight', null]);
    expect(refusal(await capture(first.id, { amount: 7_841 }))).toEqual([400, 'amount_out_of_range', 'amount']);
    expect((await capture(first.id, { amount: 7_000 })).body).toMatchObject({ phase: 'paid', amount_received: 12_000 });

    const second = await authorizeBesideBank();
    await lab.credit({ reference: second.reference, amount: 5_000 });
    expect((await lab.act(second.id, 'resolve', { action: 'refund' })).status).toBe(200);
    await lab.sweep('outbound.send', 'payments.attempts');
    expect(await lab.read(second.id)).toMatchObject({ phase: 'canceled', amount_refunded: 5_000 });
    expect((await chargeOf(second.id)).state).toBe('released');
  });

  /** A payer who asked for a transfer first, and then gave a card. */
  async function authorizeBesideBank(): Promise<{ readonly id: string; readonly reference: string }> {
    const payment = await lab.createForBank(manual);
    expect((await lab.payByCard(payment.id)).body.phase).toBe('authorized');
    return { id: payment.id, reference: instructionsOf(payment).reference };
  }
});
