import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PaymentLab, startPaymentLab } from './payment-lab.ts';

let lab: PaymentLab;
beforeAll(async () => {
  lab = await startPaymentLab();
});
afterAll(() => lab.close());

const reference = (payment: { next_action: unknown }) => (payment.next_action as { reference: string }).reference;
const largest = Number.MAX_SAFE_INTEGER;

describe('a credit that cannot be booked', () => {
  it('is unmatched, and delays no other', async () => {
    const tiny = await lab.createForBank({ amount: 17_000, currency: 'IDR' });
    const monstrous = await lab.credit({ reference: reference(tiny), amount: largest });
    expect(monstrous.body).toMatchObject({ status: 'unmatched', payment: null });
    const honest = await lab.createForBank();
    await lab.credit({ reference: reference(honest), amount: honest.amount });
    expect((await lab.read(honest.id)).status).toBe('completed');
    expect((await lab.read(tiny.id)).amount_received).toBe(0);
    await lab.expectSoundBooks();
  });

  it('cannot be caused by a payer’s simulation', async () => {
    const payment = await lab.createForBank();
    const answer = await lab.act(payment.id, 'simulate_bank_transfer', { amount: payment.amount * 10 + 1 });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_amount']);
  });
});

describe('the settlement', () => {
  it.each([
    ['all of it', 12_840, '139.9560000'],
    ['a part the merchant accepted', 6_420, '69.9780000'],
    ['two cents the merchant accepted', 2, '0.0218000'],
  ])('is the quote’s share of %s', async (_, amount, expected) => {
    const payment = await lab.createForBank();
    await lab.credit({ reference: reference(payment), amount });
    if (amount < payment.amount) await lab.act(payment.id, 'resolve', { action: 'accept' });
    expect((await lab.read(payment.id)).settlement).toMatchObject({ status: 'pending', amount: expected });
  });
});

describe('the return from a bank’s page', () => {
  it.each([
    ['https://evil.example/phish', 400],
    ['https://shop.example/thanks', 200],
    ['http://localhost:5173/basket', 200],
  ])('to %s, requested by a payer, answers %i', async (returnUrl, status) => {
    const payment = await lab.create({ redirect_url: 'https://shop.example/order' });
    const answer = await lab.request(`POST /v1/payments/${payment.id}/confirm`, {
      key: payment.client_secret ?? '',
      body: { method: 'card', token: 'tok_3ds', return_url: returnUrl },
    });
    expect(answer.status).toBe(status);
  });
});
