import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Payment } from '../../../src/api/payment.ts';
import { type CryptoLab, startCryptoLab } from '../payments/crypto/crypto-lab.ts';
import { payer } from './link-lab.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
let lab: CryptoLab;
beforeAll(async () => {
  lab = await startCryptoLab();
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const makeLink = async (fields: object) =>
  (await lab.request('POST /v1/payment-links', { body: { amount: 2_500, currency: 'EUR', ...fields } })).body;

/** Starts a crypto payment of the link, with instructions for the payer. */
async function startCrypto(link: { id: string }): Promise<Payment> {
  const { body } = await lab.request(`POST /v1/payment-links/${link.id}/payments`, {
    key: null,
    body: { customer: payer },
  });
  const answer = await lab.payInCrypto(body.id);
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

describe('a single-use link with several crypto payments', () => {
  it('accepts one payment, and refunds the others', async () => {
    const link = await makeLink({ single_use: true });
    const payments = [await startCrypto(link), await startCrypto(link), await startCrypto(link)];
    await Promise.all(payments.map(payment => lab.pay(payment)));
    const read = () => Promise.all(payments.map(({ id }) => lab.read(id)));
    await lab.until(async () => {
      await lab.sweep();
      return (await read()).every(({ status, amount_refunded: back }) => status === 'completed' || back > 0);
    });
    const ended = await read();
    expect(ended.map(({ status }) => status).toSorted()).toEqual(['completed', 'failed', 'failed']);
    expect(ended.map(payment => payment.amount_received - payment.amount_refunded).toSorted()).toEqual([0, 0, 2_500]);
    expect((await lab.request(`GET /v1/payment-links/${link.id}`)).body).toMatchObject({
      uses: 1,
      status: 'completed',
      total_received: 2_500,
    });
  });

  it('counts a deposit that was in flight when the link expired', async () => {
    const link = await makeLink({ expires_at: new Date(lab.clock.now().getTime() + 60_000).toISOString() });
    const payment = await startCrypto(link);
    lab.clock.advance(61);
    await lab.sweep('links.expire', 'links.close');
    await lab.pay(payment);
    await lab.until(async () => (await lab.read(payment.id)).status === 'completed');
    expect((await lab.request(`GET /v1/payment-links/${link.id}`)).body).toMatchObject({ uses: 1, status: 'expired' });
  });
});
