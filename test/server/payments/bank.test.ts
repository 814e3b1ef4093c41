import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Payment } from '../../../src/api/payment.ts';
import type { Transfer } from '../../../src/api/transfer.ts';
import { isIban } from '../../../src/core/bank/iban.ts';
import { instructionsOf, type PaymentLab, refusal, startPaymentLab } from './payment-lab.ts';

let lab: PaymentLab;
let lastAmount = 20_000;
/** An amount that no other payment of this file has, so that matching by amount is unique. */
function freshAmount(): number {
  lastAmount += 1_000;
  return lastAmount;
}
beforeAll(async () => {
  lab = await startPaymentLab();
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const waiting = (changes: object = {}, rail?: 'sepa' | 'ach') =>
  lab.createForBank({ amount: freshAmount(), ...changes }, rail);
const referenceOf = (payment: Payment) => instructionsOf(payment).reference;
const fieldsOf = (payment: Payment) =>
  Object.fromEntries(instructionsOf(payment).fields.map(({ name, value }) => [name, value]));
const pay = (payment: Payment, amount: number, more: object = {}) =>
  lab.credit({ reference: referenceOf(payment), amount, ...more });
const transfersOf = async (status: string): Promise<Transfer[]> =>
  (await lab.request(`GET /v1/transfers?limit=100&status=${status}`)).body.data;

describe('bank instructions', () => {
  it('for SEPA contain an IBAN of the merchant, the reference, the amount, and an EPC QR code of the same', async () => {
    const payment = await waiting({ amount: 12_840 });
    expect(payment).toMatchObject({ status: 'pending', phase: 'awaiting_funds', method: 'bank_transfer' });
    const { account_holder: holder, iban = '', bic, reference, amount } = fieldsOf(payment);
    expect([holder, bic, amount, isIban(iban)]).toEqual(['Test shop', 'SBOXLT20', '128.40', true]);
    expect(instructionsOf(payment)).toMatchObject({ rail: 'sepa', amount: 12_840, currency: 'EUR', reference });
    const lines = instructionsOf(payment).qr?.payload.split('\n') ?? [];
    expect(instructionsOf(payment).qr?.format).toBe('epc');
    expect(lines.slice(0, 8)).toEqual([
      'BCD',
      '002',
      '1',
      'SCT',
      'SBOXLT20',
      'Test shop',
      iban.replaceAll(' ', ''),
      'EUR128.40',
    ]);
    expect(lines).toContain(reference);
    const stranger = await lab.addMerchant();
    const headers = { key: stranger.secretKey };
    const theirs = (await lab.request('POST /v1/payments', { ...headers, body: bankOrder })).body;
    const body = { method: 'bank_transfer', rail: 'sepa' };
    const confirmed = (await lab.request(`POST /v1/payments/${theirs.id}/confirm`, { ...headers, body })).body;
    expect(fieldsOf(confirmed).iban).not.toBe(iban);
  });
  const bankOrder = {
    amount: 100,
    currency: 'EUR',
    settlement_asset: 'USDC',
    settlement_network: 'stellar',
    payment_methods: ['bank_transfer'],
    customer: { email: 'a@b.example' },
  };

  it('for ACH contain routing and account number and an amount in dollars, also for euros', async () => {
    const payment = await waiting({ amount: 12_840 }, 'ach');
    const { routing_number: routing, account_number: account, amount } = fieldsOf(payment);
    expect([routing, /^\d{12}$/.test(account ?? ''), amount]).toEqual(['110000000', true, '139.96']);
    expect(instructionsOf(payment)).toMatchObject({ rail: 'ach', amount: 13_996, currency: 'USD', qr: null });
  });

  it('keep their reference when they are requested again, and have another for another rail', async () => {
    const payment = await waiting();
    const [again, ach] = [(await lab.payByBank(payment.id)).body, (await lab.payByBank(payment.id, 'ach')).body];
    expect(again.next_action).toEqual(payment.next_action);
    expect(referenceOf(ach)).not.toBe(referenceOf(payment));
    await pay(payment, payment.amount);
    expect((await lab.read(payment.id)).status).toBe('completed');
  });
});

describe('a credit at the bank', () => {
  it.each<[string, (reference: string) => string]>([
    ['as it was given', text => text],
    ['in small letters without hyphens', text => text.toLowerCase().replaceAll('-', '')],
    ['with blanks, O for 0 and l for 1', text => text.replaceAll('-', ' ').replaceAll('0', 'O').replaceAll('1', 'l')],
    ['inside other words', text => `Invoice 12/2026, thank you! ref:${text}; SEPA DE89370400440532013000`],
  ])('with the reference %s pays', async (_, write) => {
    const payment = await waiting();
    const { status, body } = await lab.credit({ reference: write(referenceOf(payment)), amount: payment.amount });
    expect([status, body.status, body.payment, body.amount_applied]).toEqual([
      201,
      'matched',
      payment.id,
      payment.amount,
    ]);
    expect(await lab.read(payment.id)).toMatchObject({ status: 'completed', exception: null, next_action: null });
    expect(await lab.eventsOf(payment.id)).toEqual(['payment.created', 'payment.completed']);
  });

  it('without a reference pays the only payment that awaits this exact amount', async () => {
    const payment = await waiting();
    const { body } = await lab.credit({ amount: payment.amount, sender_name: 'Ada' });
    expect(body).toMatchObject({ status: 'matched', payment: payment.id, sender: 'Ada' });
  });

  it.each(['rent', 'INV-0046', '0000-0000-00000', 'x'])('that says “%s” never pays by its amount', async reference => {
    const payment = await waiting();
    const { body } = await lab.credit({ reference, amount: payment.amount });
    expect(body).toMatchObject({ status: 'unmatched', payment: null, reference });
    expect((await lab.read(payment.id)).amount_received).toBe(0);
  });

  it.each([' ', 'NOTPROVIDED'])(
    'with the reference “%s” of a bank that knows none pays by its amount',
    async reference => {
      const payment = await waiting();
      expect((await lab.credit({ reference, amount: payment.amount })).body).toMatchObject({ payment: payment.id });
    },
  );

  it('is never matched by amount when the account says so', async () => {
    const setting = (match_bank_credits_by_amount: boolean) =>
      lab.request('PATCH /v1/account', { body: { match_bank_credits_by_amount } });
    expect((await setting(false)).body.match_bank_credits_by_amount).toBe(false);
    const payment = await waiting();
    const { body } = await lab.credit({ amount: payment.amount });
    await setting(true);
    expect(body).toMatchObject({ status: 'unmatched', payment: null });
  });

  it('without a reference is unmatched when two payments or none await the amount', async () => {
    const amount = freshAmount();
    const [one, two] = [await waiting({ amount }), await waiting({ amount })];
    for (const paid of [amount, 1_234_567]) {
      const { body } = await lab.credit({ amount: paid });
      expect(body).toMatchObject({ status: 'unmatched', payment: null, amount_applied: 0 });
      expect(await lab.eventsOf(body.id)).toEqual(['transfer.unmatched']);
      expect((await transfersOf('unmatched')).map(({ id }) => id)).toContain(body.id);
    }
    expect([(await lab.read(one.id)).amount_received, (await lab.read(two.id)).amount_received]).toEqual([0, 0]);
    await pay(two, amount);
    await lab.credit({ amount });
    expect((await lab.read(one.id)).status).toBe('completed');
  });

  it('may be partial, and each one reduces the remaining amount', async () => {
    const payment = await waiting({ amount: 12_840 });
    await pay(payment, 8_000);
    const partly = await lab.read(payment.id);
    expect(partly).toMatchObject({
      status: 'pending',
      phase: 'partially_paid',
      exception: 'underpaid',
      amount_received: 8_000,
    });
    expect(instructionsOf(partly)).toMatchObject({ reference: referenceOf(payment), amount: 4_840 });
    expect(fieldsOf(partly).amount).toBe('48.40');
    await pay(payment, 2_000);
    expect(instructionsOf(await lab.read(payment.id)).amount).toBe(2_840);
    await lab.credit({ amount: 2_840 });
    const done = { status: 'completed', exception: null, amount_received: 12_840, settlement: { status: 'pending' } };
    expect(await lab.read(payment.id)).toMatchObject(done);
    const partial = 'payment.partially_paid';
    expect(await lab.eventsOf(payment.id)).toEqual(['payment.created', partial, partial, 'payment.completed']);
  });

  it('may be partial, and a card pays the rest', async () => {
    const payment = await waiting({ amount: 12_840 });
    await pay(payment, 10_000);
    expect((await lab.payByCard(payment.id, 'tok_declined')).status).toBe(402);
    expect(await lab.read(payment.id)).toMatchObject({ phase: 'partially_paid', amount_received: 10_000 });
    const { body } = await lab.payByCard(payment.id);
    expect(body).toMatchObject({ status: 'completed', method: 'card', amount_received: 12_840, exception: null });
  });

  describe('of a part that the merchant tolerates afterwards', () => {
    const tolerate = (units: number) => lab.request('PATCH /v1/account', { body: { tolerance: { units } } });
    afterEach(() => tolerate(1));

    it('leaves the bank as a way to pay the rest', async () => {
      const payment = await waiting({ amount: 12_840 });
      await pay(payment, 2);
      await tolerate(5);
      const again = await lab.payByBank(payment.id);
      expect([again.status, again.body.phase], again.text).toEqual([200, 'partially_paid']);
      expect(instructionsOf(again.body).amount).toBe(12_838);
      await pay(payment, 12_838);
      expect(await lab.read(payment.id)).toMatchObject({ phase: 'paid', exception: null, amount_received: 12_840 });
    });

    it.each([
      ['partially_paid', 'accept', 'paid'],
      ['partially_paid', 'refund', 'canceled'],
      ['authorized', 'accept', 'paid'],
      ['authorized', 'refund', 'canceled'],
    ])('still needs a decision: %s, %s', async (phase, action, ended) => {
      const payment = await waiting({ amount: 12_840, capture_method: 'manual' });
      if (phase === 'authorized') await lab.payByCard(payment.id);
      await pay(payment, 2);
      await tolerate(5);
      expect(await lab.read(payment.id)).toMatchObject({ phase, exception: 'underpaid', requires_decision: true });
      const { body } = await lab.act(payment.id, 'resolve', { action });
      expect(body).toMatchObject({ phase: ended, exception: null, amount_received: 2 });
    });
  });

  it('and a card are the two parts that the payer and the merchant see', async () => {
    const { client_secret: secret = '', ...made } = await lab.create({ amount: 12_840 });
    const payment: Payment = (await lab.payByBank(made.id)).body;
    expect(payment.received).toEqual([]);
    await pay(payment, 6_420);
    await lab.payByCard(payment.id);
    const part = { chain: null, asset: 'EUR', amount: '64.20', credited: 6_420, tx_hash: null, at: expect.any(String) };
    const parts = [
      { ...part, method: 'bank_transfer', rail: 'sepa', card: null },
      { ...part, method: 'card', rail: 'sandbox_card', card: { brand: 'visa', last4: '4242' } },
    ];
    const headers = { 'pay-client-secret': secret };
    const payer = await lab.request(`GET /v1/payments/${payment.id}`, { key: lab.merchant.publishableKey, headers });
    expect([payer.body.received, (await lab.read(payment.id)).received]).toEqual([parts, parts]);
    const { data } = (await lab.request(`GET /v1/events?resource=${payment.id}&type=payment.completed`)).body;
    expect(data[0].data.object.received).toEqual(parts);
  });

  it('in dollars for euros is a part with both amounts', async () => {
    const payment = await waiting({ amount: 12_840 }, 'ach');
    await pay(payment, 6_999, { currency: 'USD' });
    const [part] = (await lab.read(payment.id)).received;
    expect(part).toMatchObject({ rail: 'ach', asset: 'USD', amount: '69.99', credited: 6_420 });
  });

  it('within the tolerance pays; beyond it the exception is reported', async () => {
    const paid = async (amount: number) => {
      const payment = await waiting({ amount: 10_000 });
      await pay(payment, amount);
      const { phase, exception } = await lab.read(payment.id);
      return [phase, exception];
    };
    expect(await paid(9_950)).toEqual(['paid', null]);
    expect(await paid(9_949)).toEqual(['partially_paid', 'underpaid']);
    expect(await paid(10_050)).toEqual(['paid', null]);
    expect(await paid(10_051)).toEqual(['paid', 'overpaid']);
  });

  it('under the same bank reference is counted once', async () => {
    const payment = await waiting();
    const first = await pay(payment, 1_000, { bank_reference: 'E2E-1' });
    const again = await pay(payment, 1_000, { bank_reference: 'E2E-1' });
    expect(again.body.id).toBe(first.body.id);
    expect((await lab.read(payment.id)).amount_received).toBe(1_000);
  });

  it('is booked once, also after the service lost its cursor and reads the whole list again', async () => {
    const payment = await waiting();
    await pay(payment, 1_000);
    const before = [await lab.read(payment.id), await lab.balance()];
    await lab.database.pool.query("update rail_cursors set cursor = ''");
    expect(await lab.sweep('payments.credits')).toBeGreaterThan(0);
    expect([await lab.read(payment.id), await lab.balance()]).toEqual(before);
    expect(await lab.eventsOf(payment.id)).toEqual(['payment.created', 'payment.partially_paid']);
  });

  it('is booked once, however many readers of the bank’s list there are', async () => {
    const payment = await waiting();
    const answers = await Promise.all([
      ...Array.from({ length: 8 }, (_, i) => pay(payment, 1_000, { bank_reference: `MANY-${i % 4}` })),
      ...Array.from({ length: 4 }, () => lab.sweep('payments.credits')),
    ]);
    expect(answers.filter(answer => typeof answer === 'object' && answer.status !== 201)).toEqual([]);
    expect((await lab.read(payment.id)).amount_received).toBe(4_000);
  });

  it('above the due amount completes the payment, and the surplus waits for a decision', async () => {
    const payment = await waiting({ amount: 12_840 });
    const { 'pending EUR': pending = 0, 'suspense EUR': suspense = 0 } = await lab.balance();
    await pay(payment, 20_000);
    expect(await lab.read(payment.id)).toMatchObject({
      status: 'completed',
      exception: 'overpaid',
      amount_received: 20_000,
    });
    expect(await lab.balance()).toMatchObject({ 'pending EUR': pending + 12_840, 'suspense EUR': suspense + 7_160 });
    expect(await lab.eventsOf(payment.id)).toEqual(['payment.created', 'payment.completed', 'payment.overpaid']);
  });

  it('for a completed payment waits for a decision', async () => {
    const payment = await waiting();
    await lab.payByCard(payment.id);
    await pay(payment, payment.amount);
    expect(await lab.read(payment.id)).toMatchObject({
      status: 'completed',
      method: 'card',
      exception: 'overpaid',
      amount_received: 2 * payment.amount,
    });
  });

  it('after the end of the payment waits for a decision, in full or in part', async () => {
    for (const [end, phase, requoted] of [
      // Its quote ended long ago, so the first money gets the rate of its arrival.
      [() => lab.clock.advance(86_400), 'expired', ['payment.quote_refreshed']],
      [(id: string) => lab.act(id, 'cancel'), 'canceled', []],
    ] as const) {
      const payment = await waiting();
      await end(payment.id);
      await lab.sweep('payments.expire');
      await pay(payment, 5_000);
      await pay(payment, payment.amount);
      expect(await lab.read(payment.id)).toMatchObject({
        status: 'failed',
        phase,
        exception: 'paid_late',
        amount_received: payment.amount + 5_000,
      });
      const late = 'payment.paid_late';
      const events = ['payment.created', 'payment.failed', late, ...requoted, late];
      expect(await lab.eventsOf(payment.id)).toEqual(events);
    }
  });

  it('in dollars pays a payment in euros at its quote', async () => {
    const payment = await waiting({ amount: 12_840 }, 'ach');
    await pay(payment, 7_000, { currency: 'USD' });
    const partly = await lab.read(payment.id);
    expect([partly.amount_received, instructionsOf(partly).amount]).toEqual([6_421, 6_997]);
    await pay(payment, 6_997, { currency: 'USD' });
    expect(await lab.read(payment.id)).toMatchObject({ status: 'completed', amount_received: 12_840, exception: null });
  });

  it('in another currency than the account’s, or of zero, is refused by the bank', async () => {
    const payment = await waiting();
    expect(refusal(await pay(payment, 100, { currency: 'GBP' }))).toEqual([400, 'parameter_invalid', 'currency']);
    expect(refusal(await pay(payment, 0))).toEqual([400, 'invalid_amount', 'amount']);
  });

  it('in dollars with the reference of a SEPA payment is unmatched', async () => {
    const payment = await waiting();
    const { body } = await pay(payment, 777, { currency: 'USD' });
    expect(body).toMatchObject({ rail: 'ach', status: 'unmatched', payment: null });
    expect((await lab.read(payment.id)).amount_received).toBe(0);
  });

  it('is read in one batch when hundreds have arrived', async () => {
    const payment = await waiting({ amount: 500_000 });
    const values = Array.from(
      { length: 250 },
      (_, i) => `('sepa', ${100_000 + i}, $1, 'BULK-${i}', 1000, 'EUR', $2, null, now())`,
    );
    await lab.database.pool.query(`insert into sandbox.bank_credits values ${values.join(', ')}`, [
      lab.merchant.id,
      referenceOf(payment),
    ]);
    await lab.database.pool.query("update sandbox.bank_feeds set position = 100250 where rail = 'sepa'");
    expect(await lab.sweep('payments.credits')).toBe(250);
    expect(await lab.read(payment.id)).toMatchObject({ phase: 'partially_paid', amount_received: 250_000 });
  });
});

describe('the list of transfers', () => {
  it('contains all received transfers, filtered by status', async () => {
    const [matched, unmatched] = [await transfersOf('matched'), await transfersOf('unmatched')];
    expect(matched.every(({ payment }) => payment !== null)).toBe(true);
    const paid = await lab.createPaid();
    const of = async (id: string) => (await lab.request(`GET /v1/transfers?payment=${id}`)).body.data;
    expect((await of(paid.id)).map(({ payment }: Transfer) => payment)).toEqual([paid.id]);
    expect(unmatched.length).toBeGreaterThan(1);
    expect(unmatched.every(({ payment, status }) => payment === null && status === 'unmatched')).toBe(true);
    expect(refusal(await lab.request('GET /v1/transfers?status=lost'))).toEqual([400, 'parameter_invalid', 'status']);
  });
});

describe('the simulation of a bank transfer', () => {
  const simulate = (id: string, body: object = {}) => lab.act(id, 'simulate_bank_transfer', body);

  it('pays the due amount, or a part of it', async () => {
    const payment = await waiting();
    expect((await simulate(payment.id, { amount: 1_000 })).body).toMatchObject({
      phase: 'partially_paid',
      amount_received: 1_000,
    });
    expect((await simulate(payment.id)).body).toMatchObject({ status: 'completed', amount_received: payment.amount });
    expect(refusal(await simulate(payment.id))).toEqual([409, 'illegal_state', null]);
  });

  it('works for ACH, and requires bank instructions', async () => {
    expect((await simulate((await waiting({}, 'ach')).id)).body.status).toBe('completed');
    expect(refusal(await simulate((await lab.create()).id))).toEqual([409, 'illegal_state', null]);
  });
});
