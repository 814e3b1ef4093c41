import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Payment } from '../../../src/api/payment.ts';
import { instructionsOf, refusal } from '../payments/payment-lab.ts';
import { codeOf, type LinkLab, linkWork, type PayersPayment, startLinkLab } from './link-lab.ts';

let lab: LinkLab;
beforeAll(async () => {
  lab = await startLinkLab();
});
afterAll(async () => {
  await lab.expectSoundBooks();
  await lab.close();
});

const taken = [409, 'link_used'];
const pass = async (seconds: number) => {
  lab.clock.advance(seconds);
  await lab.sweep(...linkWork);
};

/** The acquirer captures the last approved charge in `seconds`. */
const captureAfter = (seconds: number) =>
  lab.database.pool.query(
    `update sandbox.charges set captures_at = $1
     where attempt_id = (select attempt_id from sandbox.charges where state = 'captured' and challenge is not null
       order by created_at desc limit 1)`,
    [new Date(lab.clock.now().getTime() + seconds * 1_000)],
  );

/** Runs `work` while another server is completing the link, before its commit. Then makes the link active again. */
const whileCompleting = async (linkId: string, work: () => Promise<unknown>) => {
  const { pool } = lab.database;
  const other = await pool.connect();
  try {
    await other.query('begin');
    const completed = `update payment_links set status = 'completed', completed_at = $2, uses = 1 where id = $1`;
    await other.query(completed, [linkId, lab.clock.now()]);
    const done = work();
    await Promise.race([done, vi.waitUntil(async () => (await pool.query(waiting)).rowCount === 1, { interval: 5 })]);
    await other.query('commit');
    await done;
    await lab.sweep(...linkWork);
    await other.query(`update payment_links set status = 'active', completed_at = null, uses = 0 where id = $1`, [
      linkId,
    ]);
  } finally {
    other.release();
  }
};

const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

/** Makes all calls wait for the payment's lock, and then lets them continue in this order. */
const inTurn = async (paymentId: string, work: readonly (() => Promise<unknown>)[]) => {
  const { pool } = lab.database;
  const begun: Promise<unknown>[] = [];
  const holder = await pool.connect();
  try {
    await holder.query('begin');
    await holder.query('select from payments where id = $1 for update', [paymentId]);
    for (const start of work) {
      begun.push(start());
      await vi.waitUntil(async () => (await pool.query(waiting)).rowCount === begun.length, { interval: 5 });
    }
  } finally {
    await holder.query('commit');
    holder.release();
    await Promise.all(begun);
  }
};

/** Pays with a new quote, because the old quote may have expired. */
const tryAgain = async (payment: PayersPayment, token?: string) => {
  await lab.act(payment.id, 'quotes', {});
  return await lab.tryCard(payment, token);
};

/** A payer who only starts to pay, or pays a cent, must not block the last use. */
describe('the reservation of a use', () => {
  it('ends a quarter of an hour after a partial payment; the next payer gets it, and the part is refunded', async () => {
    const { id } = await lab.link({ single_use: true });
    const [cent, honest] = [await lab.withBankDetails(id), await lab.enter(id)];
    await lab.transfer(cent, 2);
    expect((await lab.read(cent.id)).phase).toBe('partially_paid');
    await pass(890);
    expect(codeOf(await tryAgain(honest))).toEqual(taken);
    await pass(11);
    expect((await lab.read(cent.id)).phase).toBe('partially_paid');
    expect((await tryAgain(honest)).body.status).toBe('completed');
    await lab.transfer(cent, 2_498);
    expect(await lab.read(cent.id)).toMatchObject({
      phase: 'canceled',
      failure: { code: 'link_used' },
      amount_received: 2_500,
      amount_refunded: 2_500,
    });
    expect(await lab.readLink(id)).toMatchObject({ uses: 1, status: 'completed', total_received: 2_500 });
  });

  it('that has ended leaves the use to another payer, and the part is refunded', async () => {
    const { id } = await lab.link({ single_use: true });
    const slow = await lab.withBankDetails(id);
    await lab.transfer(slow, 1_000);
    await pass(901);
    await lab.pay(id);
    await lab.sweep(...linkWork);
    expect(await lab.read(slow.id)).toMatchObject({
      status: 'failed',
      phase: 'canceled',
      amount_received: 1_000,
      amount_refunded: 1_000,
      failure: { code: 'link_used', message: expect.stringContaining('goes back to you') },
    });
    expect(refusal(await lab.act(slow.id, 'resolve', { action: 'accept' }))).toEqual([409, 'illegal_state', null]);
    expect(await lab.readLink(id)).toMatchObject({ uses: 1, status: 'completed', total_received: 2_500 });
  });

  /** A partly paid payment in 3-D Secure whose reservation has ended. */
  const lingering = async (linkId: string) => {
    const first = await lab.enter(linkId);
    await lab.transfer((await lab.tryBank(first)).body, 1_000);
    for (let turn = 0; turn < 4; turn++) {
      await pass(800);
      expect((await tryAgain(first, 'tok_declined')).status).toBe(402);
    }
    const challenged = (await tryAgain(first, 'tok_3ds')).body;
    expect(challenged.phase).toBe('requires_action');
    return challenged;
  };

  it('that has ended leaves the use to another payer, also while the first one is in 3-D Secure', async () => {
    const { id } = await lab.link({ single_use: true });
    const challenged = await lingering(id);
    await lab.pay(id);
    await lab.sweep(...linkWork);
    await lab.answerChallenge(challenged, 'decline');
    await pass(20);
    expect(await lab.read(challenged.id)).toMatchObject({ failure: { code: 'link_used' }, amount_refunded: 1_000 });
  });

  it('that has ended leaves the use to another payer, also while the first one’s attempt ends', async () => {
    const { id } = await lab.link({ single_use: true });
    const challenged = await lingering(id);
    await lab.answerChallenge(challenged, 'decline');
    lab.clock.advance(20);
    await whileCompleting(id, () => lab.sweep('payments.attempts'));
    expect(await lab.read(challenged.id)).toMatchObject({ failure: { code: 'link_used' }, amount_refunded: 1_000 });
  });

  it('is not taken from an active payer, and not counted twice, when the merchant accepts late money', async () => {
    const { id } = await lab.link({ single_use: true });
    const [late, other] = [await lab.withBankDetails(id), await lab.enter(id)];
    await lab.act(late.id, 'cancel');
    await lab.transfer(late);
    expect((await lab.tryCard(other, 'tok_3ds')).body.phase).toBe('requires_action');
    const accept = () => lab.act(late.id, 'resolve', { action: 'accept' });
    expect(codeOf(await accept())).toEqual(taken);
    await tryAgain(other);
    expect(await lab.readLink(id)).toMatchObject({ uses: 1, status: 'completed', total_received: 2_500 });
    expect((await accept()).status).toBe(200);
    expect(await lab.readLink(id)).toMatchObject({ uses: 1, status: 'completed', total_received: 5_000 });
  });

  it('is not ended for a payer whose next part arrives at the end of the time', async () => {
    const { id } = await lab.link({ single_use: true });
    const [slow, other] = [await lab.withBankDetails(id), await lab.enter(id)];
    await lab.transfer(slow, 1_000);
    lab.clock.advance(901);
    await inTurn(slow.id, [
      () => lab.credit({ reference: instructionsOf(slow).reference, amount: 1_000 }),
      () => lab.sweep('links.reservations'),
    ]);
    expect((await lab.read(slow.id)).amount_received).toBe(2_000);
    expect(codeOf(await tryAgain(other))).toEqual(taken);
    await lab.transfer(slow, 500);
    expect((await lab.read(slow.id)).status).toBe('completed');
  });

  it('is extended by each partial payment', async () => {
    const { id } = await lab.link({ single_use: true });
    const [slow, other] = [await lab.withBankDetails(id), await lab.enter(id)];
    await lab.transfer(slow, 1_000);
    await pass(600);
    await lab.transfer(slow, 1_000);
    await pass(600);
    expect(codeOf(await tryAgain(other))).toEqual(taken);
    await lab.transfer(slow, 500);
    expect((await lab.read(slow.id)).status).toBe('completed');
  });

  it('is restored by the rest of the amount while the use is still free', async () => {
    const { id } = await lab.link({ single_use: true });
    const slow = await lab.withBankDetails(id);
    await lab.transfer(slow, 1_000);
    await pass(901);
    await lab.transfer(slow, 1_500);
    expect((await lab.read(slow.id)).status).toBe('completed');
    expect(await lab.readLink(id)).toMatchObject({ uses: 1, status: 'completed' });
  });

  it('is not restored while another payer has reserved the use', async () => {
    const { id } = await lab.link({ single_use: true });
    const first = await lab.enter(id);
    const slow = (await lab.tryBank(first)).body;
    await lab.transfer(slow, 1_000);
    await pass(901);
    const other = await lab.enter(id);
    const challenged = (await lab.tryCard(other, 'tok_3ds')).body;
    expect(challenged.phase).toBe('requires_action');
    expect(codeOf(await tryAgain(first))).toEqual(taken);
    await lab.answerChallenge(challenged, 'approve');
    await pass(20);
    expect((await lab.read(other.id)).status).toBe('completed');
  });

  it.each([
    ['at once', 0],
    ['later', 30],
  ])(
    'cannot be extended by several payments in 3-D Secure; a charge that is captured %s is refunded',
    async (_, seconds) => {
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
      await captureAfter(seconds);
      await pass(20);
      expect((await lab.read(last?.id ?? '')).phase).toBe(seconds > 20 ? 'processing' : 'canceled');
      await pass(20);
      await pass(20);
      const { amount_received: received, amount_refunded: back, status } = await lab.read(last?.id ?? '');
      expect([status, received - back]).toEqual(['failed', 0]);
      expect(await lab.readLink(id)).toMatchObject({ uses: 1, total_received: 2_500 });
    },
  );

  it('of a partial payment ends in an unanswered 3-D Secure, but is extended by a decline', async () => {
    for (const isDeclined of [false, true]) {
      const { id } = await lab.link({ single_use: true });
      const [first, other] = [await lab.enter(id), await lab.enter(id)];
      await lab.transfer((await lab.tryBank(first)).body, 1_000);
      const challenged = (await tryAgain(first, 'tok_3ds')).body;
      expect(challenged.phase).toBe('requires_action');
      if (isDeclined) await lab.answerChallenge(challenged, 'decline');
      lab.clock.advance(901);
      await lab.sweep('links.reservations');
      expect((await lab.read(first.id)).phase).toBe('partially_paid');
      const tried = await tryAgain(other);
      if (isDeclined) expect(codeOf(tried)).toEqual(taken);
      else expect(tried.body.status).toBe('completed');
    }
  });

  it('is rarely checked while only a bank can still confirm the payment', async () => {
    const { id } = await lab.link({ single_use: true });
    const challenged = (await lab.tryCard(await lab.enter(id), 'tok_3ds')).body;
    await lab.answerChallenge(challenged, 'approve');
    await captureAfter(7_200);
    await pass(20);
    expect((await lab.read(challenged.id)).phase).toBe('processing');
    const lookAfter = async (seconds: number) => {
      lab.clock.advance(seconds);
      return await lab.sweep('links.reservations');
    };
    expect(await lookAfter(900)).toBeGreaterThan(0);
    expect([await lookAfter(61), await lookAfter(600), await lookAfter(300)]).toEqual([0, 0, 1]);
    expect(codeOf(await lab.tryCard(await lab.enter(id)))).toEqual(taken);
    await pass(7_200);
    expect((await lab.read(challenged.id)).status).toBe('completed');
  });

  // Two US cents count as one euro cent; one US cent is worth less and does not count.
  it.each([2, 1])('cannot be extended by repeated payments of two US cents, and a last one of %d', async last => {
    const { id } = await lab.link({ single_use: true });
    const answer = await lab.tryBank(await lab.enter(id), 'ach');
    const { reference } = instructionsOf(answer.body);
    const send = async (amount: number) => {
      expect((await lab.credit({ reference, amount, currency: 'USD' })).status).toBeLessThan(300);
      await lab.sweep(...linkWork);
    };
    for (let turn = 0; turn < 5; turn++) {
      await send(2);
      await pass(800);
    }
    await send(last);
    expect((await lab.read(answer.body.id)).phase).toBe('partially_paid');
    expect((await lab.pay(id)).status).toBe('completed');
  });

  it('is explained to a payer who is refunded: another payer is paying, or less is due', async () => {
    const message = async ({ id }: Payment) => (await lab.read(id)).failure?.message;
    const single = await lab.link({ single_use: true });
    const slow = await lab.withBankDetails(single.id);
    expect((await lab.tryCard(await lab.enter(single.id), 'tok_3ds')).body.phase).toBe('requires_action');
    await lab.transfer(slow);
    expect(await message(slow)).toBe(
      'Someone else is paying this right now. What you sent goes back to you. If they do not finish, you can pay the link.',
    );
    const parts = await lab.link({ amount: 10_000, allow_partial: true });
    const much = (await lab.tryBank(await lab.enter(parts.id, { amount: 6_000 }))).body;
    await lab.pay(parts.id, { amount: 5_000 });
    await lab.transfer(much, 6_000);
    expect(await message(much)).toBe(
      'Less is still due than you chose to pay. What you sent goes back to you; open the link again.',
    );
    expect((await lab.read(much.id)).amount_refunded).toBe(6_000);
  });

  it('has its normal time again after another payer has paid', async () => {
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
