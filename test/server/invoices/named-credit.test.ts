import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Payment } from '../../../src/api/payment.ts';
import { type InvoiceLab, startInvoiceLab } from './invoice-lab.ts';

let lab: InvoiceLab;
beforeAll(async () => {
  lab = await startInvoiceLab();
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

/** A payment that an anonymous payer made in a browser, and that waits for this amount by bank. */
async function strangersPayment(amount: number, reference?: string): Promise<Payment> {
  const payment = await lab.request('POST /v1/payments', {
    key: lab.merchant.publishableKey,
    headers: { origin: 'https://shop.example' },
    body: {
      amount,
      currency: 'EUR',
      settlement_asset: 'USDC',
      settlement_network: 'stellar',
      reference,
      payment_methods: ['bank_transfer'],
      customer: { email: 'mallory@example.com' },
    },
  });
  expect(payment.status, payment.text).toBe(201);
  return (await lab.payByBank(payment.body.id)).body;
}

describe('a bank credit that names an invoice', () => {
  it('pays the invoice, and not a stranger’s payment of the same amount and reference', async () => {
    await lab.request('PATCH /v1/account', {
      body: { allowed_origins: ['https://shop.example'], client_amounts: true },
    });
    const { id, number, total } = await lab.sent();
    const stranger = await strangersPayment(total, String(number));
    const { body } = await lab.credit({ reference: `Invoice ${number} thank you`, amount: total });
    expect((await lab.read(stranger.id)).amount_received).toBe(0);
    expect(body).toMatchObject({ status: 'matched', amount_applied: total });
    expect(await lab.readInvoice(id)).toMatchObject({ status: 'paid', amount_paid: total });
    expect((await lab.read(body.payment)).invoice).toBe(id);
  });

  it.each(['', ' and words', ', 2nd part'])('pays the payment that its customer has begun (%j)', async words => {
    const { id, number, total } = await lab.sent();
    const payment = (await lab.payByBank((await lab.start(id)).id)).body;
    const { body } = await lab.credit({ reference: `${number}${words}`.toLowerCase(), amount: total });
    expect(body.payment).toBe(payment.id);
    expect((await lab.readInvoice(id)).status).toBe('paid');
  });

  it('may pay it in parts, and more than is due waits for a decision', async () => {
    const { id, number, total } = await lab.sent();
    const first = (await lab.credit({ reference: String(number), amount: 4_000 })).body;
    const second = (await lab.credit({ reference: String(number), amount: total })).body;
    expect(second.payment).toBe(first.payment);
    expect(await lab.read(first.payment)).toMatchObject({ exception: 'overpaid', amount_received: total + 4_000 });
    expect((await lab.readInvoice(id)).status).toBe('paid');
    const third = (await lab.credit({ reference: String(number), amount: total })).body;
    expect(third).toMatchObject({ status: 'unmatched', payment: null });
  });

  it('pays it in two parts that the bank reports together', async () => {
    const { id, number, total } = await lab.sent({ allow_partial: true });
    const answers = await Promise.all(
      [4_000, total - 4_000].map(amount => lab.credit({ reference: `Invoice ${number}`, amount })),
    );
    expect(answers.map(({ body }) => body.status)).toEqual(['matched', 'matched']);
    expect((await lab.readInvoice(id)).status).toBe('paid');
  });

  it('pays the invoice whose customer opened a payment that is over by now', async () => {
    const { id, number, total } = await lab.sent();
    await lab.start(id);
    lab.clock.advance(10 * 86_400);
    const { body } = await lab.credit({ reference: `Invoice ${number}`, amount: total });
    expect(body.status).toBe('matched');
  });

  it('that is a draft, void, unknown, or one of two, pays nothing', async () => {
    const draft = await lab.draft();
    const [one, two] = [await lab.sent(), await lab.sent()];
    const ended = await lab.sent();
    await lab.invoice(ended.id, 'void');
    for (const reference of [draft.id, `${one.number} ${two.number}`, String(ended.number), 'INV-9999']) {
      const { body } = await lab.credit({ reference, amount: one.total });
      expect([reference, body.status]).toEqual([reference, 'unmatched']);
    }
  });

  it('of another merchant pays nothing', async () => {
    const { number, total } = await lab.sent();
    const { secretKey: key } = await lab.addMerchant();
    const body = { reference: number, amount: total, currency: 'EUR' };
    const answer = await lab.request('POST /v1/test_helpers/bank_transfers', { key, body });
    expect(answer.body.status).toBe('unmatched');
  });
});

describe('a bank credit with the reference of a link', () => {
  const openLink = async (reference: string) => {
    const body = { amount: 2_500, currency: 'EUR', reference };
    const link = (await lab.request('POST /v1/payment-links', { body })).body;
    return async (): Promise<Payment> => {
      const customer = { email: 'grace@example.com' };
      const made = await lab.request(`POST /v1/payment-links/${link.id}/payments`, { key: null, body: { customer } });
      return (await lab.payByBank(made.body.id)).body;
    };
  };

  it('pays the only payment of the link that lacks its amount', async () => {
    const enter = await openLink('SPRING-SALE');
    const payment = await enter();
    expect((await lab.credit({ reference: 'spring sale, Grace', amount: 2_400 })).body.status).toBe('unmatched');
    expect((await lab.credit({ reference: 'spring sale, Grace', amount: 2_500 })).body.payment).toBe(payment.id);
  });

  it('does not pay for a payer who wants to pay by card', async () => {
    const link = (
      await lab.request('POST /v1/payment-links', {
        body: { amount: 2_500, currency: 'EUR', reference: 'WINTER-SALE', payment_methods: ['card'] },
      })
    ).body;
    const customer = { email: 'bob@example.com' };
    const bob = (await lab.request(`POST /v1/payment-links/${link.id}/payments`, { key: null, body: { customer } }))
      .body;
    const { body } = await lab.credit({ reference: 'winter sale, Grace', amount: 2_500 });
    expect([body.status, (await lab.read(bob.id)).status, bob.payment_methods]).toEqual([
      'unmatched',
      'pending',
      ['card'],
    ]);
  });

  it('pays nobody when two payers of the link owe the amount', async () => {
    const enter = await openLink('AUTUMN-SALE');
    await enter();
    await enter();
    expect((await lab.credit({ reference: 'AUTUMN-SALE', amount: 2_500 })).body.status).toBe('unmatched');
  });
});
