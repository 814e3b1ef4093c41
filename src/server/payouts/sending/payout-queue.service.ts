import { addSeconds, type Clock } from '../../../core/clock.ts';
import { type LedgerTransaction, postingWrites } from '../../ledger/ledger.store.ts';
import { move } from '../../ledger/posting.ts';
import type { Outbound } from '../../outbound/outbound.service.ts';
import type { NewOutbound } from '../../outbound/outbound.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Change, type Planned, planChange, planned } from '../../platform/events/change.ts';
import { runEach, runTogether, type Sweep } from '../../platform/jobs/sweeper.ts';
import { scopeKeyOf } from '../../platform/merchant.ts';
import { concludeBatches } from '../batch-end.service.ts';
import { claimDuePayouts, duePayouts, lockPayouts } from '../payout.store.ts';
import { payoutResource, treasuryShortHold } from '../payout.ts';
import type { PayoutContext } from '../payout.view.ts';
import { writePayouts } from '../payout-change.ts';
import type { PayoutRow } from '../tables.ts';
import { type PayoutPlan, type PayoutPlanDeps, type PlannedPayout, planPayouts } from './payout-plan.service.ts';

/** The purpose of outbound transfers that pay payouts. Their resource is a payout. */
export const payoutPurpose = 'payout';

/** The sweep that queues due payouts as outbound transfers. */
export const payoutSweep = 'payouts.send';

export interface PayoutQueueDeps extends PayoutPlanDeps, PayoutContext {
  readonly db: Db;
  readonly clock: Clock;
  readonly outbound: Outbound;
}

const mostAtOnce = 1_000;
const leaseSeconds = 60;

/** Plans due payouts. Queues the payouts of each merchant and mode in one transaction. */
export function createPayoutSweep(deps: PayoutQueueDeps): Sweep {
  return {
    name: payoutSweep,
    due: [duePayouts],
    run: async () => {
      const due = await claimDuePayouts(deps.db, { limit: mostAtOnce, leaseSeconds, now: deps.clock.now() });
      const plans = await planPayouts(deps, due);
      const groups = Map.groupBy(plans, ({ payout }) => scopeKeyOf(payout));
      await runEach([...groups.values()], group => runTogether(group, part => handOver(deps, part)));
      if (plans.some(({ plan }) => plan.state === 'ready')) deps.outbound.wake();
      return due.length;
    },
  };
}

type PayoutChange = Change<PayoutRow, PayoutRow['status']>;

/** Queues the ready payouts of one merchant and mode. For other payouts, stores why they wait or have failed. */
async function handOver(deps: PayoutQueueDeps, plans: readonly PlannedPayout[]): Promise<void> {
  const merchantId = plans[0]?.payout.merchant_id ?? '';
  await deps.db.transaction().execute(async tx => {
    const byId = new Map(plans.map(each => [each.payout.id, each]));
    const rows = await lockPayouts(tx, merchantId, [...byId.keys()]);
    const changes: Planned<PayoutRow>[] = [];
    const transfers: NewOutbound[] = [];
    for (const row of rows) {
      const found = byId.get(row.id);
      // Another server or the merchant has changed the payout since the claim.
      if (found === undefined || row.version !== found.payout.version || !isToPlan(row)) continue;
      const { plan, payout } = found;
      changes.push(planChange(payoutResource, deps, planned(row), changeOf(plan, payout.clock)));
      if (plan.state === 'ready') transfers.push(transferOf(row, plan, payout.clock));
    }
    const booked = await postingWrites(tx, released(changes, plans[0]?.payout.clock ?? deps.clock.now()));
    const writes = [await deps.outbound.queueing(tx, transfers), ...booked];
    await writePayouts(tx, deps, changes, { writes });
    await concludeBatches(tx, deps, changes);
  });
}

function isToPlan({ status, hold_code: hold }: PayoutRow): boolean {
  return status === 'queued' || (status === 'on_hold' && hold === treasuryShortHold);
}

function changeOf(plan: PayoutPlan, now: Date): PayoutChange {
  const ready = { due_at: null, hold_code: null, hold_message: null };
  if (plan.state === 'ready') {
    const { sourceAmount, paidAmount, etaAt } = plan;
    const amounts = { source_amount: sourceAmount, paid_amount: paidAmount, eta_at: etaAt };
    return { to: 'queued', set: { ...ready, ...amounts }, now };
  }
  const { code, message } = plan;
  if (plan.state === 'on_hold') {
    const dueAt = plan.retrySeconds === null ? null : addSeconds(now, plan.retrySeconds);
    return { to: 'on_hold', set: { due_at: dueAt, hold_code: code, hold_message: message }, now };
  }
  const set = { ...ready, failure_code: code, failure_message: message, completed_at: now };
  return { to: 'failed', set, now };
}

function transferOf(row: PayoutRow, plan: Extract<PayoutPlan, { state: 'ready' }>, now: Date): NewOutbound {
  const { merchant_id: merchantId, livemode, id: resourceId, attempt } = row;
  return {
    merchantId,
    livemode,
    now,
    purpose: payoutPurpose,
    resourceId,
    attempt,
    rail: plan.lane,
    destination: plan.destination,
    originalReference: null,
    asset: row.unit ?? '',
    amount: plan.paidAmount,
    source: plan.source,
    value: plan.sourceAmount,
    valueCurrency: row.source_currency,
  };
}

/** The bookings of released money: all money of failed and canceled payouts, and the excess of others. */
export function released(changes: readonly Planned<PayoutRow>[], now: Date): LedgerTransaction[] {
  return changes.flatMap(({ before, after }) => {
    const isOver = after.status === 'failed' || after.status === 'canceled';
    const amount = isOver ? before.source_amount : before.source_amount - after.source_amount;
    if (amount <= 0n) return [];
    const { merchant_id: merchantId, livemode, id: resourceId, source_currency: currency } = after;
    const kind = isOver ? `payout_${after.status}` : 'payout_released';
    const postings = move('merchant.reserved', 'merchant.available', currency, amount);
    return [{ merchantId, livemode, kind, resourceId, postings, now }];
  });
}
