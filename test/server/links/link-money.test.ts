import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Payment } from '../../../src/api/payment.ts';
import { createSandboxBank } from '../../../src/sandbox/bank.ts';
import { instructionsOf } from '../payments/payment-lab.ts';
import { codeOf, type LinkLab, type PayersPayment, startLinkLab } from './link-lab.ts';

let lab: LinkLab;
beforeAll(async () => {
  lab = await startLinkLab();
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const refundsOf = async ({ id }: Payment) => (await lab.request(`GET /v1/payments/${id}/refunds`)).body.data;

/** Only one of several payers may use a single-use link. */
describe('the reservation of a single-use link', () => {
  it('belongs to the first card payment: the other payer is refused before any charge', async () => {
    const { id } = await lab.link({ single_use: true });
    const [first, second] = [await lab.enter(id), await lab.enter(id)];
    expect((await lab.tryCard(first)).body.status).toBe('completed');
    expect(codeOf(await lab.tryCard(second))).toEqual([409, 'link_used']);
    await lab.sweep();
    expect(await lab.read(second.id)).toMatchObject({
      phase: 'canceled',
      failure: { code: 'link_used' },
      amount_received: 0,
      last_attempt: null,
    });
    expect(codeOf(await lab.tryCard(second))).toEqual([409, 'link_used']);
  });

  it('is not held by a cent of dust, which goes back once the link is used', async () => {
    const { id } = await lab.link({ single_use: true });
    const [first, second] = [await lab.withBankDetails(id), await lab.enter(id)];
    await lab.transfer(first, 1);
    expect(await lab.read(first.id)).toMatchObject({ phase: 'awaiting_funds', exception: null, amount_received: 1 });
    expect((await lab.tryCard(second)).body.status).toBe('completed');
    await lab.sweep();
    expect(await lab.read(first.id)).toMatchObject({
      phase: 'canceled',
      failure: { code: 'link_used' },
      amount_refunded: 1,
    });
  });

  it('is held during 3-D Secure, and released when the card is declined', async () => {
    const { id } = await lab.link({ single_use: true });
    const [first, second] = [await lab.enter(id), await lab.enter(id)];
    const challenged = (await lab.tryCard(first, 'tok_3ds')).body;
    expect(challenged.phase).toBe('requires_action');
    expect(codeOf(await lab.tryCard(second))).toEqual([409, 'link_used']);
    expect(codeOf(await lab.tryBank(second))).toEqual([409, 'link_used']);
    await lab.answerChallenge(challenged, 'decline');
    lab.clock.advance(20);
    await lab.sweep();
    expect((await lab.tryCard(second)).body.status).toBe('completed');
    expect(codeOf(await lab.tryCard(first))).toEqual([409, 'link_used']);
  });

  it('is released when a payer does not return from 3-D Secure', async () => {
    const { id } = await lab.link({ single_use: true });
    const [first, second] = [await lab.enter(id), await lab.enter(id)];
    expect((await lab.tryCard(first, 'tok_3ds')).body.phase).toBe('requires_action');
    lab.clock.advance(14 * 60);
    await lab.sweep();
    expect(codeOf(await lab.tryCard(second))).toEqual([409, 'link_used']);
    lab.clock.advance(50);
    await lab.sweep('links.reservations');
    expect((await lab.read(first.id)).phase).toBe('requires_action');
    lab.clock.advance(11);
    await lab.sweep('links.reservations');
    expect((await lab.read(first.id)).phase).toBe('awaiting_payer');
    await lab.act(second.id, 'quotes', {});
    expect((await lab.tryCard(second)).body.status).toBe('completed');
  });

  it('is released by a declined card', async () => {
    const { id } = await lab.link({ single_use: true });
    const [first, second] = [await lab.enter(id), await lab.enter(id)];
    expect((await lab.tryCard(first, 'tok_declined')).status).toBe(402);
    expect((await lab.tryCard(second)).body.status).toBe('completed');
  });

  it('is not taken by transfer instructions; the second transfer is refunded', async () => {
    const { id } = await lab.link({ single_use: true });
    const [first, second] = [await lab.withBankDetails(id), await lab.withBankDetails(id)];
    await lab.transfer(first);
    expect((await lab.read(first.id)).status).toBe('completed');
    expect((await lab.read(second.id)).failure?.code).toBe('link_used');
    await lab.transfer(second);
    expect(await lab.read(second.id)).toMatchObject({
      status: 'failed',
      phase: 'canceled',
      amount_received: 2_500,
      amount_refunded: 2_500,
    });
    expect(await refundsOf(second)).toMatchObject([{ amount: 2_500, status: 'completed', reason: 'paid_late' }]);
    expect(await lab.readLink(id)).toMatchObject({ uses: 1, total_received: 2_500, status: 'completed' });
    expect(await lab.eventsOf(second.id)).not.toContain('payment.completed');
  });

  it('leaves a transfer that cannot be refunded to the merchant, and does not try again automatically', async () => {
    const { id } = await lab.link({ single_use: true });
    const late = await lab.withBankDetails(id);
    await lab.pay(id);
    await lab.credit({ reference: instructionsOf(late).reference, amount: 2_500, sender_name: 'Closed Account' });
    for (let turn = 0; turn < 3; turn++) {
      await lab.sweep('links.reservations');
      await lab.sweep('outbound.send');
    }
    expect(await refundsOf(late)).toMatchObject([{ status: 'failed' }]);
    expect(await lab.read(late.id)).toMatchObject({ failure: { code: 'link_used' }, amount_refunded: 0 });
    expect((await lab.balance())['suspense EUR']).toBe(2_500);
    expect((await lab.act(late.id, 'resolve', { action: 'accept' })).status).toBe(200);
    expect(await lab.readLink(id)).toMatchObject({ uses: 1, status: 'completed', total_received: 5_000 });
  });

  it('goes to one of two transfers that are read together, and the other is refunded', async () => {
    const { id } = await lab.link({ single_use: true });
    const waiting = [await lab.withBankDetails(id), await lab.withBankDetails(id), await lab.withBankDetails(id)];
    for (const payment of waiting) await lab.credit({ reference: instructionsOf(payment).reference, amount: 2_500 });
    await lab.sweep();
    const ended = await Promise.all(waiting.map(({ id: paymentId }) => lab.read(paymentId)));
    expect(ended.map(({ status }) => status).toSorted()).toEqual(['completed', 'failed', 'failed']);
    const kept = ended.map(payment => payment.amount_received - payment.amount_refunded);
    expect(kept.toSorted()).toEqual([0, 0, 2_500]);
    expect(await lab.readLink(id)).toMatchObject({ uses: 1, total_received: 2_500 });
  });

  it('is held by a partial payment until the rest arrives', async () => {
    const { id } = await lab.link({ single_use: true });
    const [first, second] = [await lab.withBankDetails(id), await lab.enter(id)];
    await lab.transfer(first, 1_000);
    expect((await lab.read(first.id)).phase).toBe('partially_paid');
    expect(codeOf(await lab.tryCard(second))).toEqual([409, 'link_used']);
    await lab.transfer(await lab.read(first.id), 1_500);
    expect((await lab.read(first.id)).status).toBe('completed');
  });

  it('that the merchant gives to a late payment counts as a use', async () => {
    const { id } = await lab.link({ single_use: true });
    const waiting = await lab.withBankDetails(id);
    await lab.act(waiting.id, 'cancel');
    await lab.transfer(waiting);
    expect((await lab.act(waiting.id, 'resolve', { action: 'accept' })).body.status).toBe('completed');
    expect(await lab.readLink(id)).toMatchObject({ uses: 1, status: 'completed' });
  });
});

describe('transfers that are read together', () => {
  it.each<[string, (newReference: () => string) => string]>([
    ['without a reference', () => 'thanks'],
    ['with an unknown reference', newReference => newReference()],
  ])('pay by their references before one %s', async (_, textOf) => {
    const waiting = await lab.withBankDetails((await lab.link()).id);
    const bank = createSandboxBank({ db: lab.database.db, rail: 'sepa' });
    const credit = (sender: string, reference: string) =>
      bank.credit({
        merchantId: lab.merchant.id,
        amount: 2_500n,
        currency: 'EUR',
        reference,
        sender,
        bankReference: null,
        now: lab.clock.now(),
      });
    await credit('Grace Hopper', instructionsOf(waiting).reference);
    await credit('A stranger', textOf(bank.newReference));
    await lab.sweep('payments.credits');
    expect(await lab.read(waiting.id)).toMatchObject({ status: 'completed', exception: null, amount_received: 2_500 });
    const { data } = (await lab.request(`GET /v1/transfers?payment=${waiting.id}`)).body;
    expect(data.map(({ sender }: { sender: string }) => sender)).toEqual(['Grace Hopper']);
  });
});

describe('concurrent payments', () => {
  const settled = async (payers: readonly PayersPayment[]) => {
    const answers = await Promise.all(payers.map(payment => lab.tryCard(payment)));
    return {
      paid: answers.filter(({ body }) => body.status === 'completed').length,
      refused: answers.filter(answer => codeOf(answer).join() === '409,link_used').length,
    };
  };
  const enterAll = (id: string, count: number, body: object = {}) =>
    Promise.all(Array.from({ length: count }, () => lab.enter(id, body)));

  it('are limited to max_uses', async () => {
    const { id } = await lab.link({ max_uses: 3 });
    let paid = 0;
    // The refusal may be temporary, so new payers try again.
    for (let round = 0; round < 4 && paid < 3; round++) {
      const { paid: more, refused } = await settled(await enterAll(id, 12));
      expect(more + refused).toBe(12);
      paid += more;
    }
    expect(paid).toBe(3);
    expect(await lab.readLink(id)).toMatchObject({ uses: 3, status: 'completed', total_received: 7_500 });
  });

  it('in parts are limited to the remaining amount', async () => {
    const { id } = await lab.link({ amount: 10_000, allow_partial: true });
    const { paid, refused } = await settled(await enterAll(id, 10, { amount: 4_000 }));
    expect([paid, refused]).toEqual([2, 8]);
    expect(await lab.readLink(id)).toMatchObject({ amount_remaining: 2_000, uses: 0, total_received: 8_000 });
    expect((await lab.pay(id)).amount).toBe(2_000);
    expect(await lab.readLink(id)).toMatchObject({ status: 'completed', uses: 1 });
  });

  it('of a link without a limit all succeed', async () => {
    const { id } = await lab.link();
    expect(await settled(await enterAll(id, 20))).toEqual({ paid: 20, refused: 0 });
    expect(await lab.readLink(id)).toMatchObject({ uses: 20, total_received: 50_000, status: 'active' });
  });
});
