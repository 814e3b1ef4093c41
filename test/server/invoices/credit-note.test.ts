import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CreditNote } from '../../../src/api/invoice/invoice-money.ts';
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

const credit = async (id: string, body?: object): Promise<CreditNote> => {
  const answer = await lab.invoice(id, 'credit-notes', body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};

describe('a credit note', () => {
  it('reduces the amount due, with its share of taxes and its own number', async () => {
    const { id } = await lab.sent();
    const note = await credit(id, { amount: 2380, reason: 'order_change', memo: 'One hour less' });
    expect(note).toMatchObject({
      object: 'credit_note',
      number: 'CN-0001',
      invoice: id,
      amount: 2380,
      currency: 'EUR',
      tax_total: 380,
      taxes: [{ name: 'VAT', percent: '19', base: 2000, amount: 380 }],
      amount_to_credit: 0,
    });
    expect(await lab.readInvoice(id)).toMatchObject({ status: 'sent', amount_credited: 2380, amount_remaining: 9520 });
    expect((await lab.request(`GET /v1/credit-notes/${note.id}`)).body).toEqual(note);
    expect((await lab.request(`GET /v1/invoices/${id}/credit-notes`)).body.data).toEqual([note]);
    expect(await lab.eventsOf(note.id)).toEqual(['credit_note.created']);
    expect(await lab.payInvoice(id)).toMatchObject({ status: 'paid', amount_paid: 9520, amount_credited: 2380 });
  });

  it('has a PDF', async () => {
    const { id } = await lab.sent();
    const note = await credit(id, { amount: 100 });
    const pdf = await lab.request(`GET /v1/credit-notes/${note.id}/pdf`);
    expect([pdf.status, pdf.headers['content-type'], pdf.text.slice(0, 5)]).toEqual([200, 'application/pdf', '%PDF-']);
  });

  it('returns the taxes of the invoice to the cent, however it is divided', async () => {
    const { id, taxes, tax_total } = await lab.sent({
      lines: [
        { description: 'a', unit_amount: 3333, tax: { name: 'VAT', percent: 19 } },
        { description: 'b', unit_amount: 1117, tax: { name: 'VAT', percent: 7, inclusive: true } },
      ],
    });
    const notes = [await credit(id, { amount: 1 }), await credit(id, { amount: 1234 }), await credit(id)];
    const sum = (of: (note: CreditNote) => number) => notes.reduce((total, note) => total + of(note), 0);
    expect(sum(note => note.tax_total)).toBe(tax_total);
    expect(taxes.map((_, index) => sum(note => note.taxes[index]?.amount ?? 0))).toEqual(taxes.map(tax => tax.amount));
    expect(taxes.map((_, index) => sum(note => note.taxes[index]?.base ?? 0))).toEqual(taxes.map(tax => tax.base));
  });

  it('over the full amount shows the amounts of the invoice, with the same rounding', async () => {
    const { id, taxes, tax_total } = await lab.sent({
      lines: [
        {
          description: 'a',
          unit_amount: 29,
          taxes: [
            { name: 'A', percent: 33, inclusive: true },
            { name: 'B', percent: 17, inclusive: true },
          ],
        },
      ],
    });
    expect(await credit(id)).toMatchObject({ taxes, tax_total });
  });

  it('includes its share of a compound tax', async () => {
    const { id } = await lab.sent({
      lines: [
        {
          description: 'a',
          unit_amount: 10_000,
          taxes: [
            { name: 'GST', percent: 5 },
            { name: 'QST', percent: 10, compound: true },
          ],
        },
      ],
    });
    expect((await credit(id, { amount: 1155 })).taxes).toMatchObject([
      { name: 'GST', base: 1000, amount: 50 },
      { name: 'QST', base: 1050, amount: 105 },
    ]);
  });

  it('over the full amount of an unpaid invoice voids it, and ends its reminders and payments', async () => {
    const { id } = await lab.sent();
    await credit(id);
    expect(await lab.readInvoice(id)).toMatchObject({ status: 'void', amount_credited: 11_900, amount_remaining: 0 });
    expect(refusal(await lab.invoice(id, 'payments'))[0]).toBe(409);
    expect(await lab.eventsOf(id)).toEqual(['invoice.created', 'invoice.sent', 'invoice.voided']);
  });

  it('creates credit from a paid amount', async () => {
    const email = 'credited@example.com';
    const { id } = await lab.sent({ customer: { email } });
    await lab.payInvoice(id, 10_000);
    const note = await credit(id, { amount: 5000 });
    expect(note.amount_to_credit).toBe(3100);
    expect(await lab.readInvoice(id)).toMatchObject({ status: 'paid', amount_paid: 10_000, amount_credited: 1900 });
    expect(await lab.creditOf(email)).toBe(3100);
    expect((await lab.sent({ customer: { email } })).amount_paid).toBe(3100);
  });

  it('creates no credit for an amount that was already refunded', async () => {
    const email = 'back@example.com';
    const { id } = await lab.sent({ customer: { email } });
    const payment = await lab.start(id);
    await lab.payByCard(payment.id);
    await lab.refund(payment.id, { amount: 5000 });
    expect((await credit(id, { amount: 4000 })).amount_to_credit).toBe(0);
    expect((await credit(id, { amount: 3000 })).amount_to_credit).toBe(2000);
    expect(await lab.creditOf(email)).toBe(2000);
  });

  it('gives up the credit for an amount that is refunded later', async () => {
    const email = 'after@example.com';
    const { id } = await lab.sent({ customer: { email } });
    const payment = await lab.start(id);
    await lab.payByCard(payment.id);
    await credit(id, { amount: 5000 });
    expect(await lab.creditOf(email)).toBe(5000);
    await lab.refund(payment.id, { amount: 5000 });
    expect(await lab.creditOf(email)).toBe(0);
    expect((await credit(id)).amount_to_credit).toBe(6900);
    expect(await lab.creditOf(email)).toBe(6900);
  });

  it('leaves no refund of credit that the customer has spent on another invoice', async () => {
    const email = 'spent@example.com';
    const { id } = await lab.sent({ customer: { email } });
    const payment = await lab.start(id);
    await lab.payByCard(payment.id);
    await credit(id, { amount: 5000 });
    expect((await lab.sent({ customer: { email } })).amount_paid).toBe(5000);
    for (const body of [{}, { amount: 6901 }]) {
      expect(refusal(await lab.act(payment.id, 'refunds', body))).toEqual([400, 'refund_exceeds_payment', 'amount']);
    }
    expect(await lab.read(payment.id)).toMatchObject({ phase: 'paid', amount_refunded: 0 });
    await lab.refund(payment.id, { amount: 6900 });
    expect(refusal(await lab.act(payment.id, 'refunds', { amount: 1 }))[1]).toBe('refund_exceeds_payment');
    expect((await credit(id)).amount_to_credit).toBe(0);
  });

  it.each([1, 2, 3])('is refunded or spent, when both are asked for at once (%i)', async round => {
    const email = `at-once${round}@example.com`;
    const { id } = await lab.sent({ customer: { email } });
    const payment = await lab.start(id);
    await lab.payByCard(payment.id);
    await credit(id);
    const other = await lab.draft({ customer: { email } });
    const [refund, sent] = await Promise.all([lab.act(payment.id, 'refunds'), lab.invoice(other.id, 'send')]);
    const [back, spent] = [refund.status === 201 ? refund.body.amount : 0, sent.body.amount_paid];
    expect([back, spent].toSorted()).toEqual([0, 11_900]);
    expect(await lab.creditOf(email)).toBe(0);
    await lab.sweep('outbound.send');
  });

  it('leaves no refund of an overpayment that the customer has spent, through either payment', async () => {
    const email = 'spent-twice@example.com';
    const { id } = await lab.sent({ customer: { email } });
    const [first, second] = [await lab.start(id), await lab.start(id)];
    const { reference } = instructionsOf((await lab.payByBank(second.id)).body);
    await lab.payByCard(first.id);
    await lab.credit({ reference, amount: 11_900 });
    expect(await lab.creditOf(email)).toBe(11_900);
    await lab.sent({ customer: { email }, lines: [{ description: 'a', unit_amount: 10_000 }] });
    expect(await lab.creditOf(email)).toBe(1900);
    await lab.refund(first.id);
    expect(refusal(await lab.act(second.id, 'refunds', { amount: 1901 }))[1]).toBe('refund_exceeds_payment');
    await lab.refund(second.id, { amount: 1900 });
    expect(await lab.readInvoice(id)).toMatchObject({ status: 'paid', amount_refunded: 13_800 });
  });

  it('above the invoice total, of a draft or of a void invoice is refused', async () => {
    const { id } = await lab.sent();
    await credit(id, { amount: 11_000 });
    expect(refusal(await lab.invoice(id, 'credit-notes', { amount: 901 }))).toEqual([
      400,
      'amount_out_of_range',
      'amount',
    ]);
    await credit(id);
    expect(refusal(await lab.invoice(id, 'credit-notes'))).toEqual([409, 'illegal_state', null]);
    expect(refusal(await lab.invoice((await lab.draft()).id, 'credit-notes'))).toEqual([409, 'illegal_state', null]);
  });
});

describe('a credit note over an overdue amount', () => {
  const parts = [
    { due_date: '2026-11-10', amount: 2000 },
    { due_date: '2026-11-30', amount: 9900 },
  ];
  let customers = 0;
  const newCustomer = () => ({ customer: { email: `overdue${customers++}@example.com` } });

  it('is not a payment: the invoice is no longer overdue, and the instalment shows the credited amount', async () => {
    const { id } = await lab.sent({ ...newCustomer(), installments: parts });
    lab.clock.advance(9 * 86_400);
    await lab.sweep('invoices.overdue');
    expect((await lab.readInvoice(id)).status).toBe('overdue');
    await credit(id, { amount: 2000 });
    expect(await lab.readInvoice(id)).toMatchObject({
      status: 'sent',
      amount_paid: 0,
      amount_credited: 2000,
      amount_remaining: 9900,
      installments: [
        { amount: 2000, amount_paid: 0, amount_credited: 2000, status: 'paid' },
        { amount: 9900, amount_paid: 0, amount_credited: 0, status: 'open' },
      ],
    });
    expect((await lab.eventsOf(id)).slice(-2)).toEqual(['invoice.overdue', 'invoice.updated']);
    // The invoice is overdue again when the next instalment is due.
    lab.clock.advance(20 * 86_400);
    await lab.sweep('invoices.overdue');
    expect((await lab.readInvoice(id)).status).toBe('overdue');
    lab.clock.advance(-29 * 86_400);
  });

  it('shows for a partly paid instalment both the paid and the credited amount', async () => {
    const { id } = await lab.sent({ ...newCustomer(), installments: parts });
    await credit(id, { amount: 1000 });
    expect((await lab.readInvoice(id)).installments).toMatchObject([
      { amount_paid: 0, amount_credited: 1000, status: 'open' },
      { amount_paid: 0, amount_credited: 0, status: 'open' },
    ]);
    expect((await lab.start(id)).amount).toBe(1000);
    expect((await lab.payInvoice(id, 5000)).installments).toMatchObject([
      { amount_paid: 2000, amount_credited: 0, status: 'paid' },
      { amount_paid: 3000, amount_credited: 1000, status: 'partially_paid' },
    ]);
  });
});
