import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PaymentLab, refusal, startPaymentLab } from './payment-lab.ts';

let lab: PaymentLab;
beforeAll(async () => {
  lab = await startPaymentLab();
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

describe('a payment by card', () => {
  it.each(['tok_visa', 'tok_mastercard', 'tok_amex'])('with %s completes at once', async token => {
    const before = (await lab.balance())['pending EUR'] ?? 0;
    const created = await lab.create();
    lab.clock.advance(5);
    const { status, body } = await lab.payByCard(created.id, token);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: created.id,
      status: 'completed',
      phase: 'paid',
      exception: null,
      method: 'card',
      amount_received: 12_840,
      next_action: null,
      last_attempt: null,
      failure: null,
      settlement: { status: 'pending', asset: 'USDC', amount: '139.9560000', tx_hash: null, ledger: null },
      completed_at: lab.clock.now().toISOString(),
    });
    expect(await lab.read(created.id)).toEqual(body);
    expect(await lab.eventsOf(created.id)).toEqual(['payment.created', 'payment.completed']);
    expect((await lab.balance())['pending EUR']).toBe(before + 12_840);
  });

  it.each([
    ['tok_declined', 'card_declined'],
    ['tok_insufficient_funds', 'insufficient_funds'],
    ['tok_expired_card', 'expired_card'],
    ['tok_incorrect_cvc', 'incorrect_cvc'],
    ['tok_processing_error', 'processing_error'],
  ])('with %s is declined with a reason, and can be tried again', async (token, code) => {
    const { id } = await lab.create();
    const declined = await lab.payByCard(id, token);
    expect(refusal(declined)).toEqual([402, code, null]);
    expect(declined.body.error.type).toBe('card_error');
    const { message } = declined.body.error;
    expect(await lab.read(id)).toMatchObject({
      status: 'pending',
      phase: 'awaiting_payer',
      amount_received: 0,
      next_action: null,
      failure: null,
      last_attempt: { method: 'card', code, message },
    });
    expect((await lab.payByCard(id)).body).toMatchObject({ status: 'completed', last_attempt: { code } });
    const attempts = await lab.request(`GET /v1/payments/${id}/attempts`);
    expect(attempts.body).toMatchObject({ object: 'list', url: `/v1/payments/${id}/attempts`, has_more: false });
    expect(attempts.body.data).toHaveLength(2);
    expect(attempts.body.data).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ payment: id, status: 'captured', code: null, amount: 12_840, currency: 'EUR' }),
        expect.objectContaining({ object: 'payment_attempt', status: 'declined', code, message, livemode: false }),
      ]),
    );
    expect(await lab.eventsOf(id)).toEqual(['payment.created', 'payment.completed']);
  });

  it.each([
    ['tok_visa', { brand: 'visa', last4: '4242', three_d_secure: 'not_requested' }],
    ['tok_amex', { brand: 'amex', last4: '0005', three_d_secure: 'not_requested' }],
    ['tok_3ds', { brand: 'visa', last4: '3155', three_d_secure: 'authenticated' }],
    ['tok_delayed', { brand: 'visa', last4: '0077', three_d_secure: 'not_requested' }],
  ])('with %s shows brand, last digits and 3-D Secure once it is paid', async (token, card) => {
    const created = await lab.create();
    await lab.payByCard(created.id, 'tok_declined');
    const chosen = await lab.payByCard(created.id, token);
    expect([created.card, chosen.body.card]).toEqual([null, chosen.body.status === 'completed' ? card : null]);
    if (chosen.body.phase === 'requires_action') await lab.answerChallenge(chosen.body, 'approve');
    lab.clock.advance(16);
    await lab.sweep('payments.attempts');
    expect(await lab.read(created.id)).toMatchObject({ status: 'completed', card });
    const key = created.client_secret ?? '';
    expect((await lab.request(`GET /v1/payments/${created.id}`, { key })).body.card).toEqual(card);
    const { data } = (await lab.request(`GET /v1/events?resource=${created.id}&type=payment.completed`)).body;
    expect(data[0].data).toMatchObject({ object: { card }, previous: { card: null } });
  });

  it('fails after ten declined cards, and not after nine', async () => {
    const { id } = await lab.create();
    for (let i = 0; i < 9; i++) await lab.payByCard(id, 'tok_declined');
    expect((await lab.read(id)).phase).toBe('awaiting_payer');
    expect(refusal(await lab.payByCard(id, 'tok_insufficient_funds'))[0]).toBe(402);
    expect(await lab.read(id)).toMatchObject({
      status: 'failed',
      phase: 'declined',
      failure: { code: 'insufficient_funds', message: expect.stringContaining('Declined 10 times') },
    });
    expect(refusal(await lab.payByCard(id))).toEqual([409, 'illegal_state', null]);
    expect(await lab.eventsOf(id)).toEqual(['payment.created', 'payment.failed']);
  });

  it('is processing during a slow capture, and completes without the payer', async () => {
    const { id } = await lab.create();
    expect((await lab.payByCard(id, 'tok_delayed')).body).toMatchObject({ status: 'pending', phase: 'processing' });
    for (const call of [lab.payByCard(id), lab.payByBank(id), lab.act(id, 'cancel')]) {
      expect(refusal(await call)).toEqual([409, 'payment_in_flight', null]);
    }
    lab.clock.advance(5);
    await lab.sweep('payments.attempts');
    expect((await lab.read(id)).phase).toBe('processing');
    lab.clock.advance(6);
    await lab.sweep('payments.attempts');
    expect(await lab.read(id)).toMatchObject({ status: 'completed', amount_received: 12_840 });
  });

  it('is processing when the acquirer’s response was lost, and is charged once when it is queried', async () => {
    const { id } = await lab.create();
    expect((await lab.payByCard(id, 'tok_timeout')).body).toMatchObject({ phase: 'processing', amount_received: 0 });
    lab.clock.advance(3);
    await lab.sweep('payments.attempts');
    expect(await lab.read(id)).toMatchObject({ status: 'completed', amount_received: 12_840 });
    expect(await lab.eventsOf(id)).toEqual(['payment.created', 'payment.completed']);
  });

  it('stays open while its acquirer is not connected, and is booked once it is connected again', async () => {
    const { id } = await lab.create();
    await lab.payByCard(id, 'tok_3ds');
    const moveTo = (rail: string) =>
      lab.database.pool.query('update payment_attempts set rail = $2 where payment_id = $1', [id, rail]);
    await moveTo('former_acquirer');
    expect(refusal(await lab.payByCard(id))).toEqual([409, 'payment_in_flight', null]);
    lab.clock.advance(60);
    await lab.sweep('payments.attempts');
    const { body } = await lab.request(`GET /v1/payments/${id}/attempts`);
    expect(body.data).toMatchObject([{ rail: 'former_acquirer', status: 'requires_action', code: null }]);
    await moveTo('sandbox_card');
    await lab.sweep('payments.attempts');
    expect((await lab.payByCard(id)).body).toMatchObject({ status: 'completed', amount_received: 12_840 });
  });

  it('that was captured after the payment had ended waits for the merchant’s decision', async () => {
    const { id } = await lab.create();
    await lab.payByCard(id, 'tok_timeout');
    lab.clock.advance(86_400);
    await lab.sweep('payments.expire');
    expect((await lab.read(id)).phase).toBe('processing');
    await lab.sweep('payments.attempts');
    expect(await lab.read(id)).toMatchObject({ status: 'completed', amount_received: 12_840 });
  });

  /**
   * The service gives up an attempt that the acquirer does not know. Returns a function that adds its charge late, in a
   * state.
   */
  async function giveUpUnknown(id: string): Promise<(state: string) => Promise<unknown>> {
    const { pool } = lab.database;
    await lab.payByCard(id, 'tok_timeout');
    const { rows } = await pool.query(
      `delete from sandbox.charges c using payment_attempts a where a.payment_id = $1 and c.attempt_id = a.id
       returning to_jsonb(c)::text as charge`,
      [id],
    );
    lab.clock.advance(31);
    await lab.sweep('payments.attempts');
    expect(await lab.read(id)).toMatchObject({ status: 'pending', phase: 'awaiting_payer', last_attempt: null });
    const insert = `insert into sandbox.charges select *
      from jsonb_populate_record(null::sandbox.charges, $1::jsonb || jsonb_build_object('state', $2::text))`;
    return state => pool.query(insert, [rows[0].charge, state]);
  }

  it('that never reached the acquirer because of a crash can be tried again', async () => {
    const { id } = await lab.create();
    const arrive = await giveUpUnknown(id);
    expect((await lab.payByCard(id)).body.status).toBe('completed');
    await arrive('captured');
    lab.clock.advance(60);
    await lab.sweep('payments.attempts');
    expect(await lab.read(id)).toMatchObject({ exception: 'overpaid', amount_received: 2 * 12_840 });
  });

  it('that reaches the acquirer up to a day after a crash is booked', async () => {
    const { id } = await lab.create();
    const arrive = await giveUpUnknown(id);
    for (const seconds of [60, 540, 3_000]) {
      lab.clock.advance(seconds);
      expect(await lab.sweep('payments.attempts')).toBe(1);
      expect(await lab.sweep('payments.attempts')).toBe(0);
    }
    await arrive('captured');
    lab.clock.advance(82_800);
    await lab.sweep('payments.expire', 'payments.attempts');
    expect(await lab.read(id)).toMatchObject({ phase: 'expired', exception: 'paid_late', amount_received: 12_840 });
  });

  it('that reaches the acquirer late and needs 3-D Secure is canceled', async () => {
    const { id } = await lab.create();
    await (await giveUpUnknown(id))('requires_action');
    lab.clock.advance(60);
    await lab.sweep('payments.attempts');
    const { rows } = await lab.database.pool.query(
      'select c.state from sandbox.charges c join payment_attempts a on a.id = c.attempt_id where a.payment_id = $1',
      [id],
    );
    expect(rows).toEqual([{ state: 'canceled' }]);
    lab.clock.advance(86_400);
    expect(await lab.sweep('payments.attempts')).toBe(0);
  });

  it('with a token of the card frame is charged once, for one payment only', async () => {
    const { card } = await lab.options((await lab.create()).id);
    const ticket = new URL(card?.frame_url ?? '').searchParams.get('ticket');
    expect(ticket).toMatch(/^[0-9A-Za-z]{66}/);
    const { rows } = await lab.database.pool.query(
      `insert into sandbox.card_tokens values ('tok_typedbyhand0000000000', 'visa', '4242', 12, 2030, 'approved', now())
       returning token`,
    );
    const { token } = rows[0];
    const [first, second] = [await lab.create(), await lab.create()];
    expect((await lab.payByCard(first.id, token)).body.status).toBe('completed');
    expect(refusal(await lab.payByCard(second.id, token))).toEqual([400, 'invalid_token', 'token']);
    expect((await lab.read(second.id)).phase).toBe('awaiting_payer');
  });
});

describe('3-D Secure', () => {
  const ask = async () =>
    (await lab.payByCard((await lab.create()).id, 'tok_3ds', { return_url: 'https://shop.example/back?a=1' })).body;
  const visit = (url: URL) => lab.request(`GET ${url.pathname}${url.search}` as 'GET /', { key: null });

  it('returns a page for the payer, and waits', async () => {
    const payment = await ask();
    expect(payment).toMatchObject({ status: 'pending', phase: 'requires_action', amount_received: 0 });
    expect(payment.next_action).toEqual({
      type: 'redirect',
      url: expect.stringMatching(/^http:\/\/localhost:4242\/sandbox\/3ds\/[0-9A-Za-z]{22}$/),
    });
    expect(await lab.eventsOf(payment.id)).toEqual(['payment.created', 'payment.requires_action']);
  });

  it.each([
    ['approve', { status: 'completed', phase: 'paid', last_attempt: null }],
    ['decline', { status: 'pending', phase: 'awaiting_payer', last_attempt: { code: 'authentication_failed' } }],
    ['close', { status: 'pending', phase: 'awaiting_payer', last_attempt: { code: 'authentication_failed' } }],
  ] as const)('after "%s" redirects the payer to the shop, with the outcome booked', async (choice, expected) => {
    const payment = await ask();
    const back = await lab.answerChallenge(payment, choice);
    expect(back.pathname).toMatch(/^\/checkout\/resume\/[0-9A-Za-z]{66}$/);
    const { status, headers } = await visit(back);
    expect(status).toBe(303);
    expect(headers.location).toBe(`https://shop.example/back?a=1&payment_id=${payment.id}`);
    expect(headers['cache-control']).toBe('no-store');
    const after = await lab.read(payment.id);
    expect(after).toMatchObject({ ...expected, next_action: null });
    expect((await visit(back)).headers.location).toBe(headers.location);
    expect(await lab.read(payment.id)).toEqual(after);
    if (choice !== 'approve') expect((await lab.payByCard(payment.id)).body.status).toBe('completed');
  });

  it('is booked also when the payer does not return', async () => {
    const payment = await ask();
    await lab.answerChallenge(payment, 'approve');
    lab.clock.advance(16);
    await lab.sweep('payments.attempts');
    expect((await lab.read(payment.id)).status).toBe('completed');
  });

  it('ends on a page of the service without a return URL, and refuses a forged one', async () => {
    const payment = (await lab.payByCard((await lab.create()).id, 'tok_3ds')).body;
    const back = await lab.answerChallenge(payment, 'approve');
    expect((await visit(back)).headers.location).toBe('/checkout/return');
    const forged = new URL(back);
    forged.pathname = forged.pathname.replace(/.$/, last => (last === 'A' ? 'B' : 'A'));
    expect((await visit(forged)).headers.location).toBe('/checkout/return');
  });

  it('is canceled when the payer uses another card, and can no longer be approved', async () => {
    const payment = await ask();
    expect((await lab.payByCard(payment.id, 'tok_declined')).status).toBe(402);
    await lab.answerChallenge(payment, 'approve').catch(() => undefined);
    expect((await lab.payByCard(payment.id)).body).toMatchObject({ status: 'completed', amount_received: 12_840 });
    lab.clock.advance(60);
    await lab.sweep('payments.attempts');
    expect(await lab.read(payment.id)).toMatchObject({ amount_received: 12_840, exception: null });
  });

  it('is canceled when the payer chooses the bank, or the merchant cancels the payment', async () => {
    for (const leave of [lab.payByBank, (id: string) => lab.act(id, 'cancel')]) {
      const payment = await ask();
      expect((await leave(payment.id)).status).toBe(200);
      await lab.answerChallenge(payment, 'approve').catch(() => undefined);
      lab.clock.advance(60);
      await lab.sweep('payments.attempts');
      expect((await lab.read(payment.id)).amount_received).toBe(0);
    }
  });

  it('that was approved during a cancellation completes the payment', async () => {
    const payment = await ask();
    await lab.answerChallenge(payment, 'approve');
    expect(refusal(await lab.act(payment.id, 'cancel'))).toEqual([409, 'illegal_state', null]);
    expect(await lab.read(payment.id)).toMatchObject({ status: 'completed', amount_received: 12_840 });
  });

  it('counts a decline once, also when return and sweep are concurrent with the next charge', async () => {
    const payment = await ask();
    const back = await lab.answerChallenge(payment, 'decline');
    lab.clock.advance(16);
    const [, , second] = await Promise.all([
      visit(back),
      lab.sweep('payments.attempts'),
      lab.payByCard(payment.id, 'tok_delayed'),
    ]);
    if (second.status !== 200) await lab.payByCard(payment.id, 'tok_delayed');
    await lab.sweep('payments.attempts');
    expect(await lab.read(payment.id)).toMatchObject({ phase: 'processing' });
    lab.clock.advance(11);
    await lab.sweep('payments.attempts');
    expect(await lab.read(payment.id)).toMatchObject({ status: 'completed', amount_received: 12_840 });
  });

  it('ends with the session, by the clock and by the sweep', async () => {
    const [read, swept] = [await ask(), await ask()];
    lab.clock.advance(86_400);
    expect((await lab.read(read.id)).phase).toBe('expired');
    await lab.sweep('payments.expire');
    for (const payment of [read, swept]) {
      expect(await lab.read(payment.id)).toMatchObject({ phase: 'expired', failure: { code: 'session_expired' } });
      const back = await lab.answerChallenge(payment, 'approve').catch(() => null);
      expect(back).toBeNull();
      lab.clock.advance(60);
      await lab.sweep('payments.attempts');
      expect(await lab.read(payment.id)).toMatchObject({ phase: 'expired', amount_received: 0, exception: null });
      const events = ['payment.created', 'payment.requires_action', 'payment.failed'];
      expect(await lab.eventsOf(payment.id)).toEqual(events);
    }
  });

  it('that was approved in time completes a payment whose session has ended', async () => {
    const payment = await ask();
    await lab.answerChallenge(payment, 'approve');
    lab.clock.advance(86_400);
    expect(await lab.read(payment.id)).toMatchObject({ status: 'completed', amount_received: 12_840 });
  });
});

describe('a dispute', () => {
  const dispute = (payment: string, more: object = {}) =>
    lab.request('POST /v1/test_helpers/cards/disputes', { body: { payment, ...more } });

  it('takes the amount from the merchant’s balance, emits one event, and leaves no amount to refund', async () => {
    const { id } = await lab.createPaid({ amount: 1_000, currency: 'CHF' });
    const { status, body } = await dispute(id, { amount: 600 });
    expect([status, body.status]).toEqual([201, 'completed']);
    expect(await lab.balance()).toMatchObject({ 'pending CHF': 400 });
    expect(await lab.eventsOf(id)).toEqual(['payment.created', 'payment.completed', 'payment.disputed']);
    await dispute(id, { amount: 600 });
    expect(await lab.balance()).toMatchObject({ 'pending CHF': 400 });
    expect(refusal(await lab.act(id, 'refunds', { amount: 401 }))).toEqual([400, 'refund_exceeds_payment', 'amount']);
    expect((await lab.refund(id)).amount).toBe(400);
    expect(refusal(await lab.act(id, 'refunds', {}))).toEqual([409, 'illegal_state', null]);
  });

  it('is about the captured charge, not a declined card', async () => {
    const { id } = await lab.create();
    await lab.payByCard(id, 'tok_declined');
    await lab.payByCard(id);
    expect((await dispute(id)).status).toBe(201);
  });

  it.each(['create', 'createForBank'] as const)('is refused for a payment without a card (%s)', async make => {
    const { id } = await lab[make]();
    expect(refusal(await dispute(id))).toEqual([409, 'illegal_state', 'payment']);
  });
});
