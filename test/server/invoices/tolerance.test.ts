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
