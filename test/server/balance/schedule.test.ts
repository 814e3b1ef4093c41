import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { order, type PaymentLab, refusal, startPaymentLab } from '../payments/payment-lab.ts';

let lab: PaymentLab;
beforeAll(async () => {
  lab = await startPaymentLab();
  await setSchedule('manual');
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const setSchedule = async (schedule: string) =>
  (await lab.request('PATCH /v1/account', { body: { settlement: { schedule } } })).body.settlement;
const dispute = (payment: string, amount: number) =>
  lab.request('POST /v1/test_helpers/cards/disputes', { body: { payment, amount } });
const owed = async () => (await lab.request('GET /v1/balance')).body.receivable;

describe('the settlement schedule', () => {
  it('is automatic at first, and is changed with the account', async () => {
    const shop = await lab.addMerchant();
    const { body } = await lab.request('GET /v1/account', { key: shop.secretKey });
    expect(body.settlement).toMatchObject({ asset: 'USDC', stellar_address: null, schedule: 'automatic' });
    expect(await setSchedule('manual')).toMatchObject({ schedule: 'manual' });
    const wrong = await lab.request('PATCH /v1/account', { body: { settlement: { schedule: 'weekly' } } });
    expect(refusal(wrong)).toEqual([400, 'parameter_invalid', 'settlement.schedule']);
  });

  it('manual keeps a completed payment in the balance, without a settlement', async () => {
    const payment = await lab.createPaid();
    await lab.sweep('payments.make_available');
    expect(await lab.balance()).toEqual({ 'available EUR': payment.amount });
    expect((await lab.read(payment.id)).settlement).toMatchObject({ status: 'none', amount: null, failure: null });
    const { data } = (await lab.request(`GET /v1/balance/entries?payment=${payment.id}`)).body;
    expect(data.map(({ kind, account, amount }: Record<string, unknown>) => [kind, account, amount])).toEqual(
      expect.arrayContaining([['kept', 'available', payment.amount]]),
    );
    await lab.refund(payment.id);
  });

  it('takes refunds and disputes of a kept payment from the balance, and a missing part becomes a debt', async () => {
    const payment = await lab.createPaid();
    await lab.sweep('payments.make_available');
    await lab.refund(payment.id, { amount: 2_840 });
    expect(await lab.balance()).toEqual({ 'available EUR': 10_000 });
    expect((await dispute(payment.id, 4_000)).status).toBe(201);
    expect(await lab.balance()).toEqual({ 'available EUR': 6_000 });
    const conversion = { from: { currency: 'EUR', amount: 5_000 }, to: { currency: 'USD' } };
    expect((await lab.request('POST /v1/balance/conversions', { body: conversion })).status).toBe(201);
    await lab.refund(payment.id, { amount: 6_000 });
    expect((await lab.balance())['available EUR']).toBeUndefined();
    expect(await owed()).toEqual([{ currency: 'EUR', amount: 5_000 }]);
  });

  it('keeps a payment that waited for an address, once it becomes manual', async () => {
    const shop = await lab.addMerchant();
    const as = { key: shop.secretKey };
    const made = await lab.request('POST /v1/payments', { ...as, body: order });
    const confirmation = { method: 'card', token: 'tok_visa' };
    await lab.request(`POST /v1/payments/${made.body.id}/confirm`, { ...as, body: confirmation });
    await lab.sweep('payments.make_available');
    const balance = async () => (await lab.request('GET /v1/balance', as)).body;
    expect(await balance()).toMatchObject({ available: [], pending: [{ currency: 'EUR', amount: 12_840 }] });
    await lab.request('PATCH /v1/account', { ...as, body: { settlement: { schedule: 'manual' } } });
    await lab.sweep('payments.make_available');
    expect(await balance()).toMatchObject({ available: [{ currency: 'EUR', amount: 12_840 }], pending: [] });
  });
});
