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

const creditsOf = async (holder: string) =>
  (await lab.request(`GET /v1/customer-credits?customer=${holder}`)).body.data;
const unknown = { customer: { name: 'Somebody' } };

it('is held by the invoice where nobody knows who its customer is, and no other invoice spends it', async () => {
  const { id } = await lab.sent(unknown);
  expect((await lab.invoice(id, 'record-payment', { amount: 21_900 })).body.amount_overpaid).toBe(10_000);
  expect((await lab.invoice(id, 'credit-notes', { amount: 5000 })).body.amount_to_credit).toBe(5000);
  const held = { object: 'customer_credit', customer: null, invoice: id, currency: 'EUR', amount: 15_000 };
  expect(await creditsOf(id)).toEqual([held]);
  expect((await lab.request('GET /v1/customer-credits')).body.data).toContainEqual(held);
  expect((await lab.sent(unknown)).amount_paid).toBe(0);
});

it('goes back with a refund of the payment that made it', async () => {
  const { id } = await lab.sent(unknown);
  const start = async () => {
    const customer = { email: 'somebody@example.com' };
    return (await lab.invoice(id, 'payments', { customer })).body.id as string;
  };
  const [first, second] = [await start(), await start()];
  const { reference } = instructionsOf((await lab.payByBank(second)).body);
  await lab.payByCard(first);
  await lab.credit({ reference, amount: 11_900 });
  expect(await creditsOf(id)).toMatchObject([{ amount: 11_900 }]);
  await lab.refund(first, { amount: 4000 });
  expect(await creditsOf(id)).toMatchObject([{ amount: 7900 }]);
  expect(await lab.readInvoice(id)).toMatchObject({ amount_overpaid: 7900, amount_refunded: 4000 });
});
