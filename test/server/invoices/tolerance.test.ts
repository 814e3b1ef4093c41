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

/** Pays a part by a transfer that brings a cent less than it should. */
async function payShort(id: string, amount: number): Promise<void> {
  const { reference } = instructionsOf((await lab.payByBank((await lab.start(id, amount)).id)).body);
  await lab.credit({ reference, amount: amount - 1 });
}

it('forgives a missing cent once, in however many parts it is paid', async () => {
  const { id } = await lab.sent({
    lines: [{ description: 'Stickers', unit_amount: 20 }],
    allow_partial: true,
    payment_methods: ['bank_transfer'],
  });
  for (let part = 0; part < 5; part++) await payShort(id, 2);
  expect(await lab.readInvoice(id)).toMatchObject({ status: 'partially_paid', amount_paid: 6, amount_remaining: 14 });
});

it('forgives it in any of the parts', async () => {
  const { id } = await lab.sent({ allow_partial: true, payment_methods: ['card', 'bank_transfer'] });
  await payShort(id, 5000);
  expect(await lab.readInvoice(id)).toMatchObject({
    status: 'partially_paid',
    amount_paid: 5000,
    amount_remaining: 6900,
  });
  expect(await lab.payInvoice(id)).toMatchObject({ status: 'paid', amount_paid: 11_900, amount_remaining: 0 });
});

/** What customers are owed is what they sent: where nothing is open any more, nothing is forgiven. */
it.each([
  ['the whole', 11_900, 11_841],
  ['a part', 6_000, 5_941],
])('gives no credit for what did not come, after %s was paid meanwhile', async (_, paid, credit) => {
  const email = `credit${paid}@example.com`;
  const { id } = await lab.sent({
    ...{ customer: { email }, allow_partial: true, payment_methods: ['card', 'bank_transfer'] },
  });
  const { reference } = instructionsOf((await lab.payByBank((await lab.start(id)).id)).body);
  await lab.payInvoice(id, paid);
  await lab.credit({ reference, amount: 11_841 });
  expect(await lab.readInvoice(id)).toMatchObject({ status: 'paid', amount_paid: 11_900, amount_overpaid: credit });
  expect(await lab.creditOf(email)).toBe(credit);
});

it('forgives at most what is open', async () => {
  const { id } = await lab.sent({
    ...{ customer: { email: 'open@example.com' }, allow_partial: true, payment_methods: ['card', 'bank_transfer'] },
  });
  const { reference } = instructionsOf((await lab.payByBank((await lab.start(id)).id)).body);
  await lab.payInvoice(id, 30);
  await lab.credit({ reference, amount: 11_841 });
  expect(await lab.readInvoice(id)).toMatchObject({ status: 'paid', amount_paid: 11_900, amount_overpaid: 0 });
  // Once it has come after all, nothing was forgiven of what the customer sent too much.
  await lab.credit({ reference, amount: 100 });
  const payment = (
    await lab.request(`GET /v1/payments?reference=${(await lab.readInvoice(id)).number}`)
  ).body.data.find(({ amount }: { amount: number }) => amount === 11_900);
  expect((await lab.act(payment.id, 'resolve', { action: 'accept' })).status).toBe(200);
  expect(await lab.creditOf('open@example.com')).toBe(30 + 11_941 - 11_900);
});

it('forgives nothing of a canceled invoice', async () => {
  const email = 'canceled@example.com';
  const { id } = await lab.sent({ customer: { email } });
  const payment = (await lab.payByBank((await lab.start(id)).id)).body;
  await lab.invoice(id, 'void');
  await lab.credit({ reference: instructionsOf(payment).reference, amount: 11_841 });
  expect((await lab.act(payment.id, 'resolve', { action: 'accept' })).status).toBe(200);
  expect(await lab.creditOf(email)).toBe(11_841);
});

it('keeps what it forgave when the merchant forgives less by then, and a refund comes back', async () => {
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
