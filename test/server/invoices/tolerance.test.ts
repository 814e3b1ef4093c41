import { afterAll, beforeAll, expect, it } from 'vitest';
import { instructionsOf } from '../payments/payment-lab.ts';
import { type InvoiceLab, startInvoiceLab } from './invoice-lab.ts';

let lab: InvoiceLab;
beforeAll(async () => {
  lab = await startInvoiceLab();
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

/** Pays a part by a transfer that is a cent short. */
async function payShort(id: string, amount: number): Promise<void> {
  const { reference } = instructionsOf((await lab.payByBank((await lab.start(id, amount)).id)).body);
  await lab.credit({ reference, amount: amount - 1 });
}

it('accepts a missing cent once, in any number of parts', async () => {
  const { id } = await lab.sent({
    lines: [{ description: 'Stickers', unit_amount: 20 }],
    allow_partial: true,
    payment_methods: ['bank_transfer'],
  });
  for (let part = 0; part < 5; part++) await payShort(id, 2);
  expect(await lab.readInvoice(id)).toMatchObject({ status: 'partially_paid', amount_paid: 6, amount_remaining: 14 });
});

it('accepts it in any of the parts', async () => {
  const { id } = await lab.sent({ allow_partial: true, payment_methods: ['card', 'bank_transfer'] });
  await payShort(id, 5000);
  expect(await lab.readInvoice(id)).toMatchObject({
    status: 'partially_paid',
    amount_paid: 5000,
    amount_remaining: 6900,
  });
  expect(await lab.payInvoice(id)).toMatchObject({ status: 'paid', amount_paid: 11_900, amount_remaining: 0 });
});

/** The credit is the overpaid amount. The tolerance forgives missing cents only while an amount is open. */
it.each([
  ['the whole', 11_900, 11_841],
  ['a part', 6_000, 5_941],
])('gives no credit for a missing amount after %s was paid', async (_, paid, credit) => {
  const email = `credit${paid}@example.com`;
  const { id } = await lab.sent({
    customer: { email },
    allow_partial: true,
    payment_methods: ['card', 'bank_transfer'],
  });
  const { reference } = instructionsOf((await lab.payByBank((await lab.start(id)).id)).body);
  await lab.payInvoice(id, paid);
  await lab.credit({ reference, amount: 11_841 });
  expect(await lab.readInvoice(id)).toMatchObject({ status: 'paid', amount_paid: 11_900, amount_overpaid: credit });
  expect(await lab.creditOf(email)).toBe(credit);
});

it('accepts at most the open amount', async () => {
  const { id } = await lab.sent({
    customer: { email: 'open@example.com' },
    allow_partial: true,
    payment_methods: ['card', 'bank_transfer'],
  });
  const { reference } = instructionsOf((await lab.payByBank((await lab.start(id)).id)).body);
  await lab.payInvoice(id, 30);
  await lab.credit({ reference, amount: 11_841 });
  expect(await lab.readInvoice(id)).toMatchObject({ status: 'paid', amount_paid: 11_900, amount_overpaid: 0 });
  // When the missing amount arrives late, the customer gets credit for the whole surplus.
  await lab.credit({ reference, amount: 100 });
  const payment = (
    await lab.request(`GET /v1/payments?reference=${(await lab.readInvoice(id)).number}`)
  ).body.data.find(({ amount }: { amount: number }) => amount === 11_900);
  expect((await lab.act(payment.id, 'resolve', { action: 'accept' })).status).toBe(200);
  expect(await lab.creditOf('open@example.com')).toBe(30 + 11_941 - 11_900);
});

it('credits only the received amount when the invoice is void', async () => {
  const email = 'canceled@example.com';
  const { id } = await lab.sent({ customer: { email } });
  const payment = (await lab.payByBank((await lab.start(id)).id)).body;
  await lab.invoice(id, 'void');
  await lab.credit({ reference: instructionsOf(payment).reference, amount: 11_841 });
  expect((await lab.act(payment.id, 'resolve', { action: 'accept' })).status).toBe(200);
  expect(await lab.creditOf(email)).toBe(11_841);
});

it('keeps an accepted shortfall after the tolerance was reduced and a refund failed', async () => {
  const { id } = await lab.sent({ customer: { email: 'kept@example.com' }, payment_methods: ['bank_transfer'] });
  const payment = (await lab.payByBank((await lab.start(id)).id)).body;
  const { reference } = instructionsOf(payment);
  await lab.credit({ reference, amount: 11_841, sender_name: 'Closed Account' });
  const paid = { status: 'paid', amount_paid: 11_900, amount_overpaid: 0, amount_refunded: 0 };
  expect(await lab.readInvoice(id)).toMatchObject(paid);
  const { tolerance } = (await lab.request('GET /v1/account')).body;
  const none = { percent: 0, units: 0 };
  expect((await lab.request('PATCH /v1/account', { body: { tolerance: none } })).body.tolerance).toEqual(none);
  await lab.refund(payment.id, { amount: 1_000 });
  expect(await lab.readInvoice(id)).toMatchObject(paid);
  await lab.request('PATCH /v1/account', { body: { tolerance } });
});

/** An invoice of 119.00, accepted with 0.59 missing. The 0.59 arrive later and wait for the merchant's decision. */
async function paidLate(sender: string) {
  const email = `${sender.replace(' ', '.')}@example.com`;
  const { id } = await lab.sent({ customer: { email }, payment_methods: ['bank_transfer'] });
  const payment = (await lab.payByBank((await lab.start(id)).id)).body;
  const { reference } = instructionsOf(payment);
  for (const amount of [11_841, 59]) await lab.credit({ reference, amount, sender_name: sender });
  return { id, email, paymentId: payment.id as string };
}

const resolve = async (paymentId: string, action: 'accept' | 'refund') => {
  const { status, text } = await lab.act(paymentId, 'resolve', { action });
  expect(status, text).toBe(200);
};

it('does not count the refund of a late amount that had been accepted as missing', async () => {
  const { id, paymentId } = await paidLate('Ada Lovelace');
  await resolve(paymentId, 'refund');
  await lab.sweep('outbound.send');
  const paid = { status: 'paid', amount_paid: 11_900, amount_overpaid: 0 };
  expect(await lab.readInvoice(id)).toMatchObject({ ...paid, amount_refunded: 0 });
  await lab.refund(paymentId, { amount: 1_000 });
  expect(await lab.readInvoice(id)).toMatchObject({ ...paid, amount_refunded: 1_000 });
  await lab.refund(paymentId);
  expect(await lab.readInvoice(id)).toMatchObject({ ...paid, amount_refunded: 11_841 });
});

it('replaces the accepted shortfall by the late amount when its refund failed', async () => {
  const { id, email, paymentId } = await paidLate('Closed Account');
  const before = await lab.transactions(id);
  await resolve(paymentId, 'refund');
  await lab.sweep('outbound.send');
  expect(await lab.transactions(id)).toEqual(before);
  await resolve(paymentId, 'accept');
  expect(await lab.transactions(id)).toEqual(before);
  expect(await lab.creditOf(email)).toBe(0);
  expect((await lab.refund(paymentId)).status).toBe('failed');
  expect(await lab.readInvoice(id)).toMatchObject({ amount_paid: 11_900, amount_overpaid: 0, amount_refunded: 0 });
});

it('does not accept it again after the missing amount arrived and was refunded', async () => {
  const { id } = await lab.sent({
    lines: [{ description: 'Stickers', unit_amount: 20 }],
    allow_partial: true,
    payment_methods: ['bank_transfer'],
  });
  const payment = (await lab.payByBank((await lab.start(id, 2)).id)).body;
  const { reference } = instructionsOf(payment);
  await lab.credit({ reference, amount: 1 });
  await lab.credit({ reference, amount: 1 });
  await resolve(payment.id, 'refund');
  await lab.sweep('outbound.send');
  await payShort(id, 2);
  expect(await lab.readInvoice(id)).toMatchObject({ amount_paid: 3, amount_remaining: 17, amount_refunded: 0 });
});
