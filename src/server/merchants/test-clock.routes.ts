import { AdvanceClock, TestClock } from '../../api/test-helpers.ts';
import { type Clock, parseDuration } from '../../core/clock.ts';
import { PayError } from '../../core/error.ts';
import { callerOf } from '../platform/http/access/caller.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import type { Once } from '../platform/http/idempotency/idempotent-execution.ts';
import { type Merchant, merchantNow } from '../platform/merchant.ts';
import type { KeyDirectory } from './key-directory.ts';
import { advanceTestClock } from './merchant.store.ts';

/** What the clock routes need. */
export interface TestClockDeps {
  readonly once: Once;
  readonly clock: Clock;
  readonly keys: Pick<KeyDirectory, 'forget'>;
  /** Runs the work that the new time makes due. */
  readonly afterClockMove: () => Promise<void>;
}

/** Farthest that a test clock may run ahead: 20 years. */
const furthestMs = 20 * 365 * 86_400_000;

/** `/v1/test_helpers/clock`: reads the merchant's test clock and moves it ahead. */
export function registerTestClockRoutes(app: HttpApp, deps: TestClockDeps): void {
  const tags = ['Test helpers'];
  const answer = (merchant: Merchant) => ({
    object: 'test_clock' as const,
    now: merchantNow(merchant, false, deps.clock.now()).toISOString(),
  });
  app.get(
    '/v1/test_helpers/clock',
    {
      schema: { response: { 200: TestClock }, tags, summary: 'Read the test clock' },
      config: { access: 'test', scope: 'test_helpers:read' },
    },
    async request => answer(callerOf(request).merchant),
  );
  app.post(
    '/v1/test_helpers/clock',
    {
      schema: {
        body: AdvanceClock,
        response: { 200: TestClock },
        tags,
        summary: 'Move the test clock ahead',
        description:
          'Expiry, delayed captures and webhook retries that the new time makes due are done before the answer, ' +
          'as far as that takes moments. The clock never goes back; live mode has none.',
      },
      config: { access: 'test', scope: 'test_helpers:write' },
    },
    async (request, reply) => {
      const { merchant } = callerOf(request);
      const advanceMs = advanceOf(request.body.advance, merchant);
      return await deps.once(request, reply, async execution => {
        const moved = await execution.commit(async tx => ({
          status: 200,
          body: answer(await advanceTestClock(tx, merchant.id, advanceMs)),
        }));
        deps.keys.forget(merchant.id);
        await deps.afterClockMove();
        return moved;
      });
    },
  );
}

function advanceOf(text: string, merchant: Merchant): number {
  const advanceMs = parseDuration(text);
  if (advanceMs === null || advanceMs === 0) {
    const message = 'advance takes an ISO 8601 duration of weeks, days, hours, minutes and seconds: P3D, PT15M.';
    throw new PayError('invalid_duration', message, { param: 'advance' });
  }
  if (merchant.testClockOffsetMs + advanceMs > furthestMs) {
    throw new PayError('invalid_duration', 'The test clock goes at most 20 years ahead.', { param: 'advance' });
  }
  return advanceMs;
}
