import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { instructionsOf, refusal } from '../payments/payment-lab.ts';
import { type InvoiceLab, startInvoiceLab } from './invoice-lab.ts';

let lab: InvoiceLab;
beforeAll(async () => {
  lab = await startInvoiceLab();
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const thirds = [
  { due_date: '2026-11-10', percent: '33.3333' },
  { due_date: '2026-11-20', percent: '33.3333' },
  { due_date: '2026-11-30', percent: '33.3334' },
];

describe('paying an invoice', () => {
  it('creates a separate payment, which completes it', async () => {
    const { id, number } = await lab.sent({ settlement_asset: 'XLM', payment_methods: ['card'] });
    const payment = await lab.start(id);
    expect(payment).toMatchObject({
      amount: 11_900,
      currency: 'EUR',
      invoice: id,
      reference: number,
      settlement_asset: 'XLM',
      payment_methods: ['card'],
      created_via: 'server',
      status: 'pending',
    });
    expect(payment.customer).toMatchObject({ email: 'ada@example.com', name: 'Ada Lovelace' });
    expect((await lab.payByCard(payment.id)).body.status).toBe('completed');
    expect(await lab.readInvoice(id)).toMatchObject({
      status: 'paid',
      amount_paid: 11_900,
      amount_remaining: 0,
      amount_overpaid: 0,
      paid_at: expect.any(String),
    });
    expect(await lab.eventsOf(id)).toEqual(['invoice.created', 'invoice.sent', 'invoice.paid']);
    expect(await lab.transactions(id)).toMatchObject([
      { type: 'payment', amount: 11_900, payment: payment.id, method: 'card', currency: 'EUR' },
    ]);
    const { data } = (await lab.request(`GET /v1/invoices/${id}/payments`)).body;
    expect(data).toMatchObject([{ id: payment.id, invoice: id }]);
  });

  it('follows the instalments: without an amount it pays the next one due', async () => {
    const { id } = await lab.sent({ installments: thirds });
    expect((await lab.start(id)).amount).toBe(3967);
    expect(await lab.payInvoice(id, 5000)).toMatchObject({
      status: 'partially_paid',
      amount_paid: 5000,
      amount_remaining: 6900,
      installments: [
        { amount: 3967, amount_paid: 3967, status: 'paid' },
        { amount: 3966, amount_paid: 1033, status: 'partially_paid' },
        { amount: 3967, amount_paid: 0, status: 'open' },
      ],
    });
    expect((await lab.start(id)).amount).toBe(2933);
    expect(await lab.payInvoice(id)).toMatchObject({ status: 'partially_paid', amount_remaining: 3967 });
    expect(await lab.payInvoice(id)).toMatchObject({ status: 'paid', amount_remaining: 0 });
    const types = [
      'invoice.created',
      'invoice.sent',
      'invoice.partially_paid',
      'invoice.partially_paid',
      'invoice.paid',
    ];
    expect(await lab.eventsOf(id)).toEqual(types);
  });

  it('credits the excess of concurrent payments', async () => {
    const email = 'excess@example.com';
    const { id } = await lab.sent({ customer: { email } });
    const payments = await Promise.all([lab.start(id, 8000), lab.start(id, 8000), lab.start(id, 8000)]);
    const instructions = await Promise.all(
      payments.map(async each => instructionsOf((await lab.payByBank(each.id)).body)),
    );
    await Promise.all(instructions.map(({ reference }) => lab.credit({ reference, amount: 8000 })));
    expect(await lab.readInvoice(id)).toMatchObject({
      status: 'paid',
      amount_paid: 11_900,
      amount_remaining: 0,
      amount_overpaid: 12_100,
    });
    const entries = await lab.transactions(id);
    expect(entries.map(({ amount, amount_overpaid }) => amount + amount_overpaid)).toEqual([8000, 8000, 8000]);
    expect(entries.map(({ amount }) => amount).sort()).toEqual([0, 3900, 8000]);
    expect(await lab.eventsOf(id)).toEqual([
      ...['invoice.created', 'invoice.sent', 'invoice.partially_paid'],
      ...['invoice.paid', 'invoice.overpaid', 'invoice.overpaid'],
    ]);
    expect(await lab.creditOf(email)).toBe(12_100);
    const next = await lab.sent({ customer: { email } });
    expect(next).toMatchObject({ status: 'paid', amount_paid: 11_900, amount_remaining: 0 });
    expect(await lab.transactions(next.id)).toMatchObject([{ type: 'credit_applied', amount: 11_900 }]);
    expect(await lab.creditOf(email)).toBe(200);
    expect(await lab.sent({ customer: { email } })).toMatchObject({
      status: 'partially_paid',
      amount_remaining: 11_700,
    });
    expect(await lab.creditOf(email)).toBe(0);
  });

  it('spends a credit once, also in concurrent payments', async () => {
    const email = 'once@example.com';
    const { id } = await lab.sent({ customer: { email } });
    await lab.invoice(id, 'record-payment', { amount: 21_900 });
    expect(await lab.creditOf(email)).toBe(10_000);
    // Different number prefixes, so that only the credit's lock orders these transactions.
    const invoices = await Promise.all(
      ['A', 'B', 'C', 'D', 'E'].map(number_prefix => lab.sent({ customer: { email }, number_prefix })),
    );
    expect(invoices.reduce((sum, { amount_paid }) => sum + amount_paid, 0)).toBe(10_000);
    expect(await lab.creditOf(email)).toBe(0);
  });

  it('spends a credit only on invoices in its own currency', async () => {
    const email = 'abroad@example.com';
    const { id } = await lab.sent({ customer: { email } });
    await lab.invoice(id, 'record-payment', { amount: 21_900 });
    const abroad = await lab.sent({ customer: { email }, currency: 'USD' });
    expect(abroad).toMatchObject({ status: 'sent', amount_paid: 0 });
    expect(await lab.creditOf(email)).toBe(10_000);
  });

  it.each([
    ['more than is left', { amount: 11_901 }, 400, 'amount_out_of_range', 'amount'],
    ['nothing', { amount: 0 }, 400, 'invalid_amount', 'amount'],
    ['a part of a cent', { amount: 0.5 }, 400, 'invalid_amount', 'amount'],
    ['a way it does not take', { payment_methods: ['crypto'] }, 400, 'payment_method_not_allowed', 'payment_methods'],
  ])('is refused for %s', async (_, body, ...wanted) => {
    const { id } = await lab.sent({ payment_methods: ['card', 'bank_transfer'] });
    expect(refusal(await lab.invoice(id, 'payments', body))).toEqual(wanted);
  });

  it('is refused for drafts and paid invoices', async () => {
    expect(refusal(await lab.invoice((await lab.draft()).id, 'payments'))).toEqual([409, 'illegal_state', null]);
    const { id } = await lab.sent();
    await lab.payInvoice(id);
    expect(refusal(await lab.invoice(id, 'payments'))).toEqual([409, 'illegal_state', null]);
  });

  it('asks for an e-mail address when the invoice has none', async () => {
    const { id, customer } = await lab.sent({ customer: { name: 'Somebody' } });
    expect(customer).toMatchObject({ id: null, email: null });
    expect(refusal(await lab.invoice(id, 'payments'))).toEqual([400, 'parameter_missing', 'customer.email']);
    const { body } = await lab.invoice(id, 'payments', { customer: { email: 'somebody@example.com' } });
    expect(body.customer.email).toBe('somebody@example.com');
  });

  it('accepts a bank transfer that is short by at most the tolerance as full payment', async () => {
    const { id } = await lab.sent();
    const { reference } = instructionsOf((await lab.payByBank((await lab.start(id)).id)).body);
    await lab.credit({ reference, amount: 11_899 });
    expect(await lab.readInvoice(id)).toMatchObject({ status: 'paid', amount_paid: 11_900 });
  });

  it('keeps a part that arrives by bank after its quote and after the invoice was paid', async () => {
    const { id } = await lab.sent();
    const late = (await lab.payByBank((await lab.start(id)).id)).body;
    const { reference } = instructionsOf(late);
    expect((await lab.invoice(id, 'record-payment')).body.status).toBe('paid');
    lab.clock.advance(1_800);
    const { status } = (await lab.credit({ reference, amount: 5_000 })).body;
    expect(status).toBe('matched');
    expect(await lab.read(late.id)).toMatchObject({ amount_received: 5_000, phase: 'partially_paid' });
  });

  it('counts a short transfer only when it is complete or accepted', async () => {
    const { id } = await lab.sent();
    const payment = (await lab.payByBank((await lab.start(id)).id)).body;
    const { reference } = instructionsOf(payment);
    await lab.credit({ reference, amount: 5000 });
    expect(await lab.readInvoice(id)).toMatchObject({ status: 'sent', amount_paid: 0 });
    expect((await lab.act(payment.id, 'resolve', { action: 'accept' })).status).toBe(200);
    expect(await lab.readInvoice(id)).toMatchObject({
      status: 'partially_paid',
      amount_paid: 5000,
      amount_remaining: 6900,
    });
    // The payment is completed with the received amount. Another payment pays the rest of the invoice.
    expect(await lab.read(payment.id)).toMatchObject({
      status: 'completed',
      phase: 'paid',
      amount: 11_900,
      amount_received: 5000,
      amount_refunded: 0,
    });
    expect(refusal(await lab.act(payment.id, 'refunds', { amount: 5001 }))[1]).toBe('refund_exceeds_payment');
    expect(await lab.payInvoice(id)).toMatchObject({ status: 'paid', amount_paid: 11_900, amount_overpaid: 0 });
    await lab.refund(payment.id);
    expect(await lab.readInvoice(id)).toMatchObject({ amount_paid: 11_900, amount_refunded: 5000, amount_overpaid: 0 });
    expect(await lab.read(payment.id)).toMatchObject({ status: 'refunded', amount_refunded: 5000 });
  });

  it('credits the surplus of a transfer when the merchant keeps it, but not a refunded one', async () => {
    const email = 'top@example.com';
    const over = async () => {
      const { id } = await lab.sent({ customer: { email } });
      const payment = (await lab.payByBank((await lab.start(id)).id)).body;
      await lab.credit({ reference: instructionsOf(payment).reference, amount: 13_900 });
      expect(await lab.readInvoice(id)).toMatchObject({ status: 'paid', amount_paid: 11_900, amount_overpaid: 0 });
      return { id, payment: payment.id };
    };
    const sentBack = await over();
    await lab.act(sentBack.payment, 'resolve', { action: 'refund' });
    await lab.sweep('outbound.send');
    expect(await lab.readInvoice(sentBack.id)).toMatchObject({ amount_overpaid: 0, amount_refunded: 0 });
    const kept = await over();
    await lab.act(kept.payment, 'resolve', { action: 'accept' });
    expect(await lab.readInvoice(kept.id)).toMatchObject({ amount_paid: 11_900, amount_overpaid: 2000 });
    expect(await lab.creditOf(email)).toBe(2000);
  });

  it('stays paid after a refund: the refunded amount is listed separately, and reduces the credit', async () => {
    const email = 'refunded@example.com';
    const { id } = await lab.sent({ customer: { email } });
    const [first, second] = await Promise.all([lab.start(id, 11_900), lab.start(id, 11_900)]);
    const { reference } = instructionsOf((await lab.payByBank(second.id)).body);
    await lab.payByCard(first.id);
    lab.clock.advance(1);
    await lab.credit({ reference, amount: 11_900 });
    expect(await lab.creditOf(email)).toBe(11_900);
    lab.clock.advance(1);
    await lab.refund(second.id);
    expect(await lab.creditOf(email)).toBe(0);
    expect(await lab.readInvoice(id)).toMatchObject({
      status: 'paid',
      amount_paid: 11_900,
      amount_overpaid: 0,
      amount_refunded: 11_900,
    });
    lab.clock.advance(1);
    await lab.refund(first.id, { amount: 1900 });
    expect(await lab.readInvoice(id)).toMatchObject({ status: 'paid', amount_paid: 11_900, amount_refunded: 13_800 });
    expect(
      (await lab.transactions(id)).map(({ type, amount, amount_overpaid }) => [type, amount, amount_overpaid]),
    ).toEqual([
      ['payment', 11_900, 0],
      ['payment', 0, 11_900],
      ['refund', 0, -11_900],
      ['refund', -1900, 0],
    ]);
  });
});

describe('a failed refund', () => {
  /** An invoice paid by card and by a transfer of the whole amount. The transfer becomes credit. */
  const paidTwice = async (email: string, token: string) => {
    const { id } = await lab.sent({ customer: { email } });
    const [transfer, card] = [await lab.start(id), await lab.start(id)];
    const { reference } = instructionsOf((await lab.payByBank(transfer.id)).body);
    expect((await lab.payByCard(card.id, token)).body.status).toBe('completed');
    await lab.credit({ reference, amount: 11_900 });
    expect(await lab.creditOf(email)).toBe(11_900);
    return { id, card: card.id };
  };

  /** A refund that the acquirer reports as failed half a minute later. */
  const failedRefund = async (payment: string, body: object = {}) => {
    expect((await lab.refund(payment, body)).status).toBe('pending');
    lab.clock.advance(31);
    await lab.sweep('outbound.send');
    const { data } = (await lab.request(`GET /v1/payments/${payment}/refunds`)).body;
    expect(data[0].status).toBe('failed');
  };

  it('restores the credit that it used', async () => {
    const email = 'failed@example.com';
    const { id, card } = await paidTwice(email, 'tok_refund_failed');
    await failedRefund(card);
    expect((await lab.read(card)).phase).toBe('paid');
    expect(await lab.readInvoice(id)).toMatchObject({
      status: 'paid',
      amount_paid: 11_900,
      amount_overpaid: 11_900,
      amount_refunded: 0,
    });
    expect(await lab.creditOf(email)).toBe(11_900);
  });

  it('restores the credit from a credit note, and releases the amount', async () => {
    const email = 'half-failed@example.com';
    const { id } = await lab.sent({ customer: { email } });
    const payment = await lab.start(id);
    await lab.payByCard(payment.id, 'tok_refund_failed');
    const note = await lab.invoice(id, 'credit-notes', { amount: 4000 });
    expect(note.body.amount_to_credit).toBe(4000);
    await failedRefund(payment.id, { amount: 5000 });
    expect(await lab.creditOf(email)).toBe(4000);
    expect(await lab.readInvoice(id)).toMatchObject({ amount_overpaid: 0, amount_refunded: 0 });
    // The restored credit pays the next invoice, and later credit notes of this invoice can give credit.
    expect((await lab.invoice(id, 'credit-notes', { amount: 900 })).body.amount_to_credit).toBe(900);
    expect((await lab.sent({ customer: { email } })).amount_paid).toBe(4900);
  });

  it('creates credit from an amount that a credit note had counted as refunded', async () => {
    const email = 'noted@example.com';
    const { id } = await lab.sent({ customer: { email } });
    const payment = await lab.start(id);
    await lab.payByCard(payment.id, 'tok_refund_failed');
    await lab.refund(payment.id, { amount: 5000 });
    expect((await lab.invoice(id, 'credit-notes', { amount: 4000 })).body.amount_to_credit).toBe(0);
    lab.clock.advance(31);
    await lab.sweep('outbound.send');
    expect(await lab.creditOf(email)).toBe(4000);
    expect(await lab.readInvoice(id)).toMatchObject({ amount_overpaid: 0, amount_refunded: 0 });
    expect((await lab.invoice(id, 'credit-notes', { amount: 500 })).body.amount_to_credit).toBe(500);
    expect(await lab.creditOf(email)).toBe(4500);
  });
});

describe('external payments', () => {
  it('are recorded, partial or full, with their source', async () => {
    const { id } = await lab.sent();
    const part = await lab.invoice(id, 'record-payment', {
      amount: 1900,
      method: 'cash',
      reference: 'till 7',
      paid_at: '2026-11-01T10:00:00Z',
    });
    expect(part.body).toMatchObject({ status: 'partially_paid', amount_paid: 1900 });
    lab.clock.advance(1);
    expect((await lab.invoice(id, 'record-payment')).body).toMatchObject({ status: 'paid', amount_paid: 11_900 });
    expect(await lab.transactions(id)).toMatchObject([
      {
        type: 'recorded_payment',
        amount: 1900,
        method: 'cash',
        reference: 'till 7',
        paid_at: '2026-11-01T10:00:00.000Z',
      },
      { type: 'recorded_payment', amount: 10_000, method: 'other', reference: null },
    ]);
    expect(refusal(await lab.invoice(id, 'record-payment'))).toEqual([409, 'illegal_state', null]);
  });

  it('are recorded once for an Idempotency-Key', async () => {
    const { id } = await lab.sent();
    const request = { body: { amount: 1000 }, headers: { 'idempotency-key': 'cash-1' } };
    await Promise.all([1, 2, 3].map(() => lab.request(`POST /v1/invoices/${id}/record-payment`, request)));
    expect(await lab.readInvoice(id)).toMatchObject({ amount_paid: 1000 });
  });

  it('may not be dated in the future', async () => {
    const { id } = await lab.sent();
    const answer = await lab.invoice(id, 'record-payment', { paid_at: '2030-01-01T00:00:00Z' });
    expect(refusal(answer)).toEqual([400, 'parameter_invalid', 'paid_at']);
  });
});

describe('a dispute of an invoice’s payment', () => {
  const dispute = async (payment: string, amount: number) => {
    const body = { payment, amount };
    expect((await lab.request('POST /v1/test_helpers/cards/disputes', { body })).status).toBe(201);
    return (await lab.request(`GET /v1/disputes?payment=${payment}`)).body.data[0].id as string;
  };
  const win = async (id: string) => {
    await lab.request(`POST /v1/disputes/${id}/evidence`, { body: { explanation: 'It was delivered.' } });
    lab.clock.advance(120);
    await lab.sweep('payments.disputes');
  };
  const paidInvoice = async () => {
    const { id } = await lab.sent({ payment_methods: ['card'] });
    const payment = await lab.start(id);
    expect((await lab.payByCard(payment.id)).body.status).toBe('completed');
    return { id, payment: payment.id };
  };

  it('opens the invoice again, and a won one pays it again', async () => {
    const { id, payment } = await paidInvoice();
    lab.clock.advance(1);
    const opened = await dispute(payment, 11_900);
    expect(await lab.readInvoice(id)).toMatchObject({
      status: 'sent',
      amount_paid: 0,
      amount_remaining: 11_900,
      amount_refunded: 0,
      paid_at: null,
    });
    await win(opened);
    expect(await lab.readInvoice(id)).toMatchObject({ status: 'paid', amount_paid: 11_900, amount_remaining: 0 });
    expect(await lab.eventsOf(id)).toEqual([
      ...['invoice.created', 'invoice.sent', 'invoice.paid', 'invoice.reopened', 'invoice.paid'],
    ]);
    expect((await lab.transactions(id)).map(({ type, amount }) => [type, amount])).toEqual([
      ...[
        ['payment', 11_900],
        ['dispute', -11_900],
        ['dispute', 11_900],
      ],
    ]);
  });

  it('lets the customer pay again; the money of a won one is then credit', async () => {
    const { id, payment } = await paidInvoice();
    const opened = await dispute(payment, 4_000);
    expect(await lab.readInvoice(id)).toMatchObject({ status: 'partially_paid', amount_remaining: 4_000 });
    const second = await lab.start(id);
    expect(second.amount).toBe(4_000);
    expect((await lab.payByCard(second.id)).body.status).toBe('completed');
    expect((await lab.readInvoice(id)).status).toBe('paid');
    await win(opened);
    expect(await lab.readInvoice(id)).toMatchObject({ status: 'paid', amount_paid: 11_900, amount_overpaid: 4_000 });
  });
});
