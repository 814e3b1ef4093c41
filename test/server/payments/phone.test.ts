import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Invoice } from '../../../src/api/invoice/invoice-view.ts';
import type { Payment } from '../../../src/api/payment.ts';
import type { AppModule } from '../../../src/server/app.ts';
import { askAttempt } from '../../../src/server/payments/attempts/attempt-follow.service.ts';
import { payments } from '../../../src/server/payments/module.ts';
import { defineModule } from '../../../src/server/platform/module.ts';
import {
  type CollectingRail,
  type PromptOutcome,
  refusedPrompt,
} from '../../../src/server/rails/mobile-money/collecting.ts';
import { startTestApp } from '../../support/app.ts';
import { freshNumber } from '../../support/phone-numbers.ts';
import { order, type PaymentLab, refusal, startPaymentLab } from './payment-lab.ts';

let lab: PaymentLab;
let deps: Parameters<NonNullable<typeof payments.sweeps>>[0];
/** Keeps what the app hands to its modules. */
const listener = defineModule<typeof deps>({
  name: 'listener',
  sweeps: given => {
    deps = given;
    return [];
  },
});
beforeAll(async () => {
  lab = await startPaymentLab({ modules: [listener as AppModule] });
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const methods = { payment_methods: ['card', 'bank_transfer', 'mobile_money'] };
/** A payment in a currency that MTN collects in Uganda. */
const inShillings = { ...methods, amount: 150_000, currency: 'UGX' };

const create = (changes: object = inShillings) => lab.create(changes);
const pay = (id: string, number = freshNumber(), more: object = {}) =>
  lab.act(id, 'confirm', { method: 'mobile_money', provider: 'mtn', number, ...more });

async function wait(seconds: number): Promise<number> {
  lab.clock.advance(seconds);
  return await lab.sweep('payments.attempts');
}

/** The payer answers the newest prompt of the payment. */
async function answer(id: string, code: string | null): Promise<void> {
  const { rowCount } = await lab.database.pool.query(
    `update sandbox.mobile_prompts set code = $2, answered_at = $3 where id = (
       select id from sandbox.mobile_prompts where payment_id = $1 order by created_at desc limit 1)`,
    [id, code, lab.clock.now()],
  );
  expect(rowCount).toBe(1);
}

async function promptsOf(id: string): Promise<number> {
  const { rows } = await lab.database.pool.query(
    'select count(*)::int as count from sandbox.mobile_prompts where payment_id = $1',
    [id],
  );
  return rows[0].count;
}

async function asked(changes: object = inShillings, number?: string): Promise<Payment> {
  const { status, body, text } = await pay((await create(changes)).id, number);
  expect(status, text).toBe(200);
  return body;
}

/** Changes the sandbox's MTN while `work` runs. */
async function whileMtn(changes: Partial<CollectingRail>, work: () => Promise<void>): Promise<void> {
  const mtn = deps.rails.phones.find(({ id, livemode }) => id === 'mtn' && !livemode);
  if (mtn === undefined) throw new Error('the sandbox has no MTN');
  const before = { ...mtn };
  Object.assign(mtn, changes);
  await work().finally(() => Object.assign(mtn, before));
}

const unknown = async (): Promise<PromptOutcome> => ({ state: 'unknown' });
const silent = { prompt: unknown, promptStatus: unknown };

describe('a payment by mobile money', () => {
  it('shows a prompt, and completes when the payer approves it', async () => {
    const payment = await asked(inShillings, '+256772123000');
    expect(payment).toMatchObject({
      status: 'pending',
      phase: 'requires_action',
      method: 'mobile_money',
      mobile_money: null,
      next_action: {
        type: 'phone_prompt',
        provider: 'mtn',
        number: '+256772123000',
        amount: 150_000,
        currency: 'UGX',
        expires_at: new Date(lab.clock.now().getTime() + 120_000).toISOString(),
      },
    });
    expect(await wait(1)).toBe(0);
    expect(await wait(1)).toBe(1);
    await answer(payment.id, null);
    expect(await wait(4)).toBe(0);
    expect(await wait(1)).toBe(1);
    expect(await lab.read(payment.id)).toMatchObject({
      status: 'completed',
      phase: 'paid',
      exception: null,
      amount_received: 150_000,
      next_action: null,
      mobile_money: { provider: 'mtn', number: '+256772123000' },
      received: [
        { method: 'mobile_money', rail: 'mtn', asset: 'UGX', amount: '150000', credited: 150_000, card: null },
      ],
    });
    expect(await lab.eventsOf(payment.id)).toEqual(['payment.created', 'payment.requires_action', 'payment.completed']);
    const { body: transfers } = await lab.request(`GET /v1/transfers?payment=${payment.id}`);
    expect(transfers.data).toMatchObject([{ rail: 'mtn', sender: '+256772123000', amount: 150_000, currency: 'UGX' }]);
    const { body: attempts } = await lab.request(`GET /v1/payments/${payment.id}/attempts`);
    expect(attempts.data).toMatchObject([
      { method: 'mobile_money', rail: 'mtn', status: 'captured', number: '+256772123000', amount: 150_000, card: null },
    ]);
  });

  it('shows its payer only the last digits of the number that paid', async () => {
    const created = await create();
    const key = created.client_secret ?? '';
    const { body: shown } = await lab.request(`POST /v1/payments/${created.id}/confirm`, {
      key,
      body: { method: 'mobile_money', provider: 'mtn', number: '+256 772 123 000' },
    });
    expect(shown.next_action.number).toBe('+256772123000');
    await answer(created.id, null);
    await wait(2);
    const { body } = await lab.request(`GET /v1/payments/${created.id}`, { key });
    expect(body).toMatchObject({ status: 'completed', mobile_money: { provider: 'mtn', number: '•••000' } });
  });

  it('is found by the digits of its phone, by its method, and in the export', async () => {
    const { id } = await create();
    await pay(id, '+256772177789');
    await wait(2);
    for (const text of ['+256772177789', '256 772 177 789']) {
      const { body } = await lab.request(`GET /v1/search?q=${encodeURIComponent(text)}`);
      expect(body.data.map((found: { id: string }) => found.id)).toEqual([id]);
    }
    const { body: list } = await lab.request('GET /v1/payments?method=mobile_money&limit=1');
    expect(list.data).toMatchObject([{ id }]);
    const { text } = await lab.request('GET /v1/payments.csv?method=mobile_money');
    expect(text).toMatch(/mobile_money.*,mtn,'?\+256772177789,/);
    const { body: history } = await lab.request(`GET /v1/payments/${id}/history`);
    const attempts = history.data.filter(({ type }: { type: string }) => type === 'attempt');
    expect(attempts).toMatchObject([{ data: { method: 'mobile_money', number: '+256772177789' } }]);
  });

  it('of part of a unit asks for the whole unit, and counts the payment’s amount', async () => {
    const { id } = await create({ ...methods, amount: 1_050, currency: 'KES' });
    const { body } = await pay(id, '+254712345789', { provider: 'mpesa' });
    expect(body.next_action).toMatchObject({ amount: 1_100, currency: 'KES' });
    await wait(2);
    expect(await lab.read(id)).toMatchObject({ status: 'completed', exception: null, amount_received: 1_050 });
  });

  it('is offered by links and invoices of all methods', async () => {
    const body = { amount: 150_000, currency: 'UGX' };
    const link = (await lab.request('POST /v1/payment-links', { body })).body;
    expect(link.payment_methods).toContain('mobile_money');
    const customer = { email: 'ada@example.com', name: 'Ada' };
    const made = await lab.request(`POST /v1/payment-links/${link.id}/payments`, { body: { customer } });
    await pay(made.body.id, '+256772123039');
    await wait(2);
    expect((await lab.read(made.body.id)).last_attempt?.code).toBe('prompt_refused');
    await pay(made.body.id, '+256772123789');
    await wait(2);
    expect((await lab.request(`GET /v1/payment-links/${link.id}`)).body).toMatchObject({ uses: 1 });
  });

  async function sentInvoice(changes: object = {}): Promise<Invoice> {
    const lines = [{ description: 'Coffee', quantity: '1', unit_amount: 150_000 }];
    const draft = { customer: { name: 'Ada', email: 'ada@example.com' }, currency: 'UGX', lines, ...changes };
    const made = await lab.request('POST /v1/invoices', { body: draft });
    expect(made.body.payment_methods, made.text).toContain('mobile_money');
    return (await lab.request(`POST /v1/invoices/${made.body.id}/send`, { body: {} })).body;
  }
  const readInvoice = async (id: string): Promise<Invoice> => (await lab.request(`GET /v1/invoices/${id}`)).body;
  /** Pays the invoice from each phone in turn, until one approves. */
  async function payInvoice(id: string, numbers: readonly string[], body: object = {}): Promise<string> {
    const started = await lab.request(`POST /v1/invoices/${id}/payments`, { body });
    expect(started.status, started.text).toBe(201);
    for (const number of numbers) {
      await pay(started.body.id, number);
      await wait(2);
    }
    return started.body.id;
  }
  const [refuses, approves] = ['+256772123039', '+256772123789'];

  it('pays an invoice', async () => {
    const { id } = await sentInvoice();
    await payInvoice(id, [approves]);
    expect(await readInvoice(id)).toMatchObject({ status: 'paid', amount_paid: 150_000 });
  });

  it('pays the instalments of an invoice one by one, after a refusal too', async () => {
    const installments = [
      { due_date: '2026-12-01', amount: 50_000 },
      { due_date: '2027-01-01', amount: 100_000 },
    ];
    const { id } = await sentInvoice({ installments });
    const first = await payInvoice(id, [refuses, approves], { amount: 50_000 });
    expect(await readInvoice(id)).toMatchObject({
      status: 'partially_paid',
      amount_paid: 50_000,
      amount_remaining: 100_000,
      installments: [{ amount_paid: 50_000 }, { amount_paid: 0 }],
    });
    expect((await lab.read(first)).mobile_money).toMatchObject({ number: approves });
    await wait(30 * 86_400);
    await payInvoice(id, [approves]);
    expect(await readInvoice(id)).toMatchObject({ status: 'paid', amount_remaining: 0 });
  });

  it('pays a part of an invoice, and counts again when its refund comes back', async () => {
    const { id } = await sentInvoice({ allow_partial: true });
    const part = await payInvoice(id, ['+256772123139'], { amount: 40_000 });
    await answer(part, null);
    await wait(5);
    const paid = await readInvoice(id);
    expect(paid).toMatchObject({ status: 'partially_paid', amount_paid: 40_000, amount_remaining: 110_000 });
    await lab.refund(part);
    lab.clock.advance(2);
    await lab.sweep('outbound.send');
    expect((await readInvoice(id)).amount_refunded).toBe(40_000);
    await lab.sweep('payouts.returns');
    const { amount_paid, amount_remaining, amount_refunded } = paid;
    expect(await readInvoice(id)).toMatchObject({ amount_paid, amount_remaining, amount_refunded });
    await payInvoice(id, [approves]);
    expect(await readInvoice(id)).toMatchObject({ status: 'paid', amount_remaining: 0 });
  });

  it('in another currency asks for the amount at the market rate, rounded up to a whole unit, and counts in full', async () => {
    const { id } = await create(methods);
    const { body } = await pay(id, '+254712345678', { provider: 'mpesa' });
    const { amount, currency } = body.next_action;
    expect([currency, amount % 100]).toEqual(['KES', 0]);
    const { mobile_money: offered } = await lab.options((await create(methods)).id);
    expect(offered?.operators).toContainEqual(
      expect.objectContaining({ provider: 'mpesa', country: 'KE', calling_code: '254', amount, currency }),
    );
    await answer(id, null);
    await wait(2);
    expect(await lab.read(id)).toMatchObject({
      status: 'completed',
      exception: null,
      amount_received: 12_840,
      received: [{ asset: 'KES', credited: 12_840 }],
    });
  });

  it('asks for the price that the payer saw, or for nothing', async () => {
    const { id } = await create();
    expect(refusal(await pay(id, '+256772123789', { amount: 149_000 }))).toEqual([409, 'price_changed', 'amount']);
    expect([(await lab.read(id)).phase, await promptsOf(id)]).toEqual(['awaiting_payer', 0]);
    const { body } = await pay(id, '+256772123789', { amount: 150_000 });
    expect(body.next_action).toMatchObject({ amount: 150_000, currency: 'UGX' });
    await wait(2);
    expect((await lab.read(id)).status).toBe('completed');
  });

  it.each([
    ['039', 'prompt_refused'],
    ['049', 'insufficient_funds'],
    ['059', 'wrong_pin'],
    ['069', 'processing_error'],
    ['079', 'operator_limit'],
  ])('refused later (…%s) can be tried again', async (digits, code) => {
    const { id } = await create();
    expect((await pay(id, `+256772123${digits}`)).body.phase).toBe('requires_action');
    await wait(2);
    expect(await lab.read(id)).toMatchObject({
      phase: 'awaiting_payer',
      next_action: null,
      last_attempt: { method: 'mobile_money', code, message: expect.any(String) },
    });
    await pay(id, '+256772123789');
    await wait(2);
    expect((await lab.read(id)).status).toBe('completed');
  });

  it('refused within the call answers 402, and ten refusals end the payment', async () => {
    const { id } = await create();
    for (let i = 0; i < 10; i++) {
      expect(refusal(await pay(id, '+256772123029'))).toEqual([402, 'number_not_registered', null]);
    }
    expect(await lab.read(id)).toMatchObject({ phase: 'declined', failure: { code: 'number_not_registered' } });
  });

  it('offers operators in the payment’s mode and limits, those of its currency first', async () => {
    const { mobile_money: offered } = await lab.options((await create()).id);
    const [first, ...others] = offered?.operators ?? [];
    expect(first).toMatchObject({ provider: 'mtn', name: 'MTN MoMo', country: 'UG', currency: 'UGX', amount: 150_000 });
    expect(others.map(({ currency }) => currency)).toContain('XOF');
    const tiny = (await lab.options((await create({ ...methods, amount: 1 })).id)).mobile_money;
    expect(tiny?.operators.every(({ amount, min }) => amount >= min)).toBe(true);
    expect(tiny?.operators.map(({ country }) => country)).not.toContain('UG');
    expect((await lab.options((await create({})).id)).mobile_money).toBeUndefined();
  });
});

describe('a choice of mobile money that cannot be paid', () => {
  it.each([
    ['a number of another country', {}, { number: '+254712345678' }, ['invalid_phone_number', 'number']],
    ['a landline', {}, { number: '+256414123456' }, ['invalid_phone_number', 'number']],
    ['a number without a country', {}, { number: '0772123000' }, ['invalid_phone_number', 'number']],
    ['a number that is too short', {}, { number: '+25677212' }, ['invalid_phone_number', 'number']],
    ['an unknown operator', {}, { provider: 'tigo' }, ['invalid_provider', 'provider']],
    ['too little money', { amount: 499 }, {}, ['amount_out_of_range', 'provider']],
    ['too much money', { amount: 5_000_001 }, {}, ['amount_out_of_range', 'provider']],
    ['a payment without the method', { payment_methods: ['card'] }, {}, ['payment_method_not_allowed', 'method']],
  ])('is refused: %s', async (_, changes, body, error) => {
    const { id } = await create({ ...inShillings, ...changes });
    expect(refusal(await pay(id, '+256772123000', body))).toEqual([400, ...error]);
    expect([(await lab.read(id)).phase, await promptsOf(id)]).toEqual(['awaiting_payer', 0]);
  });

  it('is refused while a prompt is open, also after the payer has left it for another method', async () => {
    const { id } = await asked();
    const second = await pay(id, '+256772123001');
    expect(refusal(second)).toEqual([409, 'prompt_open', null]);
    expect(second.body.error.message).toContain('•••000');
    expect((await lab.payByBank(id)).body.phase).toBe('awaiting_funds');
    expect(refusal(await pay(id, '+256772123001'))).toEqual([409, 'prompt_open', null]);
    await answer(id, 'prompt_refused');
    await wait(5);
    expect((await pay(id, '+256772123001')).body.phase).toBe('requires_action');
    expect(await promptsOf(id)).toBe(2);
  });
});

describe('a refund of mobile money', () => {
  async function paidBy(number: string, changes: object, provider = 'mtn'): Promise<Payment> {
    const { id } = await create(changes);
    await pay(id, number, { provider });
    await wait(2);
    return await lab.read(id);
  }

  const paidOut = async (number: string) => {
    const { rows } = await lab.database.pool.query(
      'select rail, amount::int, currency from sandbox.mobile_transfers where number = $1 order by created_at, amount',
      [number],
    );
    return rows;
  };

  it('is paid out to the wallet that paid, whole or in parts', async () => {
    const { id } = await paidBy('+256772124789', inShillings);
    await lab.refund(id, { amount: 50_000 });
    await lab.refund(id);
    lab.clock.advance(2);
    await lab.sweep('outbound.send');
    expect(await lab.read(id)).toMatchObject({ phase: 'refunded', amount_refunded: 150_000 });
    const refunds = [50_000, 100_000].map(amount => ({ rail: 'mtn', amount, currency: 'UGX' }));
    expect(await paidOut('+256772124789')).toEqual(refunds);
  });

  it('of a payment in another currency returns what the payer gave', async () => {
    const { id, received } = await paidBy('+256772125789', methods);
    await lab.refund(id, { amount: 4_000 });
    await lab.refund(id);
    lab.clock.advance(2);
    await lab.sweep('outbound.send');
    expect((await lab.read(id)).phase).toBe('refunded');
    const sum = (await paidOut('+256772125789')).reduce((total, { amount }) => total + amount, 0);
    expect(String(sum)).toBe(received[0]?.amount);
  });

  it('that the operator refuses leaves the money with the merchant', async () => {
    const { id } = await create();
    await pay(id, '+256772124119');
    await answer(id, null);
    await wait(2);
    await lab.refund(id);
    lab.clock.advance(2);
    await lab.sweep('outbound.send');
    const { data } = (await lab.request(`GET /v1/payments/${id}/refunds`)).body;
    expect(data).toMatchObject([{ status: 'failed', failure: { code: 'provider_error' } }]);
    expect(await lab.read(id)).toMatchObject({ phase: 'paid', amount_refunded: 0, amount_refundable: 150_000 });
  });

  /** Sends what is due, and reads what the operators gave back. */
  async function sendAndTakeBack(): Promise<void> {
    for (const seconds of [0, 2]) {
      lab.clock.advance(seconds);
      await lab.sweep('outbound.send');
    }
    await lab.sweep('payouts.returns');
  }

  it.each([
    ['of all', {}, inShillings, 'mtn', '+256772124139'],
    ['of a part', { amount: 50_000 }, inShillings, 'mtn', '+256772125139'],
    ['in another currency', { amount: 4_000 }, methods, 'mpesa', '+254712345139'],
  ])('that the operator gives back later is the merchant’s again: %s', async (_, body, changes, provider, number) => {
    const { id } = await create(changes);
    await pay(id, number, { provider });
    await answer(id, null);
    await wait(5);
    const before = await lab.balance();
    const paid = await lab.read(id);
    const made = await lab.refund(id, body);
    lab.clock.advance(2);
    await lab.sweep('outbound.send');
    expect((await lab.read(id)).amount_refunded).toBe(made.amount);
    await lab.sweep('payouts.returns');
    const { data } = (await lab.request(`GET /v1/payments/${id}/refunds`)).body;
    const message = 'The operator returned the money, because the account cannot be paid.';
    expect(data).toMatchObject([{ status: 'failed', failure: { code: 'recipient_not_allowed', message } }]);
    const { status, phase, exception, amount_refunded, amount_refundable } = paid;
    expect(await lab.read(id)).toMatchObject({ status, phase, exception, amount_refunded, amount_refundable });
    expect(await lab.balance()).toEqual(before);
    expect(await lab.eventsOf(made.id)).toEqual(['refund.created', 'refund.completed', 'refund.failed']);
    expect((await lab.eventsOf(id)).filter(type => type === 'payment.completed')).toHaveLength(1);
    const { body: entries } = await lab.request('GET /v1/balance/entries?limit=9');
    expect(entries.data).toContainEqual(expect.objectContaining({ kind: 'refund_returned', refund: made.id }));
    await lab.sweep('payouts.returns');
    expect(await lab.balance()).toEqual(before);
  });

  it.each([
    ['overpaid', (id: string) => lab.payByCard(id), { status: 'completed', phase: 'paid' }],
    [
      'paid_late',
      async (id: string) => {
        await lab.payByBank(id);
        await lab.act(id, 'cancel');
      },
      { status: 'failed', phase: 'canceled' },
    ],
  ])(
    'of money that waits for a decision (%s) waits again when the operator gives it back',
    async (exception, leave, as) => {
      const { id } = await create();
      await pay(id, '+256772126139');
      await leave(id);
      await answer(id, null);
      await wait(5);
      const waiting = await lab.read(id);
      expect(waiting).toMatchObject({ ...as, exception });
      await lab.act(id, 'resolve', { action: 'refund' });
      await sendAndTakeBack();
      expect(await lab.read(id)).toMatchObject({
        ...as,
        exception,
        amount_refunded: 0,
        amount_refundable: waiting.amount_refundable,
      });
      expect((await lab.act(id, 'resolve', { action: 'accept' })).body).toMatchObject({
        status: 'completed',
        exception: null,
      });
    },
  );
});

describe('a prompt', () => {
  const unanswered = { method: 'mobile_money', code: 'prompt_unanswered', message: expect.any(String) };

  it('that nobody answers ends at its operator, and the payer goes on', async () => {
    const { id } = await asked();
    await wait(121);
    expect(await lab.read(id)).toMatchObject({
      phase: 'awaiting_payer',
      last_attempt: { method: 'mobile_money', code: 'prompt_expired' },
    });
    expect((await lab.payByCard(id)).body.status).toBe('completed');
    expect(await wait(86_400)).toBe(0);
  });

  it('whose operator is silent after its end is given up, and counts when it was approved late', async () => {
    const { id } = await create();
    await pay(id, '+256772123109');
    await wait(121);
    expect((await lab.read(id)).phase).toBe('requires_action');
    await wait(30);
    expect(await lab.read(id)).toMatchObject({ phase: 'awaiting_payer', last_attempt: unanswered });
    const { body } = await lab.request(`GET /v1/payments/${id}/attempts`);
    expect(body.data).toMatchObject([{ status: 'abandoned', code: unanswered.code, message: unanswered.message }]);
    await wait(60);
    expect(await lab.read(id)).toMatchObject({ status: 'completed', exception: null, amount_received: 150_000 });
  });

  it.each([
    ['paid by card', (id: string) => lab.payByCard(id), { status: 'completed', exception: 'overpaid' }],
    [
      'left and canceled',
      async (id: string) => {
        await lab.payByBank(id);
        await lab.act(id, 'cancel');
      },
      { phase: 'canceled', exception: 'paid_late' },
    ],
    [
      'over',
      async () => {
        lab.clock.advance(20);
        await lab.sweep('payments.expire');
      },
      { phase: 'expired', exception: 'paid_late' },
    ],
  ])('approved after its payment was %s is kept, shown and sent back', async (_, leave, expected) => {
    const { id } = await create();
    lab.clock.advance(86_390);
    await lab.act(id, 'quotes');
    await pay(id, '+256772123109');
    await leave(id);
    await wait(200);
    const after = await lab.read(id);
    expect(after).toMatchObject(expected);
    expect(after.received.at(-1)).toMatchObject({ method: 'mobile_money', amount: '150000' });
    await lab.act(id, 'resolve', { action: 'refund' });
    await wait(0);
    await lab.sweep();
    lab.clock.advance(5);
    await lab.sweep();
    expect(await lab.read(id)).toMatchObject({ exception: null, amount_refunded: 150_000 });
  });

  it('is asked about at once when its operator calls back, once or twice', async () => {
    const { id } = await asked();
    await answer(id, null);
    const { body } = await lab.request(`GET /v1/payments/${id}/attempts`);
    const news = { merchantId: lab.merchant.id, attemptId: body.data[0].id };
    const woken: string[] = [];
    const deps = { db: lab.database.db, clock: lab.clock, wake: (sweep: string) => void woken.push(sweep) };
    await askAttempt(deps, 'mpesa', news);
    expect(woken).toEqual([]);
    await askAttempt(deps, 'mtn', news);
    await askAttempt(deps, 'mtn', news);
    expect(await lab.sweep('payments.attempts')).toBe(1);
    expect((await lab.read(id)).status).toBe('completed');
    await askAttempt(deps, 'mtn', news);
    expect(woken).toEqual(['payments.attempts', 'payments.attempts']);
  });

  it.each([
    ['000', 'payments', "phase <> 'requires_action'", 200, 'requires_action'],
    ['029', 'payment_attempts', "state <> 'declined'", 402, 'awaiting_payer'],
  ])(
    'is shown once when a crash comes between the operator and the books: …%s',
    async (digits, table, unless, status, phase) => {
      const { id } = await create();
      const { pool } = lab.database;
      const headers = { 'idempotency-key': `phone-crash-${id}` };
      const body = { method: 'mobile_money', provider: 'mtn', number: `+256772123${digits}` };
      const call = () => lab.request(`POST /v1/payments/${id}/confirm`, { headers, body });
      await pool.query(`alter table ${table} add constraint crashed check (${unless}) not valid`);
      const crashed = await call();
      await pool.query(`alter table ${table} drop constraint crashed`);
      const retry = await call();
      expect([crashed.status, retry.status]).toEqual([500, status]);
      expect((await call()).text).toBe(retry.text);
      expect([(await lab.read(id)).phase, await promptsOf(id)]).toEqual([phase, 1]);
    },
  );

  it('that never reached its operator because of a crash is shown by the next call, or given up', async () => {
    const lose = (id: string) =>
      lab.database.pool.query('delete from sandbox.mobile_prompts where payment_id = $1', [id]);
    const { id } = await asked();
    await lose(id);
    await wait(2);
    const decline = { code: 'operator_unavailable' };
    expect(await lab.read(id)).toMatchObject({ phase: 'awaiting_payer', last_attempt: decline });
    expect((await pay(id, '+256772123789')).body.phase).toBe('requires_action');
    await wait(2);
    expect((await lab.read(id)).status).toBe('completed');
  });

  it.each(['before the prompt', 'after the prompt'])(
    'whose operator is down %s is asked about again, and holds the payer for two and a half minutes at most',
    async when => {
      const { pool } = lab.database;
      const down = () => pool.query('alter table sandbox.mobile_prompts rename to mobile_prompts_away');
      const up = () => pool.query('alter table sandbox.mobile_prompts_away rename to mobile_prompts');
      const { id } = await create();
      if (when === 'after the prompt') await pay(id);
      await down();
      if (when === 'before the prompt') {
        const { status, body } = await pay(id);
        expect([status, body.phase, body.next_action]).toEqual([200, 'processing', null]);
        expect(refusal(await lab.payByCard(id))).toEqual([409, 'payment_in_flight', null]);
      }
      for (const seconds of [2, 60, 60]) await wait(seconds);
      expect(['processing', 'requires_action']).toContain((await lab.read(id)).phase);
      await wait(30);
      expect(await lab.read(id)).toMatchObject({ phase: 'awaiting_payer', last_attempt: unanswered });
      await up();
      if (when === 'after the prompt') await answer(id, null);
      await wait(60);
      const phase = when === 'after the prompt' ? 'paid' : 'awaiting_payer';
      expect((await lab.read(id)).phase).toBe(phase);
    },
  );

  it.each([
    ['expires', 'prompt_expired', { exception: null, amount_received: 12_840 }],
    ['is approved', null, { exception: 'overpaid', amount_received: 2 * 12_840 }],
  ])('that %s after a bank transfer has paid does not hide the payment', async (_, code, expected) => {
    const { id, next_action: action } = await lab.createForBank(methods);
    const reference = action?.type === 'bank_instructions' ? action.reference : '';
    await pay(id);
    expect((await lab.credit({ reference, amount: 12_840 })).body.status).toBe('matched');
    await answer(id, code);
    await wait(5);
    expect(await lab.read(id)).toMatchObject({ status: 'completed', last_attempt: null, ...expected });
  });

  it('whose operator does not answer delays no prompt of another payer or operator', async () => {
    const [stuck, same, other] = [
      await asked(),
      await asked(),
      (await pay((await create({ ...methods, currency: 'KES' })).id, '+254712345678', { provider: 'mpesa' })).body,
    ] as const;
    for (const { id } of [same, other]) await answer(id, null);
    lab.clock.advance(2);
    const { body: attempts } = await lab.request(`GET /v1/payments/${stuck.id}/attempts`);
    const answered = Promise.withResolvers<void>();
    const phones = deps.rails.phones.map((phone): CollectingRail => {
      const promptStatus: CollectingRail['promptStatus'] = async (attempt, now) => {
        if (attempt.id === attempts.data[0].id) await answered.promise;
        return await phone.promptStatus(attempt, now);
      };
      return { ...phone, promptStatus };
    });
    const sweeps = payments.sweeps?.({ ...deps, rails: { ...deps.rails, phones } }) ?? [];
    const sweep = sweeps.find(({ name }) => name === 'payments.attempts');
    const running = sweep?.run();
    const statuses = () => Promise.all([same, other].map(async ({ id }) => (await lab.read(id)).status));
    await expect.poll(statuses, { timeout: 20_000 }).toEqual(['completed', 'completed']);
    expect((await lab.read(stuck.id)).phase).toBe('requires_action');
    answered.resolve();
    await running;
    await sweep?.settled?.();
    await answer(stuck.id, 'prompt_refused');
  });

  it('of an operator that is no longer connected is given up after its end, and the payer goes on', async () => {
    const { id } = await asked();
    await lab.database.pool.query("update payment_attempts set rail = 'former' where payment_id = $1", [id]);
    expect((await lab.payByCard(id)).body.status).toBe('completed');
    await lab.database.pool.query("update payment_attempts set rail = 'mtn' where payment_id = $1", [id]);
    await answer(id, 'prompt_refused');
  });

  it('is shown once, however often its confirmation is repeated', async () => {
    const { id } = await create();
    const headers = { 'idempotency-key': `phone-${id}` };
    const body = { method: 'mobile_money', provider: 'mtn', number: '+256772123000' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => lab.request(`POST /v1/payments/${id}/confirm`, { headers, body })),
    );
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect((await lab.request(`POST /v1/payments/${id}/confirm`, { headers, body })).status).toBe(200);
    expect(await promptsOf(id)).toBe(1);
  });
});

describe('while a prompt may be open', () => {
  it('an operator that keeps prompts for five minutes gets no second one before their end', async () => {
    const { id } = await create();
    await whileMtn({ ...silent, promptSeconds: 300 }, async () => {
      expect((await pay(id)).body.phase).toBe('processing');
      await wait(200);
      expect((await lab.read(id)).phase).toBe('processing');
      expect(refusal(await pay(id, '+256772123001'))).toEqual([409, 'payment_in_flight', null]);
      await wait(131);
      expect(await lab.read(id)).toMatchObject({ phase: 'awaiting_payer' });
    });
    expect((await pay(id, '+256772123789')).body.phase).toBe('requires_action');
    await wait(2);
    expect((await lab.read(id)).status).toBe('completed');
  });

  it('the payment cannot be canceled, until the prompt has ended', async () => {
    const { id } = await asked();
    expect((await lab.read(id)).can_cancel).toBe(false);
    expect(refusal(await lab.act(id, 'cancel'))).toEqual([409, 'payment_in_flight', null]);
    expect((await lab.read(id)).phase).toBe('requires_action');
    await answer(id, 'prompt_refused');
    expect((await lab.act(id, 'cancel')).body.phase).toBe('canceled');
  });
});

describe('a phone with an open prompt', () => {
  const taken = [409, 'prompt_open', 'number'];
  const left = async (id: string) => {
    expect((await lab.payByBank(id)).body.phase).toBe('awaiting_funds');
  };

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['is approved', id => answer(id, null)],
    ['is refused', id => answer(id, 'prompt_refused')],
    ['ends by itself', () => wait(120)],
    [
      'is refused after its payer chose another method',
      async id => {
        await left(id);
        await answer(id, 'prompt_refused');
        await wait(3);
      },
    ],
    [
      'is approved after its payer chose another method',
      async id => {
        await left(id);
        await answer(id, null);
        await wait(3);
      },
    ],
    [
      'ends by itself after its payer chose another method',
      async id => {
        await left(id);
        await wait(120);
      },
    ],
  ])('gets none for another payment of the merchant, until the first %s', async (_, end) => {
    const number = freshNumber();
    const [first, second] = [await asked(inShillings, number), await create()];
    const refused = await pay(second.id, number);
    expect(refusal(refused)).toEqual(taken);
    expect(refused.body.error.message).toMatch(/^A prompt is open on the phone •••000\. Answer it there, or wait/);
    expect([(await lab.read(second.id)).phase, await promptsOf(second.id)]).toEqual(['awaiting_payer', 0]);
    await end(first.id);
    await wait(2);
    expect((await pay(second.id, number)).body.phase).toBe('requires_action');
    expect((await lab.read(first.id)).open_prompt).toBeNull();
  });

  it('gets none for the same invoice in a second browser, so that the invoice is paid once', async () => {
    const lines = [{ description: 'Coffee', quantity: '1', unit_amount: 150_000 }];
    const draft = { customer: { name: 'Ada', email: 'ada@example.com' }, currency: 'UGX', lines };
    const { body: invoice } = await lab.request('POST /v1/invoices', { body: draft });
    await lab.request(`POST /v1/invoices/${invoice.id}/send`, { body: {} });
    const start = async () => (await lab.request(`POST /v1/invoices/${invoice.id}/payments`, { body: {} })).body.id;
    const [first, second, number] = [await start(), await start(), freshNumber()];
    expect((await pay(first, number)).status).toBe(200);
    expect(refusal(await pay(second, number))).toEqual(taken);
    await answer(first, null);
    await wait(2);
    expect(refusal(await pay(second, number))[0]).toBe(409);
    const { body: paid } = await lab.request(`GET /v1/invoices/${invoice.id}`);
    expect(paid).toMatchObject({ status: 'paid', amount_paid: 150_000 });
  });

  it('gets one of the prompts that two servers send at the same time', async () => {
    const beside = await startTestApp({ beside: lab });
    const number = freshNumber();
    const ids = await Promise.all(Array.from({ length: 8 }, async () => (await create()).id));
    const body = { method: 'mobile_money', provider: 'mtn', number };
    const answers = await Promise.all(
      ids.map((id, i) => (i % 2 ? lab : beside).request(`POST /v1/payments/${id}/confirm`, { body })),
    );
    await beside.close();
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status !== 200).map(refusal)).toEqual(Array(7).fill(taken));
  });

  it('gets one of another merchant', async () => {
    const [{ secretKey: key }, number] = [await lab.addMerchant(), freshNumber()];
    await asked(inShillings, number);
    const { body: payment } = await lab.request('POST /v1/payments', { key, body: { ...order, ...inShillings } });
    const body = { method: 'mobile_money', provider: 'mtn', number };
    expect((await lab.request(`POST /v1/payments/${payment.id}/confirm`, { key, body })).status).toBe(200);
  });

  it('is named to the payer on every device, with its last digits, whatever method is chosen', async () => {
    const created = await create();
    const seen = async () =>
      (await lab.request(`GET /v1/payments/${created.id}`, { key: created.client_secret ?? '' })).body.open_prompt;
    expect(await seen()).toBeNull();
    const number = freshNumber();
    const { next_action: action } = (await pay(created.id, number)).body;
    const { type: _, ...prompt } = action;
    const shown = { ...prompt, number: '•••000' };
    expect(await seen()).toEqual(shown);
    await left(created.id);
    expect(await seen()).toEqual(shown);
    expect((await lab.read(created.id)).open_prompt).toEqual(prompt);
    expect((await lab.payByCard(created.id, 'tok_3ds')).body.next_action).toMatchObject({ type: 'redirect' });
    expect(await seen()).toEqual(shown);
    await answer(created.id, 'prompt_refused');
    await wait(5);
    expect(await seen()).toBeNull();
    expect((await lab.read(created.id)).next_action).toMatchObject({ type: 'redirect' });
  });

  it('is free after the end of the prompt, also if its operator is no longer connected', async () => {
    const number = freshNumber();
    const { id } = await asked(inShillings, number);
    await lab.database.pool.query("update payment_attempts set rail = 'former' where payment_id = $1", [id]);
    const second = await create();
    lab.clock.advance(149);
    expect(refusal(await pay(second.id, number))).toEqual(taken);
    lab.clock.advance(1);
    expect((await pay(second.id, number)).body.phase).toBe('requires_action');
    await lab.database.pool.query("update payment_attempts set rail = 'mtn' where payment_id = $1", [id]);
    await wait(2);
    expect((await lab.read(second.id)).open_prompt).toMatchObject({ number });
  });

  it('gets five prompts in ten minutes from pages of the merchant, and more with a secret key', async () => {
    const number = freshNumber('029');
    const byPayer = async () => {
      const { id, client_secret: key } = await create();
      const body = { method: 'mobile_money', provider: 'mtn', number };
      return await lab.request(`POST /v1/payments/${id}/confirm`, { key: key ?? '', body });
    };
    const refusedByOperator = [402, 'number_not_registered', null];
    expect(refusal(await byPayer())).toEqual(refusedByOperator);
    await wait(60);
    for (let i = 0; i < 4; i++) expect(refusal(await byPayer())).toEqual(refusedByOperator);
    const limited = await byPayer();
    expect([...refusal(limited), limited.headers['retry-after']]).toEqual([429, 'too_many_attempts', 'number', '540']);
    expect(refusal(await pay((await create()).id, number))).toEqual(refusedByOperator);
    await wait(600);
    expect(refusal(await byPayer())).toEqual(refusedByOperator);
  });
});

describe('an operator that got no prompt', () => {
  const operatorUnavailable = { method: 'mobile_money', code: 'operator_unavailable', message: expect.any(String) };
  const payNow = async (id: string) => {
    expect((await pay(id, '+256772123789')).body.phase).toBe('requires_action');
    await wait(2);
    expect((await lab.read(id)).status).toBe('completed');
  };

  it('ends the attempt at once, does not count as a refusal, and the next prompt starts at once', async () => {
    const { id } = await create();
    const prompt = async () => refusedPrompt('operator_unavailable', null);
    await whileMtn({ prompt }, async () => {
      for (let i = 0; i < 11; i++) expect(refusal(await pay(id))).toEqual([402, 'operator_unavailable', null]);
    });
    expect(await lab.read(id)).toMatchObject({ phase: 'awaiting_payer', last_attempt: operatorUnavailable });
    await payNow(id);
  });

  it('and says so only when it is asked ends the attempt then', async () => {
    const { id } = await create();
    await whileMtn({ ...silent, promptStatus: async () => null }, async () => {
      expect((await pay(id)).body.phase).toBe('processing');
      await wait(2);
    });
    expect(await lab.read(id)).toMatchObject({ phase: 'awaiting_payer', last_attempt: operatorUnavailable });
    await payNow(id);
  });
});
