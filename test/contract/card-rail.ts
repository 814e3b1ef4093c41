import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addSeconds } from '../../src/core/clock.ts';
import { newId } from '../../src/core/id.ts';
import type { SendOrder } from '../../src/server/outbound/sender.ts';
import type { CardDetails, CardRail, ChargeOutcome, ChargeRequest } from '../../src/server/rails/card-rail.ts';

/** How a card of the rail's test mode behaves. `uncapturable`: authorized, but its captures are declined. */
export type CardKind = 'approved' | 'declined' | 'challenged' | 'delayed' | 'uncapturable';

/** A card rail under test, with its cards and payers. */
export interface CardRailSubject {
  readonly rail: CardRail;
  /** The same rail as another process would open it. */
  readonly reopened: CardRail;
  /** A card the rail's test mode approves. */
  readonly card: CardDetails;
  /** A new token of a card with this behaviour. */
  token(kind: CardKind): Promise<string>;
  /** The payer answers on the rail's own page. */
  answer(url: string, choice: 'approve' | 'decline' | 'close'): Promise<void>;
  /** Seconds after which a delayed capture has succeeded. */
  readonly delaySeconds: number;
  close(): Promise<void>;
}

const now = new Date('2026-11-20T12:00:00Z');
const merchantId = newId('account');

function chargeOf(token: string, changes: Partial<ChargeRequest> = {}): ChargeRequest {
  return {
    attemptId: newId('attempt'),
    merchantId,
    paymentId: newId('payment'),
    payee: 'Nordlys Supply',
    token,
    amount: 12_840n,
    currency: 'EUR',
    captureMethod: 'automatic',
    returnUrl: 'https://shop.example/back?order=1&x=%22',
    now,
    ...changes,
  };
}

function refundOf(original: string, amount: bigint, changes: Partial<SendOrder> = {}): SendOrder {
  const id = newId('outboundTransfer');
  return { id, merchantId, original, amount, currency: 'EUR', destination: null, now, ...changes };
}

function referenceOf(outcome: ChargeOutcome | null): string {
  if (outcome === null || !('railReference' in outcome) || outcome.railReference === null) {
    throw new Error(`a charge without reference: ${outcome?.state}`);
  }
  return outcome.railReference;
}

export function describeCardRail(name: string, makeSubject: () => Promise<CardRailSubject>): void {
  describe(`card rail: ${name}`, () => {
    let subject: CardRailSubject;
    let rail: CardRail;
    beforeAll(async () => {
      subject = await makeSubject();
      rail = subject.rail;
    });
    afterAll(() => subject.close());

    describe('a token', () => {
      test('contains brand and last four digits, and can be charged', async () => {
        const token = await rail.tokenize(subject.card, now);
        expect(token.last4).toBe(subject.card.number.replace(/\D/g, '').slice(-4));
        expect(rail.brands).toContain(token.brand);
        expect(token.token).not.toContain(subject.card.number);
        expect(await rail.isToken(token.token)).toBe(true);
        expect(await subject.reopened.isToken(token.token)).toBe(true);
        expect(await rail.isToken(`${token.token}x`)).toBe(false);
      });

      test.each([
        ['a wrong check digit', { number: '4242424242424241' }, 'incorrect_number', 'number'],
        ['too few digits', { number: '42424242' }, 'incorrect_number', 'number'],
        ['no digits', { number: '' }, 'incorrect_number', 'number'],
        ['a month that does not exist', { expiryMonth: 13 }, 'invalid_expiry', 'expiry'],
        ['a year far ahead', { expiryYear: 2126 }, 'invalid_expiry', 'expiry'],
        ['an expired month', { expiryMonth: 10, expiryYear: 2026 }, 'expired_card', 'expiry'],
        ['a security code too short', { cvc: '12' }, 'incorrect_cvc', 'cvc'],
        ['a security code with letters', { cvc: '12a' }, 'incorrect_cvc', 'cvc'],
      ])('is refused for %s', async (_, changes, code, param) => {
        await expect(rail.tokenize({ ...subject.card, ...changes }, now)).rejects.toMatchObject({ code, param });
      });

      test('can be charged by one attempt only', async () => {
        const token = await subject.token('approved');
        const first = await rail.charge(chargeOf(token));
        expect(first.state).toBe('captured');
        expect(await rail.isToken(token)).toBe(false);
        expect(await rail.charge(chargeOf(token))).toMatchObject({
          state: 'declined',
          decline: { code: 'invalid_token' },
        });
      });

      test('that does not exist is declined', async () => {
        expect(await rail.charge(chargeOf('tok_0000000000000000000000'))).toMatchObject({
          state: 'declined',
          decline: { code: 'invalid_token', message: expect.stringMatching(/^[A-Z].+\.$/) },
        });
      });

      test('can be charged by only one of two concurrent attempts', async () => {
        for (let round = 0; round < 5; round++) {
          const token = await subject.token('approved');
          const outcomes = await Promise.all(
            [0, 1, 2, 3].map(i => (i % 2 ? rail : subject.reopened).charge(chargeOf(token))),
          );
          expect(outcomes.filter(({ state }) => state === 'captured')).toHaveLength(1);
          expect(outcomes.filter(({ state }) => state === 'declined')).toHaveLength(3);
        }
      });
    });

    describe('a charge', () => {
      test('is made once when the attempt is repeated', async () => {
        const request = chargeOf(await subject.token('approved'));
        const outcomes = await Promise.all(
          Array.from({ length: 50 }, (_, i) => (i % 2 ? rail : subject.reopened).charge(request)),
        );
        for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
        expect(outcomes[0]).toMatchObject({ state: 'captured', amount: 12_840n });
        expect(await rail.charge(request)).toEqual(outcomes[0]);
        expect(await subject.reopened.chargeStatus(request.attemptId, now)).toEqual(outcomes[0]);
      });

      test('that is declined has a plain reason, and stays declined', async () => {
        const request = chargeOf(await subject.token('declined'));
        const outcome = await rail.charge(request);
        expect(outcome).toMatchObject({
          state: 'declined',
          decline: { code: expect.stringMatching(/^[a-z_]+$/), message: expect.stringMatching(/^[A-Z].+\.$/) },
        });
        expect(await rail.charge(request)).toEqual(outcome);
        expect(await rail.chargeStatus(request.attemptId, now)).toEqual(outcome);
      });

      test('that the rail does not know has no status', async () => {
        expect(await rail.chargeStatus(newId('attempt'), now)).toBeNull();
      });

      test('that is captured later is pending, and cannot be refunded before', async () => {
        const request = chargeOf(await subject.token('delayed'));
        const outcome = await rail.charge(request);
        expect(outcome.state).toBe('capturing');
        const early = addSeconds(now, subject.delaySeconds - 1);
        const late = addSeconds(now, subject.delaySeconds);
        expect(await rail.chargeStatus(request.attemptId, early)).toEqual(outcome);
        const reference = referenceOf(outcome);
        expect((await rail.refund(refundOf(reference, 1n, { now: early }))).state).toBe('failed');
        expect(await rail.chargeStatus(request.attemptId, late)).toEqual({ ...outcome, state: 'captured' });
        expect((await rail.refund(refundOf(reference, 1n, { now: late }))).state).toBe('completed');
      });
    });

    describe('a charge with 3-D Secure', () => {
      async function challenge() {
        const request = chargeOf(await subject.token('challenged'));
        const outcome = await rail.charge(request);
        if (outcome.state !== 'requires_action') throw new Error(`not challenged: ${outcome.state}`);
        const status = () => subject.reopened.chargeStatus(request.attemptId, now);
        return { request, outcome, status };
      }

      test('waits for the payer at an absolute URL that cannot be guessed', async () => {
        const first = await challenge();
        const second = await challenge();
        expect(new URL(first.outcome.url).protocol).toMatch(/^https?:$/);
        expect(first.outcome.url).not.toBe(second.outcome.url);
        expect(first.outcome.url).not.toContain(first.request.attemptId);
        expect(await first.status()).toEqual(first.outcome);
        expect(await rail.charge(first.request)).toEqual(first.outcome);
        expect((await rail.refund(refundOf(first.outcome.railReference, 1n))).state).toBe('failed');
      });

      test.each([
        ['approve', 'captured'],
        ['decline', 'declined'],
        ['close', 'declined'],
      ] as const)('follows the choice of the payer to %s, once', async (choice, state) => {
        const { outcome, status } = await challenge();
        await subject.answer(outcome.url, choice);
        const after = await status();
        expect(after?.state).toBe(state);
        if (after?.state === 'declined') expect(after.decline.code).toBe('authentication_failed');
        for (const other of ['approve', 'decline', 'close'] as const) await subject.answer(outcome.url, other);
        expect(await status()).toEqual(after);
      });

      test('can be canceled, and then cannot be captured', async () => {
        const { request, outcome, status } = await challenge();
        expect(await rail.cancelCharge(request.attemptId)).toBe(true);
        expect(await rail.cancelCharge(request.attemptId)).toBe(true);
        await subject.answer(outcome.url, 'approve');
        expect(await status()).toMatchObject({ state: 'declined', decline: { code: 'authentication_failed' } });
      });

      test('cannot be canceled after the payer has decided', async () => {
        const { request, outcome, status } = await challenge();
        await subject.answer(outcome.url, 'approve');
        expect(await rail.cancelCharge(request.attemptId)).toBe(false);
        expect((await status())?.state).toBe('captured');
        expect(await rail.cancelCharge(newId('attempt'))).toBe(false);
      });

      test('has one outcome when decision and cancellation are concurrent', async () => {
        for (let round = 0; round < 10; round++) {
          const { request, outcome, status } = await challenge();
          const [canceled] = await Promise.all([
            rail.cancelCharge(request.attemptId),
            subject.answer(outcome.url, 'approve'),
          ]);
          expect((await status())?.state).toBe(canceled ? 'declined' : 'captured');
        }
      });
    });

    describe('an authorization', () => {
      const day = 86_400;
      async function authorize(kind: CardKind = 'approved') {
        const request = chargeOf(await subject.token(kind), { amount: 1_000n, captureMethod: 'manual' });
        const outcome = await rail.charge(request);
        const capture = (amount: bigint, at = now) => {
          return rail.capture({ attemptId: request.attemptId, amount, now: at });
        };
        const status = (at = now) => subject.reopened.chargeStatus(request.attemptId, at);
        return { request, outcome, capture, status };
      }

      test('takes no money, and stays for seven days', async () => {
        const { request, outcome, status } = await authorize();
        expect(outcome.state).toBe('authorized');
        expect(await rail.charge(request)).toEqual(outcome);
        expect(await status(addSeconds(now, 7 * day))).toEqual(outcome);
        expect((await rail.refund(refundOf(referenceOf(outcome), 1n))).state).toBe('failed');
      });

      test.each([1_000n, 400n])('is captured once (%d), and the rest is released', async amount => {
        const { request, outcome, capture, status } = await authorize();
        const captured = await capture(amount, addSeconds(now, 7 * day));
        expect(captured).toEqual({ ...outcome, state: 'captured', amount });
        expect(await capture(amount)).toEqual(captured);
        expect(await capture(999n)).toEqual(captured);
        expect(await status()).toEqual(captured);
        expect(await rail.cancelCharge(request.attemptId)).toBe(false);
        expect((await rail.refund(refundOf(referenceOf(outcome), amount + 1n))).state).toBe('failed');
        expect((await rail.refund(refundOf(referenceOf(outcome), amount))).state).toBe('completed');
      });

      test('has one capture when many are concurrent', async () => {
        const { request } = await authorize();
        const outcomes = await Promise.all(
          Array.from({ length: 20 }, (_, i) =>
            (i % 2 ? rail : subject.reopened).capture({
              attemptId: request.attemptId,
              amount: BigInt(400 + (i % 2)),
              now,
            }),
          ),
        );
        expect(new Set(outcomes.map(outcome => referenceOf(outcome))).size).toBe(1);
        expect(new Set(outcomes.map(outcome => outcome.state === 'captured' && outcome.amount)).size).toBe(1);
      });

      test('is never captured above its amount', async () => {
        const { outcome, capture, status } = await authorize();
        await expect(capture(1_001n)).rejects.toThrow();
        expect(await status()).toEqual(outcome);
      });

      test('can be released, and then cannot be captured', async () => {
        const { request, capture, status } = await authorize();
        expect(await rail.cancelCharge(request.attemptId)).toBe(true);
        expect(await rail.cancelCharge(request.attemptId)).toBe(true);
        expect(await capture(1_000n)).toEqual({ state: 'released' });
        expect(await status()).toEqual({ state: 'released' });
      });

      test('has one outcome when capture and release are concurrent', async () => {
        for (let round = 0; round < 10; round++) {
          const { request, capture, status } = await authorize();
          const [released, captured] = await Promise.all([rail.cancelCharge(request.attemptId), capture(1_000n)]);
          expect([captured.state, (await status())?.state]).toEqual(Array(2).fill(released ? 'released' : 'captured'));
        }
      });

      test('that the rail does not know is not captured', async () => {
        expect(await rail.capture({ attemptId: newId('attempt'), amount: 1n, now })).toEqual({ state: 'released' });
      });

      test('is captured later by a slow card', async () => {
        const { outcome, capture, status } = await authorize('delayed');
        expect(outcome.state).toBe('authorized');
        const capturing = await capture(700n);
        expect(capturing).toEqual({ ...outcome, state: 'capturing', amount: 700n });
        expect(await capture(700n, addSeconds(now, subject.delaySeconds))).toEqual({ ...capturing, state: 'captured' });
        expect(await status(addSeconds(now, subject.delaySeconds))).toEqual({ ...capturing, state: 'captured' });
      });

      test('follows 3-D Secure', async () => {
        const { request, outcome, status } = await authorize('challenged');
        if (outcome.state !== 'requires_action') throw new Error(`not challenged: ${outcome.state}`);
        expect((await rail.capture({ attemptId: request.attemptId, amount: 1n, now })).state).toBe('requires_action');
        await subject.answer(outcome.url, 'approve');
        expect(await status()).toMatchObject({ state: 'authorized', threeDSecure: 'authenticated' });
        expect(await rail.cancelCharge(request.attemptId)).toBe(true);
        expect(await status()).toEqual({ state: 'released' });
      });

      test('whose capture is declined has a plain reason, and is over', async () => {
        const { outcome, capture, status } = await authorize('uncapturable');
        expect(outcome.state).toBe('authorized');
        const declined = await capture(1_000n);
        expect(declined).toMatchObject({
          state: 'declined',
          decline: { code: expect.stringMatching(/^[a-z_]+$/), message: expect.stringMatching(/^[A-Z].+\.$/) },
        });
        expect(await capture(1_000n)).toEqual(declined);
        expect(await status()).toEqual(declined);
      });
    });

    test('a dispute that the rail does not know is null', async () => {
      expect(await rail.findDispute('nothing', now)).toBeNull();
    });

    describe('a refund', () => {
      async function charged(): Promise<string> {
        return referenceOf(await rail.charge(chargeOf(await subject.token('approved'), { amount: 1_000n })));
      }

      test('may be partial until the charge is used up', async () => {
        const reference = await charged();
        expect((await rail.refund(refundOf(reference, 400n))).state).toBe('completed');
        expect((await rail.refund(refundOf(reference, 601n))).state).toBe('failed');
        expect((await rail.refund(refundOf(reference, 600n))).state).toBe('completed');
        expect((await rail.refund(refundOf(reference, 1n))).state).toBe('failed');
      });

      test('is made once when it is repeated', async () => {
        const request = refundOf(await charged(), 600n);
        const outcomes = await Promise.all(Array.from({ length: 20 }, () => rail.refund(request)));
        expect(new Set(outcomes.map(outcome => JSON.stringify(outcome))).size).toBe(1);
        expect(outcomes[0]?.state).toBe('completed');
        expect((await rail.refund(refundOf(request.original ?? '', 400n))).state).toBe('completed');
        expect(await subject.reopened.refundStatus(request.id, now)).toEqual(outcomes[0]);
      });

      test('never exceeds the charge, also when many are sent concurrently', async () => {
        const reference = await charged();
        const outcomes = await Promise.all(Array.from({ length: 12 }, () => rail.refund(refundOf(reference, 300n))));
        expect(outcomes.filter(({ state }) => state === 'completed')).toHaveLength(3);
      });

      test.each([
        ['of another merchant', { merchantId: newId('account') }],
        ['in another currency', { currency: 'USD' }],
        ['of a charge that does not exist', { original: 'nothing' }],
      ])('%s fails with a reason', async (_, changes) => {
        const request = refundOf(await charged(), 1n, changes);
        const outcome = await rail.refund(request);
        expect(outcome).toMatchObject({
          state: 'failed',
          code: expect.stringMatching(/^[a-z_]+$/),
          message: expect.stringMatching(/^[A-Z].+\.$/),
        });
        expect(await rail.refundStatus(request.id, now)).toEqual(outcome);
      });

      test('that does not exist has no status', async () => {
        expect(await rail.refundStatus(newId('outboundTransfer'), now)).toBeNull();
      });
    });
  });
}
