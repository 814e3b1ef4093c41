import { addSeconds } from '../../src/core/clock.ts';
import { sandboxMobileProviders } from '../../src/sandbox/mobile-money.ts';
import { createSandboxCollecting } from '../../src/sandbox/phone/collecting.ts';
import { createPhonePayer } from '../../src/sandbox/phone/payer.ts';
import type { CollectingRail } from '../../src/server/rails/mobile-money/collecting.ts';
import { createTestDatabase } from '../support/database.ts';
import { describeCollectingRail } from './collecting-rail.ts';

const now = new Date('2026-11-20T12:00:00Z');
const answers = { approve: 'approve', refuse: 'refuse', ignore: 'silence' } as const;
const numbers: Readonly<Record<(typeof sandboxMobileProviders)[number], string>> = {
  mtn: '+256772123',
  mpesa: '+254712123',
  airtel: '+254733123',
  orange: '+2250712123',
  wave: '+2250512123',
};

for (const provider of sandboxMobileProviders) {
  describeCollectingRail(`sandbox ${provider}`, async () => {
    const database = await createTestDatabase();
    const number = (digits: string) => `${numbers[provider]}${digits}`;
    const refusing = {
      number_not_registered: number('029'),
      prompt_refused: number('039'),
      insufficient_funds: number('049'),
      wrong_pin: number('059'),
      processing_error: number('069'),
      operator_limit: number('079'),
    };
    /** A rail whose test numbers have answered when it returns. */
    const open = (): CollectingRail => {
      const rail = createSandboxCollecting({ db: database.db, rail: provider });
      const isTest = (phone: string) => Object.values(refusing).includes(phone);
      return {
        ...rail,
        prompt: async request => {
          const outcome = await rail.prompt(request);
          return isTest(request.number) ? await rail.prompt({ ...request, now: addSeconds(request.now, 1) }) : outcome;
        },
      };
    };
    const payer = createPhonePayer({ db: database.db, nowOf: async () => now, notify: async () => {} });
    const promptsOf = async (attemptId: string) => {
      const { rows } = await database.pool.query('select * from sandbox.mobile_prompts where attempt_id = $1', [
        attemptId,
      ]);
      return rows;
    };
    return {
      rail: open(),
      reopened: open(),
      number: number('456'),
      refusing,
      answer: async (attemptId, answer) => {
        const [prompt] = await promptsOf(attemptId);
        await payer.answer(prompt, answers[answer], now).catch(() => undefined);
      },
      shown: async attemptId => (await promptsOf(attemptId)).length,
      close: () => database.drop(),
    };
  });
}
