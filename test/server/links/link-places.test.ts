import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Payment } from '../../../src/api/payment.ts';
import { instructionsOf } from '../payments/payment-lab.ts';
import { type LinkLab, type PayersPayment, startLinkLab } from './link-lab.ts';

let lab: LinkLab;
beforeAll(async () => {
  lab = await startLinkLab();
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const codeOf = (answer: { status: number; body: { error?: { code: string } } }) => [
  answer.status,
  answer.body.error?.code,
];
const taken = [409, 'link_used'];
const pass = async (seconds: number) => {
  lab.clock.advance(seconds);
  await lab.sweep();
};
const send = async (told: Payment, amount: number) => {
  await lab.credit({ reference: instructionsOf(told).reference, amount, sender_name: 'Grace Hopper' });
  await lab.sweep();
};
const toldByBank = async (id: string): Promise<Payment> => (await lab.tryBank(await lab.enter(id))).body;

/** A payer whose price may have run out meanwhile. */
const tryAgain = async (payment: PayersPayment, token?: string) => {
  await lab.act(payment.id, 'quotes', {});
  return await lab.tryCard(payment, token);
};

/** Nobody keeps others from the last place by beginning to pay, or by a cent. */
describe('the place of somebody who does not go on', () => {
  it('is free again a quarter of an hour after a part came; the next payer gets it, and the part goes back', async () => {
    const { id } = await lab.link({ single_use: true });
    const [cent, honest] = [await toldByBank(id), await lab.enter(id)];
    await send(cent, 1);
    expect((await lab.read(cent.id)).phase).toBe('partially_paid');
    await pass(890);
    expect(codeOf(await tryAgain(honest))).toEqual(taken);
    await pass(11);
    expect((await lab.read(cent.id)).phase).toBe('partially_paid');
    expect((await tryAgain(honest)).body.status).toBe('completed');
    await send(cent, 2_499);
    expect(await lab.read(cent.id)).toMatchObject({
      ...{ phase: 'canceled', failure: { code: 'link_used' }, amount_received: 2_500, amount_refunded: 2_500 },
    });
    expect(await lab.readLink(id)).toMatchObject({ uses: 1, status: 'completed', total_received: 2_500 });
  });

  it('is held on for as long again by each part that comes', async () => {
    const { id } = await lab.link({ single_use: true });
    const [slow, other] = [await toldByBank(id), await lab.enter(id)];
    await send(slow, 1_000);
    await pass(600);
    await send(slow, 1_000);
    await pass(600);
    expect(codeOf(await tryAgain(other))).toEqual(taken);
    await send(slow, 500);
    expect((await lab.read(slow.id)).status).toBe('completed');
  });

  it('is taken again by the rest of the money, where it is still free', async () => {
    const { id } = await lab.link({ single_use: true });
    const slow = await toldByBank(id);
    await send(slow, 1_000);
    await pass(901);
    await send(slow, 1_500);
    expect((await lab.read(slow.id)).status).toBe('completed');
    expect(await lab.readLink(id)).toMatchObject({ uses: 1, status: 'completed' });
  });

  it('is not to be had for the rest while somebody else holds it', async () => {
    const { id } = await lab.link({ single_use: true });
    const first = await lab.enter(id);
    const slow = (await lab.tryBank(first)).body;
    await send(slow, 1_000);
    await pass(901);
    const other = await lab.enter(id);
    const challenged = (await lab.tryCard(other, 'tok_3ds')).body;
    expect(challenged.phase).toBe('requires_action');
    expect(codeOf(await tryAgain(first))).toEqual(taken);
    await lab.answerChallenge(challenged, 'approve');
    await pass(20);
    expect((await lab.read(other.id)).status).toBe('completed');
  });

  it('cannot be kept by asking the card’s bank again and again, however many payments are made for it', async () => {
    const { id } = await lab.link({ single_use: true });
    let last: Payment | undefined;
    for (let turn = 0; turn < 5; turn++) {
      const payment = await lab.enter(id);
      last = (await lab.tryCard(payment, 'tok_3ds')).body;
      expect(last?.phase).toBe('requires_action');
      if (turn < 4) {
        await pass(800);
        expect((await tryAgain(payment, 'tok_declined')).status).toBe(402);
      }
    }
    const honest = await lab.enter(id);
    expect((await lab.tryCard(honest)).body.status).toBe('completed');
    await lab.answerChallenge(last as Payment, 'approve');
    await pass(20);
    await pass(20);
    const { amount_received: received, amount_refunded: back, status } = await lab.read(last?.id ?? '');
    expect([status, received - back]).toEqual(['failed', 0]);
    expect(await lab.readLink(id)).toMatchObject({ uses: 1, total_received: 2_500 });
  });

  it('cannot be kept by one cent after another', async () => {
    const { id } = await lab.link({ single_use: true });
    const cents = await toldByBank(id);
    for (let turn = 0; turn < 5; turn++) {
      await send(cents, 1);
      await pass(800);
    }
    await send(cents, 1);
    expect((await lab.pay(id)).status).toBe('completed');
  });

  it('is waited for as ever once somebody has paid', async () => {
    const { id } = await lab.link({ max_uses: 2 });
    for (let turn = 0; turn < 4; turn++) {
      const payment = await lab.enter(id);
      await lab.tryCard(payment, 'tok_3ds');
      await pass(800);
      await tryAgain(payment, 'tok_declined');
    }
    await lab.pay(id);
    expect((await lab.tryCard(await lab.enter(id), 'tok_3ds')).body.phase).toBe('requires_action');
    expect(codeOf(await lab.tryCard(await lab.enter(id)))).toEqual(taken);
  });
});
