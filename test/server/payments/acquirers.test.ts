import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Payment } from '../../../src/api/payment.ts';
import { createSandboxCardAcquirer, type SandboxCardAcquirer } from '../../../src/sandbox/card-acquirer.ts';
import { eventKey, sendEvents } from '../../../src/sandbox/card-events.ts';
import { loadRootSecret } from '../../../src/server/platform/root-secret.store.ts';
import { instructionsOf, type PaymentLab, refusal, startPaymentLab } from './payment-lab.ts';

/** Servers of one database with two acquirers, with their order changed, and without the first. */
let both: PaymentLab;
let turned: PaymentLab;
let without: PaymentLab;

beforeAll(async () => {
  both = await startPaymentLab({ settings: { PAY_SANDBOX_ACQUIRERS: 'sandbox_card,sandbox_hosted' } });
  const another = (acquirers: string) =>
    startPaymentLab({ beside: both, settings: { PAY_SANDBOX_ACQUIRERS: acquirers } });
  turned = await another('sandbox_hosted,sandbox_card');
  without = await another('sandbox_hosted');
});
afterAll(async () => {
  await both.expectSoundBooks();
  await without.close();
  await turned.close();
  await both.close();
});

const servers = { both: () => both, turned: () => turned };

/** The state of the payment's charges by acquirer, as the acquirers themselves store it. */
async function chargesOf(id: string): Promise<string[]> {
  const { rows } = await both.database.pool.query(
    `select c.rail || ' ' || c.state as charge from sandbox.charges c
     join payment_attempts a on a.id = c.attempt_id where a.payment_id = $1 order by c.created_at`,
    [id],
  );
  return rows.map(({ charge }) => charge);
}

async function wait(lab: PaymentLab, seconds: number): Promise<void> {
  lab.clock.advance(seconds);
  await lab.sweep('payments.attempts', 'payments.disputes');
}

async function paidAt(lab: PaymentLab, token: string, changes: object = {}): Promise<Payment> {
  const { status, body, text } = await lab.payByCard((await lab.create(changes)).id, token);
  expect(status, text).toBe(200);
  return body;
}

const manual = { capture_method: 'manual' };

describe('with two acquirers', () => {
  it('the first in the list takes the card', async () => {
    const [first, second] = [await paidAt(both, 'tok_visa'), await paidAt(turned, 'tok_visa')];
    expect([first.received[0]?.rail, second.received[0]?.rail]).toEqual(['sandbox_card', 'sandbox_hosted']);
    expect(await chargesOf(first.id)).toEqual(['sandbox_card captured']);
    expect(await chargesOf(second.id)).toEqual(['sandbox_hosted captured']);
  });

  // Each payment is charged through one server, and goes on at the other, whose list begins with the other acquirer.
  describe.each([
    ['both', 'turned', 'sandbox_card'],
    ['turned', 'both', 'sandbox_hosted'],
  ] as const)('a payment taken by the first of %s', (at, later, rail) => {
    const first = () => servers[at]();
    const next = () => servers[later]();

    it('is captured by its acquirer', async () => {
      const { id } = await paidAt(first(), 'tok_visa', manual);
      const { body } = await next().act(id, 'capture', { amount: 5_000 });
      expect(body).toMatchObject({ status: 'completed', received: [{ rail, amount: '50.00' }] });
      expect(await chargesOf(id)).toEqual([`${rail} captured`]);
    });

    it('is released by its acquirer', async () => {
      const { id } = await paidAt(first(), 'tok_visa', manual);
      await next().act(id, 'cancel');
      await wait(next(), 1);
      expect(await chargesOf(id)).toEqual([`${rail} released`]);
    });

    it('is refunded by its acquirer', async () => {
      const { id } = await paidAt(first(), 'tok_visa');
      expect(await next().refund(id)).toMatchObject({ status: 'completed' });
      const { rows } = await both.database.pool.query(
        `select r.rail from sandbox.refunds r join sandbox.charges c on c.id = r.original_reference
         join payment_attempts a on a.id = c.attempt_id where a.payment_id = $1 and r.outcome = 'completed'`,
        [id],
      );
      expect(rows).toEqual([{ rail }]);
    });

    it('continues 3-D Secure at its acquirer, also when the payer does not return', async () => {
      for (const returns of [true, false]) {
        const payment = await paidAt(first(), 'tok_3ds');
        const back = await next().answerChallenge(payment, 'approve');
        if (returns) await next().request(`GET ${back.pathname}` as 'GET /', { key: null });
        else await wait(next(), 16);
        expect(await next().read(payment.id)).toMatchObject({ status: 'completed', received: [{ rail }] });
      }
    });

    it('asks its acquirer for the outcome of a lost answer', async () => {
      const { id } = await paidAt(first(), 'tok_timeout');
      await wait(next(), 3);
      expect(await next().read(id)).toMatchObject({ status: 'completed', received: [{ rail }] });
    });

    it('is disputed at its acquirer', async () => {
      const { id: payment } = await paidAt(first(), 'tok_visa');
      await next().request('POST /v1/test_helpers/cards/disputes', { body: { payment } });
      const [dispute] = (await next().request(`GET /v1/disputes?payment=${payment}`)).body.data;
      const body = { explanation: 'It was delivered.' };
      expect((await next().request(`POST /v1/disputes/${dispute.id}/evidence`, { body })).status).toBe(200);
      await wait(next(), 120);
      const { body: closed } = await next().request(`GET /v1/disputes/${dispute.id}`);
      expect(closed).toMatchObject({ status: 'closed', outcome: 'won' });
    });
  });
});

describe('an acquirer that is no longer connected', () => {
  it('answers a capture and a dispute with unavailable, and loses nothing', async () => {
    const held = await paidAt(both, 'tok_visa', manual);
    expect(refusal(await without.act(held.id, 'capture'))).toEqual([503, 'unavailable', null]);
    expect((await both.act(held.id, 'capture')).body.status).toBe('completed');

    const { id: payment } = await paidAt(both, 'tok_visa');
    await both.request('POST /v1/test_helpers/cards/disputes', { body: { payment } });
    const [{ id }] = (await both.request(`GET /v1/disputes?payment=${payment}`)).body.data;
    for (const [action, body] of [
      ['evidence', { explanation: 'It was delivered.' }],
      ['accept', undefined],
    ] as const) {
      const answer = await without.request(`POST /v1/disputes/${id}/${action}`, { body });
      expect(refusal(answer)).toEqual([503, 'unavailable', null]);
    }
    expect((await both.request(`POST /v1/disputes/${id}/accept`)).body.status).toBe('closed');
  });

  it('refunds once it is connected again', async () => {
    const { id } = await paidAt(both, 'tok_visa');
    const { body: refund } = await without.request(`POST /v1/payments/${id}/refunds`, { body: {} });
    await without.sweep('outbound.send');
    expect((await without.request(`GET /v1/refunds/${refund.id}`)).body.status).toBe('pending');
    await both.sweep('outbound.send');
    expect((await both.request(`GET /v1/refunds/${refund.id}`)).body.status).toBe('completed');
  });

  /** The payer leaves 3-D Secure and pays by bank while the acquirer cannot be asked. */
  async function paidByBankMeanwhile(changes: object = {}): Promise<Payment> {
    const payment = await paidAt(both, 'tok_3ds', changes);
    const { body } = await without.payByBank(payment.id);
    await without.credit({ reference: instructionsOf(body).reference, amount: 12_840 });
    expect(await without.read(payment.id)).toMatchObject({ status: 'completed', method: 'bank_transfer' });
    await wait(without, 600);
    return payment;
  }

  it('has taken a card meanwhile: the payment is overpaid as soon as it can be asked again', async () => {
    const payment = await paidByBankMeanwhile();
    await both.answerChallenge(payment, 'approve');
    await wait(both, 60);
    expect(await both.read(payment.id)).toMatchObject({
      status: 'completed',
      exception: 'overpaid',
      amount_received: 2 * 12_840,
      received: [{ rail: 'sepa' }, { rail: 'sandbox_card' }],
    });
    // The merchant gives the card's money back: it goes to the acquirer that took it.
    await both.act(payment.id, 'resolve', { action: 'refund' });
    await both.sweep('outbound.send');
    expect((await both.read(payment.id)).exception).toBeNull();
  });

  it('still waits for the payer: the attempt is canceled as soon as it can be asked again', async () => {
    const payment = await paidByBankMeanwhile();
    await wait(both, 60);
    await wait(both, 60);
    expect(await chargesOf(payment.id)).toEqual(['sandbox_card canceled']);
    expect(await both.read(payment.id)).toMatchObject({ exception: null, amount_received: 12_840 });
  });

  it.each<[string, (id: string) => Promise<{ status: number }>]>([
    ['another card', id => both.payByCard(id)],
    ['a bank transfer', id => both.payByBank(id)],
  ])('is connected again: %s ends 3-D Secure at once', async (_, payBy) => {
    const { id } = await paidAt(both, 'tok_3ds');
    await without.payByBank(id);
    expect((await payBy(id)).status).toBe(200);
    expect(await chargesOf(id)).toContain('sandbox_card canceled');
  });

  it('holds a card meanwhile: the card is released as soon as it can be asked again', async () => {
    const payment = await paidByBankMeanwhile(manual);
    await both.answerChallenge(payment, 'approve');
    await wait(both, 60);
    await wait(both, 60);
    expect(await chargesOf(payment.id)).toEqual(['sandbox_card released']);
    expect(await both.read(payment.id)).toMatchObject({ exception: null, amount_received: 12_840 });
  });
});

describe('an acquirer that does not answer', () => {
  async function whileSilent<T>(work: () => Promise<T>): Promise<T> {
    const { pool } = both.database;
    await pool.query('alter table sandbox.charges rename to silent');
    return await work().finally(() => pool.query('alter table sandbox.silent rename to charges'));
  }

  it.each<[string, (id: string) => Promise<{ status: number; text: string }>, number]>([
    ['may pay by bank', id => both.payByBank(id), 200],
    ['may not pay by another card', id => both.payByCard(id), 409],
    ['may cancel', id => both.act(id, 'cancel'), 200],
  ])('a payer who leaves 3-D Secure %s, and the attempt is canceled later', async (_, act, status) => {
    const { id } = await paidAt(both, 'tok_3ds');
    const answer = await whileSilent(() => act(id));
    expect(answer.status, answer.text).toBe(status);
    if (status === 409) await both.act(id, 'cancel');
    await wait(both, 60);
    await wait(both, 60);
    expect(await chargesOf(id)).toEqual(['sandbox_card canceled']);
  });

  it('does not keep back the events of another acquirer', async () => {
    const { pool } = both.database;
    const payment = await paidAt(turned, 'tok_3ds');
    await turned.answerChallenge(payment, 'approve');
    await pool.query('alter table sandbox.card_events rename to silent');
    await both.sweep('payments.card_events').catch(() => undefined);
    await pool.query('alter table sandbox.silent rename to card_events');
    expect(await both.read(payment.id)).toMatchObject({ status: 'completed', received: [{ rail: 'sandbox_hosted' }] });
  });

  it('does not keep a payer who comes back from 3-D Secure', async () => {
    const payment = await paidAt(both, 'tok_3ds');
    const back = await both.answerChallenge(payment, 'approve');
    const { status } = await whileSilent(() => both.request(`GET ${back.pathname}` as 'GET /', { key: null }));
    expect(status).toBe(303);
    await wait(both, 60);
    expect((await both.read(payment.id)).status).toBe('completed');
  });
});

describe.each([
  ['lists its events', 'sandbox_card', () => both],
  ['sends its events', 'sandbox_hosted', () => turned],
] as const)('an acquirer that %s', (_, rail, server) => {
  let acquirer: SandboxCardAcquirer;
  beforeAll(async () => {
    const { db } = both.database;
    const secret = eventKey(await loadRootSecret(db));
    acquirer = createSandboxCardAcquirer({ db, publicUrl: () => 'http://localhost:4242', id: rail, secret });
  });

  /** The events reach the service, which handles them. */
  async function report(): Promise<void> {
    await sendEvents(server().app.http, [acquirer]);
    await server().sweep('payments.card_events');
  }

  async function waiting(): Promise<string[]> {
    const { rows } = await both.database.pool.query('select about from card_events');
    return rows.map(({ about }) => about);
  }

  /** The cardholder disputes the charge at the acquirer. The service has no part in it. */
  async function disputeAt(payment: Payment, amount: bigint | null = null): Promise<void> {
    const { rows } = await both.database.pool.query(
      `select c.id, c.merchant_id from sandbox.charges c join payment_attempts a on a.id = c.attempt_id
       where a.payment_id = $1`,
      [payment.id],
    );
    const [{ id: railReference, merchant_id: merchantId }] = rows;
    const now = both.clock.now();
    await acquirer.openDispute({ merchantId, railReference, amount, reason: 'duplicate', now });
  }
  const disputesOf = async ({ id }: Payment) => (await both.request(`GET /v1/disputes?payment=${id}`)).body.data;

  it('reports a dispute, and once more all that it has reported', async () => {
    const payment = await paidAt(server(), 'tok_visa');
    await disputeAt(payment, 2_840n);
    await report();
    await both.database.pool.query("update rail_cursors set cursor = '' where rail = $1", [rail]);
    await both.database.pool.query('update sandbox.card_events set is_sent = false where rail = $1', [rail]);
    await report();
    expect(await disputesOf(payment)).toMatchObject([{ amount: 2_840, reason: 'duplicate', status: 'needs_response' }]);
    expect(await both.read(payment.id)).toMatchObject({ amount_disputed: 2_840, amount_received: 12_840 });
    expect(await both.eventsOf(payment.id)).toEqual(['payment.created', 'payment.completed', 'payment.disputed']);
    expect(await waiting()).toEqual([]);
  });

  it('completes a payment whose payer does not return from 3-D Secure', async () => {
    const payment = await paidAt(server(), 'tok_3ds');
    await server().answerChallenge(payment, 'approve');
    await report();
    expect(await both.read(payment.id)).toMatchObject({ status: 'completed', received: [{ rail }] });
  });

  it('reports the authorization while the merchant captures it: the card is not released', async () => {
    const payment = await paidAt(server(), 'tok_3ds', manual);
    const back = await server().answerChallenge(payment, 'approve');
    await both.request(`GET ${back.pathname}` as 'GET /', { key: null });
    // The capture begins after the attempt was read, and before the payment is read.
    const to = (phase: string) =>
      both.database.pool.query('update payments set phase = $1 where id = $2', [phase, payment.id]);
    await to('processing');
    await report();
    await to('authorized');
    expect(await waiting()).toEqual([]);
    expect((await both.act(payment.id, 'capture')).body).toMatchObject({ status: 'completed', received: [{ rail }] });
  });

  it('reports a dispute before the charge is booked: the report waits', async () => {
    const payment = await paidAt(server(), 'tok_timeout');
    await disputeAt(payment);
    await report();
    expect([await disputesOf(payment), await waiting()]).toEqual([[], ['dispute']]);
    await wait(server(), 30);
    expect((await both.read(payment.id)).status).toBe('completed');
    await report();
    expect(await disputesOf(payment)).toMatchObject([{ amount: 12_840 }]);
    expect(await waiting()).toEqual([]);
  });
});

describe('the address for events', () => {
  it('takes news about a refund: its acquirer is asked before the usual time', async () => {
    const { id } = await paidAt(turned, 'tok_refund_pending');
    const refund = await turned.refund(id);
    expect(refund.status).toBe('pending');
    const { rows } = await both.database.pool.query(
      'select refund_id, merchant_id from sandbox.refunds where settles_at > $1',
      [both.clock.now()],
    );
    const [{ refund_id: reference, merchant_id: merchantId }] = rows;
    const status = async () => (await turned.request(`GET /v1/refunds/${refund.id}`)).body.status;
    for (const seconds of [9, 1]) {
      both.clock.advance(seconds);
      await turned.sweep('outbound.send');
    }
    expect(await status()).toBe('pending');
    const events = [{ id: 'ev_refund', merchantId, about: 'refund', reference, paymentId: null }];
    const body = JSON.stringify({ events });
    const key = eventKey(await loadRootSecret(both.database.db));
    const headers = { 'sandbox-signature': createHmac('sha256', key).update(body).digest('hex') };
    const answer = await turned.request('POST /rails/sandbox_hosted/events', { key: null, body, headers });
    expect([answer.status, answer.body]).toEqual([200, { received: 1 }]);
    await turned.sweep('payments.card_events');
    await turned.sweep('outbound.send');
    expect(await status()).toBe('completed');
  });

  const body = { events: [{ id: '1', merchantId: 'acc_1', about: 'charge', reference: 'att_1', paymentId: 'pay_1' }] };
  it.each([
    ['with a wrong signature', 'sandbox_hosted', { 'sandbox-signature': 'ab'.repeat(32) }],
    ['without a signature', 'sandbox_hosted', {}],
    ['of an acquirer that lists its events', 'sandbox_card', {}],
    ['of an unknown acquirer', 'former_acquirer', {}],
  ])('refuses a request %s', async (_, rail, headers) => {
    const answer = await both.request(`POST /rails/${rail}/events`, { key: null, body, headers });
    expect(refusal(answer)).toEqual([404, 'resource_missing', null]);
    const { rows } = await both.database.pool.query('select * from card_events');
    expect(rows).toEqual([]);
  });
});
