import { isDeepStrictEqual } from 'node:util';
import { Account, UpdateAccount } from '../../api/merchant.ts';
import type { SettlementDestination } from '../../api/payout.ts';
import type { RampTerms, UpdateRampSettings } from '../../api/ramps/ramp-settings.ts';
import { AdvanceClock, TestClock } from '../../api/test-helpers.ts';
import { type Clock, parseDuration } from '../../core/clock.ts';
import { PayError } from '../../core/error.ts';
import type { Db, Executor, Tx } from '../platform/db/database.ts';
import { type Caller, callerOf } from '../platform/http/access/caller.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import type { Once } from '../platform/http/idempotency/idempotent-execution.ts';
import { type Merchant, type MerchantScope, merchantNow } from '../platform/merchant.ts';
import { accountChanges, accountToWire } from './account.ts';
import type { KeyDirectory } from './key-directory.ts';
import { advanceTestClock, findMerchant, type MerchantChanges, updateMerchant } from './merchant.store.ts';
import { type SettlementTermsDeps, settlementTerms } from './settlement-terms.ts';

export interface AccountDeps extends SettlementTermsDeps {
  readonly db: Db;
  readonly keys: Pick<KeyDirectory, 'forget'>;
  readonly customDomain: {
    read(db: Executor, merchantId: string): Promise<Account['custom_domain']>;
    set(tx: Tx, scope: MerchantScope, name: string | null): Promise<void>;
  };
  /** Changes of the limit above which another person must approve money that leaves (`approvals/`). */
  readonly approvalLimit: {
    read(db: Executor, merchantId: string): Promise<Account['payouts']['approval_change'] | null>;
    /** Returns whether the change applies now. Otherwise it waits for another person. */
    change(tx: Tx, caller: Caller, above: { amount: number; currency: string } | null): Promise<boolean>;
  };
  /** Changes of the account that receives settlements in a currency (`approvals/`). */
  readonly settlementDestination: {
    read(db: Executor, merchantId: string): Promise<Account['settlement']['destination_change'] | null>;
    /** Returns whether the change applies now. Otherwise it waits for another person. */
    change(tx: Tx, caller: Caller, next: SettlementDestination | null): Promise<boolean>;
  };
  /** The account's rules for ramps (`ramps/`). */
  readonly rampTerms: {
    read(db: Executor, merchantId: string): Promise<RampTerms>;
    change(tx: Tx, merchantId: string, body: UpdateRampSettings): Promise<void>;
  };
  readonly hosts: { refresh(merchantId: string): Promise<void> };
  /** Runs in the transaction that changes the merchant's Stellar address or settlement schedule. */
  readonly onSettlementTerms: (tx: Tx, merchantId: string) => Promise<void>;
  /** Runs in the transaction that changes whether, when or where settlements in a currency are paid out. */
  readonly onSettlementSchedule: (tx: Tx, merchant: Merchant) => Promise<void>;
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
      const [current, further] = await Promise.all([
        findMerchant(deps.db, merchant.id),
        readFurther(deps, deps.db, merchant.id),
      ]);
      return accountToWire(current ?? merchant, livemode, further);
    },
  );
  registerAccountChange(app, deps);
}

function registerAccountChange(app: HttpApp, deps: AccountDeps): void {
  app.patch(
    '/v1/account',
    {
      schema: {
        body: UpdateAccount,
        response: { 200: Account },
        tags,
        summary: 'Change the account',
        description:
          'Changes only the given fields. Other server processes follow within moments. ' +
          'Only a key with the scope `*` may change `payouts.approval_above` and `settlement.destination`. The first limit applies at once. Another limit ' +
          'or its removal waits in `payouts.approval_change` until another person approves it, or sends the same change. ' +
          '`settlement.destination` follows the same rule: the first one applies at once, another one or null waits in ' +
          '`settlement.destination_change`.',
      },
      config: { access: 'secret', scope: 'account:write' },
    },
    async request => {
      const caller = callerOf(request);
      const { merchant, livemode } = caller;
      assertMayDirectMoney(caller, request.body);
      const current = (await findMerchant(deps.db, merchant.id)) ?? merchant;
      const changes = accountChanges(request.body, settlementTerms(deps, current, request.body.settlement ?? {}));
      const { custom_domain: name } = request.body;
      const [changed, further] = await deps.db.transaction().execute(async tx => {
        const updated = await updateMerchant(tx, merchant.id, await allowedChanges(deps, tx, caller, changes));
        const hasTerms = changes.stellarAddress !== undefined || changes.settlementSchedule !== undefined;
        if (hasTerms) await deps.onSettlementTerms(tx, merchant.id);
        if (hasNewSchedule(current, updated)) await deps.onSettlementSchedule(tx, updated);
        if (request.body.ramps !== undefined) await deps.rampTerms.change(tx, merchant.id, request.body.ramps);
        if (name !== undefined) await deps.customDomain.set(tx, { merchantId: merchant.id, livemode }, name);
        return [updated, await readFurther(deps, tx, merchant.id)] as const;
      });
      if (name !== undefined) await deps.hosts.refresh(merchant.id);
      deps.keys.forget(merchant.id);
      return accountToWire(changed, livemode, further);
    },
  );
}

/** Whether settlements in a currency are now kept, or paid out at another time or to another account. */
function hasNewSchedule(before: Merchant, after: Merchant): boolean {
  return (
    before.settlementSchedule !== after.settlementSchedule ||
    before.settlementBatch !== after.settlementBatch ||
    before.settlementHour !== after.settlementHour ||
    before.timezone !== after.timezone ||
    !isDeepStrictEqual(before.settlementDestination, after.settlementDestination)
  );
}

/** Only an owner or admin, or a key with all scopes, decides where money goes without a second person. */
function assertMayDirectMoney({ scopes }: Caller, { payouts, settlement }: UpdateAccount): void {
  if (scopes.includes('*')) return;
  const fields = {
    'payouts.approval_above': payouts?.approval_above,
    'settlement.destination': settlement?.destination,
  };
  const param = Object.entries(fields).find(([, value]) => value !== undefined)?.[0];
  if (param === undefined) return;
  throw new PayError('operation_not_allowed', `Only a key with the scope * may change ${param}.`, { param });
}

/** What other modules keep of the account. */
async function readFurther(
  { customDomain, approvalLimit, settlementDestination, rampTerms }: AccountDeps,
  db: Executor,
  merchantId: string,
) {
  return {
    customDomain: await customDomain.read(db, merchantId),
    approvalChange: await approvalLimit.read(db, merchantId),
    destinationChange: await settlementDestination.read(db, merchantId),
    rampTerms: await rampTerms.read(db, merchantId),
  };
}

/** The changes without those that wait for another person. */
async function allowedChanges(
  { approvalLimit, settlementDestination }: AccountDeps,
  tx: Tx,
  caller: Caller,
  changes: MerchantChanges,
): Promise<MerchantChanges> {
  const { payoutApprovalAmount: amount, payoutApprovalCurrency: currency, settlementDestination: target } = changes;
  const { payoutApprovalAmount: _, payoutApprovalCurrency: __, settlementDestination: ___, ...others } = changes;
  const limit = amount == null || currency == null ? null : { amount: Number(amount), currency };
  const setsLimit = amount !== undefined && (await approvalLimit.change(tx, caller, limit));
  const setsTarget = target !== undefined && (await settlementDestination.change(tx, caller, target));
  return {
    ...others,
    ...(setsLimit && { payoutApprovalAmount: amount, payoutApprovalCurrency: currency }),
    ...(setsTarget && { settlementDestination: target }),
  };
}

export interface TestClockDeps {
  readonly once: Once;
  readonly clock: Clock;
  readonly keys: Pick<KeyDirectory, 'forget'>;
  /** Does the work that the new time makes due. Work that takes long may continue afterwards. */
  readonly afterClockMove: () => Promise<void>;
}

/** Maximum lead of a test clock over the real clock, in milliseconds: 20 years. */
const furthestMs = 20 * 365 * 86_400_000;

/** `/v1/test_helpers/clock`: reads and advances the merchant's test clock. */
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
          'Before it responds, the service does the work that is due at the new time, such as expiry, delayed captures and ' +
          'webhook retries. Work that takes longer follows. The clock never goes back. Live mode has no test clock.',
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
    const message = 'advance takes an ISO 8601 duration in weeks, days, hours, minutes and seconds: P3D, PT15M.';
    throw new PayError('invalid_duration', message, { param: 'advance' });
  }
  if (merchant.testClockOffsetMs + advanceMs > furthestMs) {
    throw new PayError('invalid_duration', 'The test clock can be at most 20 years ahead.', { param: 'advance' });
  }
  return advanceMs;
}
