import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Payment } from '../../../src/api/payment.ts';
import { instructionsOf } from '../payments/payment-lab.ts';
import { type LinkLab, startLinkLab } from './link-lab.ts';

let lab: LinkLab;
beforeAll(async () => {
  lab = await startLinkLab();
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

/** A payer requests bank details, and transfers `sent`. */
async function transfer(linkId: string, sent: number, body: object = {}): Promise<Payment> {
  const waiting = (await lab.tryBank(await lab.enter(linkId, body))).body;
  await lab.credit({ reference: instructionsOf(waiting).reference, amount: sent, sender_name: 'Grace Hopper' });
  await lab.sweep();
  return await lab.read(waiting.id);
}
const accept = async ({ id }: Payment) => {
  const answer = await lab.act(id, 'resolve', { action: 'accept' });
  expect(answer.status, answer.text).toBe(200);
};

/** Received and remaining amounts add up to the link's amount, for any transfers. */
describe('the amounts of a link paid in parts', () => {
  it('apply the tolerance once per link, not to each part', async () => {
    const { id } = await lab.link({ amount: 10, allow_partial: true });
    for (let part = 1; part <= 5; part++) {
      expect((await transfer(id, 1, { amount: 2 })).status).toBe('completed');
      expect(await lab.readLink(id)).toMatchObject({
        status: 'active',
        uses: 0,
        total_received: part,
        amount_remaining: 10 - part,
      });
    }
    expect((await lab.open(id, { amount: 6 })).body.error?.code).toBe('amount_out_of_range');
    await transfer(id, 3, { amount: 3 });
    expect(await lab.readLink(id)).toMatchObject({ status: 'active', total_received: 8, amount_remaining: 2 });
    await transfer(id, 1, { amount: 2 });
    expect(await lab.readLink(id)).toMatchObject({
      status: 'completed',
      uses: 1,
      total_received: 9,
      amount_remaining: 0,
    });
  });

  it('apply the tolerance of the link once for each use', async () => {
    const { id } = await lab.link({ amount: 10_000, allow_partial: true, max_uses: 2 });
    await transfer(id, 9_949, { amount: 9_949 });
    expect(await lab.readLink(id)).toMatchObject({ uses: 0, amount_remaining: 51 });
    await transfer(id, 1, { amount: 1 });
    expect(await lab.readLink(id)).toMatchObject({ uses: 1, amount_remaining: 10_000, total_received: 9_950 });
    await transfer(id, 9_950);
    expect(await lab.readLink(id)).toMatchObject({
      uses: 2,
      status: 'completed',
      amount_remaining: 0,
      total_received: 19_900,
    });
  });

  it('include the received amount of a part that the merchant accepts', async () => {
    const { id } = await lab.link({ amount: 10_000, allow_partial: true });
    const short = await transfer(id, 4_000);
    expect(short.phase).toBe('partially_paid');
    await accept(short);
    expect(await lab.readLink(id)).toMatchObject({
      status: 'active',
      uses: 0,
      total_received: 4_000,
      amount_remaining: 6_000,
    });
    await lab.pay(id);
    expect(await lab.readLink(id)).toMatchObject({
      status: 'completed',
      uses: 1,
      total_received: 10_000,
      amount_remaining: 0,
    });
  });

  it('include the surplus of a part when the merchant keeps it', async () => {
    const { id } = await lab.link({ amount: 10_000, allow_partial: true });
    const over = await transfer(id, 7_000, { amount: 4_000 });
    expect(over).toMatchObject({ status: 'completed', exception: 'overpaid' });
    expect(await lab.readLink(id)).toMatchObject({ total_received: 4_000, amount_remaining: 6_000 });
    await accept(over);
    expect(await lab.readLink(id)).toMatchObject({ total_received: 7_000, amount_remaining: 3_000, status: 'active' });
    const last = await transfer(id, 5_000);
    expect(await lab.readLink(id)).toMatchObject({ total_received: 10_000, status: 'completed', uses: 1 });
    await accept(last);
    expect(await lab.readLink(id)).toMatchObject({ total_received: 12_000, status: 'completed', uses: 1 });
  });

  it('complete the link when a kept surplus is the last part', async () => {
    const { id } = await lab.link({ amount: 10_000, allow_partial: true });
    await accept(await transfer(id, 10_000, { amount: 4_000 }));
    expect(await lab.readLink(id)).toMatchObject({ status: 'completed', uses: 1, total_received: 10_000 });
    expect((await lab.eventsOf(id)).slice(-1)).toEqual(['payment_link.completed']);
  });
});

describe('the received amount of a link with a fixed price', () => {
  it('includes a payment that the merchant accepts as sufficient, which counts as a use', async () => {
    const { id } = await lab.link({ amount: 10_000, single_use: true });
    await accept(await transfer(id, 4_000));
    expect(await lab.readLink(id)).toMatchObject({ status: 'completed', uses: 1, total_received: 4_000 });
  });

  it('includes a surplus only when it is kept, and no refunded surplus', async () => {
    const { id } = await lab.link({ amount: 10_000 });
    const kept = await transfer(id, 14_000);
    const returned = await transfer(id, 13_000);
    expect(await lab.readLink(id)).toMatchObject({ uses: 2, total_received: 20_000 });
    await accept(kept);
    await lab.act(returned.id, 'resolve', { action: 'refund' });
    await lab.sweep();
    expect((await lab.read(returned.id)).amount_refunded).toBe(3_000);
    expect(await lab.readLink(id)).toMatchObject({ uses: 2, total_received: 24_000 });
  });

  it('does not change with refunds', async () => {
    const { id } = await lab.link({ amount: 10_000 });
    const over = await transfer(id, 14_000);
    await lab.refund(over.id, { amount: 12_000 });
    expect(await lab.readLink(id)).toMatchObject({ uses: 1, total_received: 10_000 });
  });

  it('excludes amounts that were refunded before late money was accepted', async () => {
    const { id } = await lab.link({ amount: 10_000 });
    const waiting = (await lab.tryBank(await lab.enter(id))).body;
    await lab.act(waiting.id, 'cancel');
    const late = (amount: number) => lab.credit({ reference: instructionsOf(waiting).reference, amount });
    await late(3_000);
    await lab.sweep();
    await lab.act(waiting.id, 'resolve', { action: 'refund' });
    await lab.sweep();
    await late(10_000);
    await lab.sweep();
    await accept(waiting);
    expect(await lab.readLink(id)).toMatchObject({ uses: 1, total_received: 10_000 });
  });
});
