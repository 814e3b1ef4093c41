import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addSeconds } from '../../src/core/clock.ts';
import { newId } from '../../src/core/id.ts';
import { mobileMoneyMarkets } from '../../src/core/mobile-money/markets.ts';
import type {
  CollectingRail,
  PromptOutcome,
  PromptRefusal,
  PromptRequest,
} from '../../src/server/rails/mobile-money/collecting.ts';

/** What a payer does with a prompt. `ignore`: the prompt ends without an answer. */
export type PhoneAnswer = 'approve' | 'refuse' | 'ignore';

/** A collecting rail under test, with its phones. */
export interface CollectingRailSubject {
  readonly rail: CollectingRail;
  /** The same rail as another process would open it. */
  readonly reopened: CollectingRail;
  /** A phone of the rail's first market (E.164) whose prompts wait for `answer`. */
  readonly number: string;
  /** Phones whose prompts are refused without `answer`, by the code of the refusal. */
  readonly refusing: Partial<Readonly<Record<PromptRefusal['code'], string>>>;
  /** The payer answers the attempt's prompt. An answer to a prompt that has ended changes nothing. */
  answer(attemptId: string, answer: PhoneAnswer): Promise<void>;
  /** How many prompts the operator has shown for the attempt. */
  shown(attemptId: string): Promise<number>;
  close(): Promise<void>;
}

const now = new Date('2026-11-20T12:00:00Z');
/** Longer than a test rail needs to decide a prompt of `refusing`. */
const patienceSeconds = 10;

export function describeCollectingRail(name: string, makeSubject: () => Promise<CollectingRailSubject>): void {
  describe(`collecting rail: ${name}`, () => {
    let subject: CollectingRailSubject;
    let rail: CollectingRail;
    beforeAll(async () => {
      subject = await makeSubject();
      rail = subject.rail;
    });
    afterAll(() => subject.close());

    /** A prompt for ten steps of the first market: at least its least amount. */
    function promptOf(changes: Partial<PromptRequest> = {}): PromptRequest {
      const [market] = rail.markets;
      if (market === undefined) throw new Error('the rail has no market');
      return {
        attemptId: newId('attempt'),
        merchantId: newId('account'),
        paymentId: newId('payment'),
        payee: 'Nordlys Supply',
        number: subject.number,
        amount: market.least + 10n * market.step,
        currency: market.currency,
        now,
        ...changes,
      };
    }
    const statusOf = ({ merchantId, attemptId: id }: PromptRequest, at = now) =>
      subject.reopened.promptStatus({ merchantId, id }, at);

    async function shownPrompt(changes: Partial<PromptRequest> = {}) {
      const request = promptOf(changes);
      const outcome = await rail.prompt(request);
      if (outcome.state !== 'waiting') throw new Error(`not shown: ${outcome.state}`);
      return { request, outcome };
    }

    const refusedWith = (code: PromptRefusal['code']) => ({
      state: 'refused',
      refusal: { code, message: expect.stringMatching(/^[A-Z].{10,}\.$/) },
    });

    test('has an id, and collects in markets of its operator', () => {
      expect(rail.id).toMatch(/^[a-z][a-z0-9_]*$/);
      expect(rail.markets.length).toBeGreaterThan(0);
      for (const market of rail.markets) {
        expect(market.provider).toBe(rail.id);
        const known = mobileMoneyMarkets.filter(
          ({ provider, country }) => provider === rail.id && country === market.country,
        );
        expect(known.map(({ currency }) => currency)).toEqual([market.currency]);
      }
    });

    test('shows a prompt that waits until its end', async () => {
      const { request, outcome } = await shownPrompt();
      expect(outcome.railReference).not.toBe('');
      expect(outcome.expiresAt).toEqual(addSeconds(now, rail.promptSeconds));
      expect(await statusOf(request)).toEqual(outcome);
      expect(await statusOf(request, addSeconds(now, 1))).toEqual(outcome);
      expect(await subject.shown(request.attemptId)).toBe(1);
    });

    test('shows one prompt when the attempt is repeated, and its end stays', async () => {
      const { request, outcome } = await shownPrompt();
      for (const one of [rail, subject.reopened, rail]) {
        expect(await one.prompt({ ...request, now: addSeconds(now, 5) })).toEqual(outcome);
      }
      expect(await subject.shown(request.attemptId)).toBe(1);
    });

    test('shows one prompt when many processes ask at the same time', async () => {
      const request = promptOf();
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, i) => (i % 2 ? rail : subject.reopened).prompt(request)),
      );
      for (const { state } of outcomes) expect(['waiting', 'unknown']).toContain(state);
      expect(await statusOf(request)).toMatchObject({ state: 'waiting' });
      expect(await subject.shown(request.attemptId)).toBe(1);
    });

    test('collects the amount once the payer approves', async () => {
      const { request } = await shownPrompt();
      await subject.answer(request.attemptId, 'approve');
      const collected = await statusOf(request);
      expect(collected).toEqual({
        state: 'collected',
        railReference: expect.stringMatching(/./),
        amount: request.amount,
      });
      expect(await rail.prompt(request)).toEqual(collected);
      await subject.answer(request.attemptId, 'refuse');
      expect(await statusOf(request, addSeconds(now, 86_400))).toEqual(collected);
      expect(await subject.shown(request.attemptId)).toBe(1);
    });

    test('is refused when the payer refuses, and stays refused', async () => {
      const { request } = await shownPrompt();
      await subject.answer(request.attemptId, 'refuse');
      const refused = await statusOf(request);
      expect(refused).toMatchObject(refusedWith('prompt_refused'));
      await subject.answer(request.attemptId, 'approve');
      expect(await rail.prompt(request)).toEqual(refused);
      expect(await statusOf(request, addSeconds(now, 86_400))).toEqual(refused);
      expect(await subject.shown(request.attemptId)).toBe(1);
    });

    test('expires when the payer does not answer', async () => {
      const { request, outcome } = await shownPrompt();
      await subject.answer(request.attemptId, 'ignore');
      expect(await statusOf(request, addSeconds(outcome.expiresAt, 1))).toMatchObject(refusedWith('prompt_expired'));
    });

    test('says why it took no money', async () => {
      for (const [code, number] of Object.entries(subject.refusing) as [PromptRefusal['code'], string][]) {
        const request = promptOf({ number });
        await rail.prompt(request);
        const refused = await statusOf(request, addSeconds(now, patienceSeconds));
        expect(refused, code).toMatchObject(refusedWith(code));
        expect(await rail.prompt(request)).toEqual(refused);
      }
    });

    test('refuses a currency in which it does not collect', async () => {
      const outcome: PromptOutcome = await rail.prompt(promptOf({ currency: 'EUR' }));
      expect(outcome).toMatchObject(refusedWith('processing_error'));
    });

    test('knows only attempts that it was given, by their merchant', async () => {
      const { request } = await shownPrompt();
      expect(await statusOf(promptOf())).toBeNull();
      expect(await statusOf({ ...request, merchantId: newId('account') })).toBeNull();
    });
  });
}
