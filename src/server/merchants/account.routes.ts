import { Account, UpdateAccount } from '../../api/merchant.ts';
import { AdvanceClock, TestClock } from '../../api/test-helpers.ts';
import { type Clock, parseDuration } from '../../core/clock.ts';
import { PayError } from '../../core/error.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { callerOf } from '../platform/http/access/caller.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import type { Once } from '../platform/http/idempotency/idempotent-execution.ts';
import { type Merchant, merchantNow } from '../platform/merchant.ts';
import { accountChanges, accountToWire } from './account.ts';
import { withDrawnImages } from './image.ts';
import type { KeyDirectory } from './key-directory.ts';
import { advanceTestClock, findMerchant, updateMerchant } from './merchant.store.ts';

/** What the account routes need. */
export interface AccountDeps {
  readonly db: Db;
  readonly keys: Pick<KeyDirectory, 'forget'>;
  /** Throws PayError `invalid_asset` for a settlement asset the service does not know. */
  readonly assertAsset: (text: string, param: string) => void;
  /** Runs in the transaction that changes the merchant's Stellar address. */
  readonly onAddress: (tx: Tx, merchantId: string) => Promise<void>;
}

const tags = ['Account'];

/** `GET` and `PATCH /v1/account`: the merchant's own settings, shared by test and live mode. */
export function registerAccountRoutes(app: HttpApp, deps: AccountDeps): void {
  app.get(
    '/v1/account',
    {
      schema: { response: { 200: Account }, tags, summary: 'Read the account' },
      config: { access: 'secret', scope: 'account:read' },
    },
    async request => {
      const { merchant, livemode } = callerOf(request);
      return accountToWire((await findMerchant(deps.db, merchant.id)) ?? merchant, livemode);
    },
  );
  app.patch(
    '/v1/account',
    {
      schema: {
        body: UpdateAccount,
        response: { 200: Account },
        tags,
        summary: 'Change the account',
        description:
          'Only what is given changes. Replicas follow within moments. An SVG logo or icon is drawn and kept as PNG.',
      },
      config: { access: 'secret', scope: 'account:write' },
    },
    async request => {
      const { merchant, livemode } = callerOf(request);
      const changes = accountChanges(await withDrawnImages(request.body), deps.assertAsset);
      const changed = await deps.db.transaction().execute(async tx => {
        const updated = await updateMerchant(tx, merchant.id, changes);
        if (changes.stellarAddress !== undefined) await deps.onAddress(tx, merchant.id);
        return updated;
      });
      deps.keys.forget(merchant.id);
      return accountToWire(changed, livemode);
    },
  );
}

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
