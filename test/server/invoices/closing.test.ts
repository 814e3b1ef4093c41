import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Payment } from '../../../src/api/payment.ts';
import { type CryptoLab, startCryptoLab } from '../payments/crypto/crypto-lab.ts';
import { instructionsOf, refusal } from '../payments/payment-lab.ts';
import { type InvoiceLab, withInvoices } from './invoice-lab.ts';

let lab: CryptoLab & InvoiceLab;
beforeAll(async () => {
  lab = withInvoices(await startCryptoLab());
}, 60_000);
afterAll(async () => {
  await lab?.expectSoundBooks();
  await lab?.close();
});

const hours = 3_600;

let customers = 0;

/** Starts two payments of a whole invoice. */
const begunTwice = async () => {
  const { id } = await lab.sent({ customer: { email: `closing${customers++}@example.com` } });
  const [first, second] = [await lab.start(id), await lab.start(id)];
  return { id, first: first.id, second: second.id };
};

/** The payer answers the 3-D Secure challenge, and the service reads the charge's state. */
const answered = async (payment: Payment, choice: 'approve' | 'decline') => {
  await lab.answerChallenge(payment, choice);
  lab.clock.advance(16);
  await lab.sweep('payments.attempts');
};

/** Expects that the invoice is paid exactly once. */
const expectPaidOnce = async (id: string) =>
  expect(await lab.readInvoice(id)).toMatchObject({ status: 'paid', amount_paid: 11_900, amount_overpaid: 0 });

describe('a paid invoice', () => {
  it.each([
    ['a card', { method: 'card', token: 'tok_visa' }],
    ['a transfer', { method: 'bank_transfer', rail: 'sepa' }],
    ['crypto', { method: 'crypto', chain: 'stellar', asset: 'USDC' }],
  ])('refuses further payments with %s, at once and hours later', async (_, way) => {
    const { id, first, second } = await begunTwice();
    await lab.payByCard(first);
    expect(refusal(await lab.act(second, 'confirm', way))).toEqual([409, 'illegal_state', null]);
    lab.clock.advance(3 * hours);
    expect(refusal(await lab.act(second, 'quotes'))).toEqual([409, 'illegal_state', null]);
    await lab.sweep();
    expect(refusal(await lab.act(second, 'quotes'))).toEqual([409, 'illegal_state', null]);
    expect(refusal(await lab.act(second, 'confirm', way))).toEqual([409, 'illegal_state', null]);
    await expectPaidOnce(id);
  });

  it.each([
    ['a card', async (_id: string, first: string) => void (await lab.payByCard(first))],
    ['an external payment', async (id: string) => void (await lab.invoice(id, 'record-payment'))],
  ])('cancels unstarted payments when %s has paid it', async (_, pay) => {
    const { id, first, second } = await begunTwice();
    await pay(id, first);
    await lab.sweep('invoices.close');
    expect(await lab.read(second)).toMatchObject({
      status: 'failed',
      phase: 'canceled',
      failure: { code: 'invoice_paid' },
    });
    const answer = await lab.payByCard(second);
    expect([answer.status, answer.body.error.message]).toEqual([409, expect.stringContaining('has been paid')]);
    await expectPaidOnce(id);
  });

  it('credits money that was already in flight: a transfer, and a card in 3-D Secure', async () => {
    const email = 'under-way@example.com';
    const { id } = await lab.sent({ customer: { email } });
    const [card, transfer, challenged] = [await lab.start(id), await lab.start(id), await lab.start(id)];
    const instructions = instructionsOf((await lab.payByBank(transfer.id)).body);
    const waiting = (await lab.payByCard(challenged.id, 'tok_3ds')).body;
    await lab.payByCard(card.id);
    await lab.sweep('invoices.close');
    await answered(waiting, 'approve');
    await lab.credit({ reference: instructions.reference, amount: 11_900 });
    expect((await lab.read(challenged.id)).status).toBe('completed');
    expect((await lab.read(transfer.id)).status).toBe('completed');
    expect(await lab.readInvoice(id)).toMatchObject({ amount_paid: 11_900, amount_overpaid: 23_800 });
    expect(await lab.creditOf(email)).toBe(23_800);
  });

  it('credits a deposit that was already detected, and requests no more of it', async () => {
    const email = 'coins@example.com';
    const { id } = await lab.sent({ customer: { email } });
    const [card, coins] = [await lab.start(id), await lab.start(id)];
    const asked = (await lab.payInCrypto(coins.id, 'USDC')).body;
    await lab.pay(asked, '50.0000000');
    await lab.payByCard(card.id);
    await lab.sweep('invoices.close');
    expect((await lab.read(coins.id)).phase).toBe('partially_paid');
    expect(refusal(await lab.payByCard(coins.id))).toEqual([409, 'illegal_state', null]);
    expect((await lab.act(coins.id, 'resolve', { action: 'accept' })).status).toBe(200);
    const { amount_received: received } = await lab.read(coins.id);
    expect(received).toBeGreaterThan(0);
    expect(await lab.creditOf(email)).toBe(received);
  });

  it('shows former transfer instructions again, and no new ones', async () => {
    const { id } = await lab.sent({ customer: { email: 'told@example.com' } });
    const [card, transfer] = [await lab.start(id), await lab.start(id)];
    const instructions = instructionsOf((await lab.payByBank(transfer.id)).body);
    await lab.payByCard(card.id);
    expect(instructionsOf((await lab.payByBank(transfer.id)).body)).toEqual(instructions);
    expect(refusal(await lab.payByBank(transfer.id, 'ach'))).toEqual([409, 'illegal_state', null]);
    expect(refusal(await lab.payInCrypto(transfer.id, 'USDC'))).toEqual([409, 'illegal_state', null]);
    expect((await lab.act(transfer.id, 'quotes')).body.quote.id).toBe((await lab.read(transfer.id)).quote.id);
    expect(refusal(await lab.payByCard(transfer.id))).toEqual([409, 'illegal_state', null]);
    await expectPaidOnce(id);
  });

  it('submits no transaction that a wallet signed afterwards', async () => {
    const { id, first, second } = await begunTwice();
    const wallet = await lab.openWallet('USDC');
    const made = await lab.makeTransaction(second, wallet, 'USDC');
    expect(made.status, made.text).toBe(201);
    await lab.payByCard(first);
    expect(refusal(await lab.signAndSubmit(second, made.body, wallet))).toEqual([409, 'illegal_state', null]);
    await lab.sweep();
    expect((await lab.read(second)).amount_received).toBe(0);
    await expectPaidOnce(id);
  });

  it('cancels a payment whose card is declined afterwards', async () => {
    const { id, first, second } = await begunTwice();
    const waiting = (await lab.payByCard(second, 'tok_3ds')).body;
    await lab.payByCard(first);
    await lab.sweep('invoices.close');
    expect((await lab.read(second)).phase).toBe('requires_action');
    await answered(waiting, 'decline');
    await lab.sweep('invoices.close');
    expect(await lab.read(second)).toMatchObject({ phase: 'canceled', failure: { code: 'invoice_paid' } });
    await expectPaidOnce(id);
  });

  it('cancels a payment whose card is declined while another server’s completion is uncommitted', async () => {
    const { id, first, second } = await begunTwice();
    const waiting = (await lab.payByCard(second, 'tok_3ds')).body;
    await lab.payByCard(first);
    await lab.sweep('invoices.close');
    const { pool } = lab.database;
    const locks = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    const other = await pool.connect();
    await other.query(`update invoices set status = 'sent' where id = $1`, [id]);
    await other.query('begin');
    await other.query(`update invoices set status = 'paid' where id = $1`, [id]);
    const done = answered(waiting, 'decline');
    await Promise.race([done, vi.waitUntil(async () => (await pool.query(locks)).rowCount === 1, { interval: 5 })]);
    await other.query('commit');
    other.release();
    await done;
    await lab.sweep('invoices.close');
    expect(await lab.read(second)).toMatchObject({ phase: 'canceled', failure: { code: 'invoice_paid' } });
    await expectPaidOnce(id);
  });
});

describe('an invoice that a credit note cancels', () => {
  it('cancels its unstarted payments', async () => {
    const { id } = await lab.sent();
    const payment = await lab.start(id);
    await lab.invoice(id, 'credit-notes');
    await lab.sweep('invoices.close');
    expect(await lab.read(payment.id)).toMatchObject({ phase: 'canceled', failure: { code: 'invoice_void' } });
  });

  it.each([
    [
      'a card payment that is captured afterwards',
      'processing',
      async (id: string) => void (await lab.payByCard(id, 'tok_delayed')),
      async () => {
        lab.clock.advance(30);
        await lab.sweep('payments.attempts');
      },
    ],
    [
      'a wallet’s transaction that is in a ledger afterwards',
      'confirming',
      async (id: string) => {
        const wallet = await lab.openWallet('USDC');
        await lab.signAndSubmit(id, (await lab.makeTransaction(id, wallet, 'USDC')).body, wallet);
      },
      (id: string) => lab.until(async () => (await lab.read(id)).amount_received > 0),
    ],
  ])('books %s, and leaves it to the merchant', async (...[, phase, begin, arrive]) => {
    const { id } = await lab.sent({ customer: { email: `note-${phase}@example.com` } });
    const payment = (await lab.start(id)).id;
    await begin(payment);
    expect((await lab.read(payment)).phase).toBe(phase);
    expect((await lab.invoice(id, 'credit-notes')).status).toBe(201);
    expect((await lab.readInvoice(id)).status).toBe('void');
    await arrive(payment);
    expect(await lab.read(payment)).toMatchObject({
      status: 'failed',
      phase: 'declined',
      exception: 'paid_late',
      amount_received: 11_900,
      completed_at: null,
      failure: { code: 'invoice_void', message: expect.stringContaining('decides whether it goes back') },
    });
    expect(await lab.readInvoice(id)).toMatchObject({ status: 'void', amount_paid: 0, amount_overpaid: 0 });
    expect((await lab.act(payment, 'resolve', { action: 'refund' })).status).toBe(200);
    await lab.until(async () => {
      await lab.sweep();
      return (await lab.read(payment)).amount_refunded === 11_900;
    });
  });
});
