import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addSeconds } from '../../src/core/clock.ts';
import { newId } from '../../src/core/id.ts';
import { mobileMoneyMarkets } from '../../src/core/mobile-money/markets.ts';
import { sandboxMobileProviders } from '../../src/sandbox/mobile-money.ts';
import { createSandboxCollecting } from '../../src/sandbox/phone/collecting.ts';
import type { CollectingRail, PromptRequest } from '../../src/server/rails/mobile-money/collecting.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const now = new Date('2026-11-20T12:00:00Z');
let database: TestDatabase;
let rail: CollectingRail;
beforeAll(async () => {
  database = await createTestDatabase();
  rail = createSandboxCollecting({ db: database.db, rail: 'mtn' });
});
afterAll(() => database.drop());

const promptTo = (number: string): PromptRequest => ({
  attemptId: newId('attempt'),
  merchantId: newId('account'),
  paymentId: newId('payment'),
  payee: 'Nordlys Supply',
  number,
  amount: 15_000n,
  currency: 'UGX',
  now,
});

const statusAfter = ({ merchantId, attemptId }: PromptRequest, seconds: number) =>
  rail.promptStatus({ merchantId, id: attemptId }, addSeconds(now, seconds));

const railReference = expect.stringMatching(/^sbx_prompt_/);
const waiting = { state: 'waiting', railReference, expiresAt: addSeconds(now, 120) };
const refused = (code: string) => ({ state: 'refused', railReference, refusal: { code, message: expect.any(String) } });
const collected = { state: 'collected', railReference, amount: 15_000n };

describe('the number of a prompt decides its answer', () => {
  test.each([
    [
      '+256772123789',
      [
        [0.9, waiting],
        [1, collected],
        [999, collected],
      ],
    ],
    [
      '+256772123039',
      [
        [0.9, waiting],
        [1, refused('prompt_refused')],
      ],
    ],
    ['+256772123049', [[1, refused('insufficient_funds')]]],
    ['+256772123059', [[1, refused('wrong_pin')]]],
    ['+256772123069', [[1, refused('processing_error')]]],
    ['+256772123079', [[1, refused('operator_limit')]]],
    ['+256772123029', [[0, refused('number_not_registered')]]],
    [
      '+256772123099',
      [
        [119, waiting],
        [120, refused('prompt_expired')],
      ],
    ],
    [
      '+256772123109',
      [
        [119, waiting],
        [120, { state: 'unknown' }],
        [179, { state: 'unknown' }],
        [180, collected],
      ],
    ],
    [
      '+256772123456',
      [
        [119, waiting],
        [120, refused('prompt_expired')],
      ],
    ],
  ] as const)('%s', async (number, states) => {
    const request = promptTo(number);
    const first = number.endsWith('029') ? refused('number_not_registered') : waiting;
    expect(await rail.prompt(request)).toEqual(first);
    for (const [seconds, outcome] of states)
      expect([seconds, await statusAfter(request, seconds)]).toEqual([seconds, outcome]);
  });
});

test('repeated requests of an attempt are one prompt', async () => {
  const request = promptTo('+256772123789');
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => rail.prompt(request)));
  expect(new Set(outcomes.map(outcome => JSON.stringify(outcome))).size).toBe(1);
  const later = { ...request, amount: 99n, now: addSeconds(now, 1) };
  expect(await rail.prompt(later)).toEqual(collected);
});

test('an operator knows its own prompts only', async () => {
  const request = promptTo('+256772123789');
  expect(await statusAfter(request, 0)).toBeNull();
  await rail.prompt(request);
  const airtel = createSandboxCollecting({ db: database.db, rail: 'airtel' });
  expect(await airtel.promptStatus({ merchantId: request.merchantId, id: request.attemptId }, now)).toBeNull();
});

test('every market of the table has an operator in test mode', () => {
  const rails = sandboxMobileProviders.map(id => createSandboxCollecting({ db: database.db, rail: id }));
  expect(rails.flatMap(({ markets }) => markets)).toHaveLength(mobileMoneyMarkets.length);
});
