import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { instructionsOf, refusal } from '../payments/payment-lab.ts';
import { type InvoiceLab, order, startInvoiceLab } from './invoice-lab.ts';

let lab: InvoiceLab;
beforeAll(async () => {
  lab = await startInvoiceLab({ merchant: { timezone: 'Pacific/Auckland' } });
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

describe('voiding an invoice', () => {
  it('keeps its number and ends its payability', async () => {
    const first = await lab.sent({ number_prefix: 'V' });
    const { status, body } = await lab.invoice(first.id, 'void');
    expect([status, body.status, body.number]).toEqual([200, 'void', 'V-0001']);
    expect(body.voided_at).toBe(lab.clock.now().toISOString());
    expect((await lab.sent({ number_prefix: 'V' })).number).toBe('V-0002');
    expect(refusal(await lab.invoice(first.id, 'payments'))).toEqual([409, 'illegal_state', null]);
    expect(refusal(await lab.invoice(first.id, 'void'))).toEqual([409, 'illegal_state', null]);
    expect(await lab.eventsOf(first.id)).toEqual(['invoice.created', 'invoice.sent', 'invoice.voided']);
  });

  it('cancels unstarted payments, even with a cent of dust', async () => {
    const { id } = await lab.sent();
    const [idle, waiting] = [await lab.start(id), await lab.start(id)];
    const { reference } = instructionsOf((await lab.payByBank(waiting.id)).body);
    await lab.credit({ reference, amount: 1 });
    expect((await lab.invoice(id, 'void')).body.status).toBe('void');
    for (const payment of [idle, waiting]) expect((await lab.read(payment.id)).phase).toBe('canceled');
    expect(refusal(await lab.payByCard(idle.id))[0]).toBe(409);
  });

  it('is refused while a payment is in flight', async () => {
    const { id } = await lab.sent();
    const payment = (await lab.payByBank((await lab.start(id)).id)).body;
    const { reference } = instructionsOf(payment);
    await lab.credit({ reference, amount: 5000 });
    expect((await lab.read(payment.id)).phase).toBe('partially_paid');
    expect(refusal(await lab.invoice(id, 'void'))).toEqual([409, 'payment_in_flight', null]);
    await lab.credit({ reference, amount: 6900 });
    expect(await lab.readInvoice(id)).toMatchObject({ status: 'paid', amount_paid: 11_900 });
  });

  it.each([1, 2, 3, 4, 5])('succeeds only if a concurrent card charge does not, and the reverse (%d)', async () => {
    const { id } = await lab.sent();
    const open = await lab.start(id);
    const [end, paid] = await Promise.all([lab.invoice(id, 'void'), lab.payByCard(open.id)]);
    const { status, amount_paid } = await lab.readInvoice(id);
    const outcome = [end.status, paid.status, status, amount_paid];
    expect([
      [200, 409, 'void', 0],
      [409, 200, 'paid', 11_900],
    ]).toContainEqual(outcome);
  });

  it('refuses to pay by a payment that was being created at that moment', async () => {
    const { id } = await lab.sent();
    const payment = await lab.start(id);
    // Hides the payment from the search for open payments, as if it were created just after that.
    await lab.database.pool.query(`update payments set owner_id = null where id = $1`, [payment.id]);
    await lab.invoice(id, 'void');
    await lab.database.pool.query(`update payments set owner_id = $2 where id = $1`, [payment.id, id]);
    expect(refusal(await lab.payByCard(payment.id))).toEqual([409, 'illegal_state', null]);
    expect(refusal(await lab.payByBank(payment.id))).toEqual([409, 'illegal_state', null]);
    expect(await lab.read(payment.id)).toMatchObject({ phase: 'awaiting_payer', amount_received: 0 });
  });

  it('leaves late money to the merchant, who can refund it', async () => {
    const { id } = await lab.sent();
    const payment = (await lab.payByBank((await lab.start(id)).id)).body;
    await lab.invoice(id, 'void');
    await lab.credit({ reference: instructionsOf(payment).reference, amount: 11_900 });
    expect(await lab.read(payment.id)).toMatchObject({
      status: 'failed',
      exception: 'paid_late',
      amount_received: 11_900,
    });
    expect(await lab.readInvoice(id)).toMatchObject({ status: 'void', amount_paid: 0 });
    expect((await lab.act(payment.id, 'resolve', { action: 'refund' })).status).toBe(200);
    await lab.sweep('outbound.send');
    expect(await lab.read(payment.id)).toMatchObject({ amount_refunded: 11_900 });
  });

  it('turns late money into credit when the merchant keeps it', async () => {
    const email = 'late@example.com';
    const { id } = await lab.sent({ customer: { email } });
    const payment = (await lab.payByBank((await lab.start(id)).id)).body;
    await lab.invoice(id, 'void');
    await lab.credit({ reference: instructionsOf(payment).reference, amount: 11_900 });
    expect((await lab.act(payment.id, 'resolve', { action: 'accept' })).status).toBe(200);
    expect(await lab.readInvoice(id)).toMatchObject({ status: 'void', amount_paid: 0, amount_overpaid: 11_900 });
    expect(await lab.creditOf(email)).toBe(11_900);
  });

  it('is refused for drafts and partly paid invoices', async () => {
    expect(refusal(await lab.invoice((await lab.draft()).id, 'void'))).toEqual([409, 'illegal_state', null]);
    const { id } = await lab.sent();
    await lab.payInvoice(id, 100);
    expect(refusal(await lab.invoice(id, 'void'))).toEqual([409, 'illegal_state', null]);
  });
});

describe('marking an invoice as uncollectible', () => {
  it('is reverted by a payment', async () => {
    const { id } = await lab.sent();
    const payment = (await lab.payByBank((await lab.start(id)).id)).body;
    expect((await lab.invoice(id, 'mark-uncollectible')).body.status).toBe('uncollectible');
    expect(refusal(await lab.invoice(id, 'payments'))).toEqual([409, 'illegal_state', null]);
    await lab.credit({ reference: instructionsOf(payment).reference, amount: 11_900 });
    expect(await lab.readInvoice(id)).toMatchObject({ status: 'paid', amount_paid: 11_900 });
    const types = ['invoice.created', 'invoice.sent', 'invoice.uncollectible', 'invoice.paid'];
    expect(await lab.eventsOf(id)).toEqual(types);
  });

  it('is refused for drafts and paid invoices', async () => {
    expect(refusal(await lab.invoice((await lab.draft()).id, 'mark-uncollectible'))[0]).toBe(409);
    const { id } = await lab.sent();
    await lab.payInvoice(id);
    expect(refusal(await lab.invoice(id, 'mark-uncollectible'))[0]).toBe(409);
  });
});

describe('an unpaid invoice', () => {
  /** The last minute of a day in Auckland, 13 hours ahead in November. */
  const lastMinute = (day: string) => new Date(`${day}T10:59:30Z`).getTime();
  const until = (time: number) => lab.clock.advance((time - lab.clock.now().getTime()) / 1000);

  it('becomes overdue once, at the start of the merchant’s day after the due date', async () => {
    const { id } = await lab.sent({ due_date: '2026-11-15' });
    until(lastMinute('2026-11-15'));
    await lab.sweep('invoices.overdue');
    expect((await lab.readInvoice(id)).status).toBe('sent');
    lab.clock.advance(60);
    await lab.sweep('invoices.overdue');
    await lab.sweep('invoices.overdue');
    expect((await lab.readInvoice(id)).status).toBe('overdue');
    expect(await lab.eventsOf(id)).toEqual(['invoice.created', 'invoice.sent', 'invoice.overdue']);
    expect(await lab.payInvoice(id)).toMatchObject({ status: 'paid' });
  });

  it('becomes overdue with each instalment, and is on time in between', async () => {
    const { id } = await lab.sent({
      due_date: '2026-12-15',
      installments: [
        { due_date: '2026-11-20', amount: 4000 },
        { due_date: '2026-12-15', amount: 7900 },
      ],
    });
    until(lastMinute('2026-11-20') + 60_000);
    await lab.sweep('invoices.overdue');
    expect(await lab.readInvoice(id)).toMatchObject({
      status: 'overdue',
      installments: [{ status: 'overdue' }, { status: 'open' }],
    });
    expect(await lab.payInvoice(id, 3000)).toMatchObject({ status: 'overdue', amount_paid: 3000 });
    expect(await lab.payInvoice(id)).toMatchObject({ status: 'partially_paid', amount_paid: 4000 });
    until(lastMinute('2026-12-15') + 60_000);
    await lab.sweep('invoices.overdue');
    expect(await lab.payInvoice(id)).toMatchObject({ status: 'paid' });
    expect(await lab.eventsOf(id)).toEqual([
      ...['invoice.created', 'invoice.sent', 'invoice.overdue', 'invoice.partially_paid'],
      ...['invoice.partially_paid', 'invoice.overdue', 'invoice.paid'],
    ]);
  });

  it('is on time until the end of its due date, whatever happens on that day', async () => {
    const day = '2026-12-20';
    const { id } = await lab.sent({
      due_date: '2026-12-31',
      installments: [
        { due_date: day, amount: 4000 },
        { due_date: '2026-12-31', amount: 7900 },
      ],
    });
    until(lastMinute(day));
    expect(await lab.payInvoice(id, 1000)).toMatchObject({
      status: 'partially_paid',
      installments: [{ status: 'partially_paid' }, { status: 'open' }],
    });
    await lab.sweep('invoices.overdue');
    expect((await lab.readInvoice(id)).status).toBe('partially_paid');
    lab.clock.advance(60);
    expect(await lab.payInvoice(id, 1000)).toMatchObject({
      status: 'overdue',
      installments: [{ status: 'overdue' }, { status: 'open' }],
    });
  });

  it('goes by the merchant’s test clock', async () => {
    const merchant = await lab.addMerchant();
    const call = (path: `${string} /${string}`, body?: unknown) => lab.request(path, { key: merchant.secretKey, body });
    const { id } = (await call('POST /v1/invoices', { ...order, due_date: undefined, days_until_due: 5 })).body;
    await call(`POST /v1/invoices/${id}/send`, {});
    await call('POST /v1/test_helpers/clock', { advance: 'P7D' });
    await lab.sweep('invoices.overdue');
    expect((await call(`GET /v1/invoices/${id}`)).body.status).toBe('overdue');
  });
});
