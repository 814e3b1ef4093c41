import type { Outbound } from '../../outbound/outbound.service.ts';
import type { NewOutbound } from '../../outbound/outbound.ts';
import { networkAway, type Order, type Planned } from '../../outbound/sender.ts';
import type { FiatConversions } from '../../payments/settling/fiat-conversion.service.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { planChange, planned, writeChanges } from '../../platform/events/change.ts';
import { runEach, runTogether, type Sweep } from '../../platform/jobs/sweeper.ts';
import { treasuryRail } from '../../stellar/treasury/treasury-deps.ts';
import { claimConversions, type DueConversion, dueConversions, lockConversions } from './conversion.store.ts';
import { conversionResource } from './conversion.ts';
import { convertSweep } from './conversion-begin.service.ts';
import { conversionPurpose, postponed } from './conversion-outcome.service.ts';

export interface ConversionJobDeps {
  readonly db: Db;
  readonly clock: { now(): Date };
  readonly payments: FiatConversions;
  readonly outbound: Outbound;
  /** The treasury's account. */
  readonly treasury: string;
  /** Resolves after the first check of the treasury. Before it, the treasury may hold no money yet. */
  readonly treasuryIsSetUp: () => Promise<void>;
}

/** Maximum number of conversions that one run plans. */
const mostAtOnce = 100;
/** Seconds until a conversion is planned again after the network did not answer, or a server crashed. */
const leaseSeconds = 30;

/** The sweep that plans due conversions and queues them for the treasury. */
export function createConversionSweep(deps: ConversionJobDeps): Sweep {
  return { name: convertSweep, due: [dueConversions], run: () => convertDue(deps) };
}

async function convertDue(deps: ConversionJobDeps): Promise<number> {
  await deps.treasuryIsSetUp();
  const { db, outbound, clock } = deps;
  const due = await claimConversions(db, { now: clock.now(), limit: mostAtOnce, leaseSeconds });
  const plans = await outbound.plan(
    treasuryRail,
    due.map(row => orderOf(row, deps.treasury)),
  );
  const decided = due.flatMap((row, index): Decided[] => {
    const plan = plans[index];
    // Without an answer of the network, the conversion waits for the end of its lease.
    return plan === undefined || ('code' in plan && plan.code === networkAway) ? [] : [{ row, plan }];
  });
  const groups = Map.groupBy(decided, ({ row }) => row.merchant_id);
  try {
    await runEach([...groups.values()], group =>
      runTogether(group, some => db.transaction().execute(tx => decide(deps, tx, some))),
    );
  } finally {
    if (decided.length > 0) outbound.wake();
  }
  return due.length;
}

/** A path payment of the treasury to itself. Its cost is bounded by what the payer's money was worth at the quote. */
function orderOf(row: DueConversion, treasury: string): Order {
  return {
    asset: row.asset,
    amount: row.amount,
    destination: { address: treasury },
    given: { currency: row.currency, amount: row.value },
    paidIn: row.source_asset,
    claimable: false,
    conversion: true,
  };
}

/** A claimed conversion and its plan. */
interface Decided {
  readonly row: DueConversion;
  readonly plan: Planned;
}

/** Queues planned conversions of one merchant, and postpones those without a plan. Their payments wait no longer. */
async function decide({ payments, outbound }: ConversionJobDeps, tx: Tx, decided: readonly Decided[]): Promise<void> {
  const [first] = decided;
  if (first === undefined) return;
  const byId = new Map(decided.map(one => [one.row.id, one]));
  const locked = await lockConversions(tx, first.row.merchant_id, [...byId.keys()]);
  const queued: NewOutbound[] = [];
  const failed: DueConversion[] = [];
  const plans = locked.flatMap(before => {
    const one = byId.get(before.id);
    // Another server has claimed it since.
    if (one === undefined || before.due_at?.getTime() !== one.row.due_at?.getTime()) return [];
    const { plan, row } = one;
    if (plan.state !== 'ready') {
      failed.push(row);
      return [planChange(conversionResource, null, planned(before), postponed(before, plan, row.clock))];
    }
    queued.push(outboundOf(row, plan));
    const change = { to: 'sending' as const, set: { due_at: null }, now: row.clock };
    return [planChange(conversionResource, null, planned(before), change)];
  });
  await writeChanges(tx, conversionResource, plans);
  await outbound.queue(tx, queued);
  const keys = failed.map(row => ({ merchantId: row.merchant_id, paymentId: row.payment_id }));
  if (failed[0] !== undefined) await payments.release(tx, keys, failed[0].clock);
}

function outboundOf(row: DueConversion, plan: Extract<Planned, { state: 'ready' }>): NewOutbound {
  return {
    merchantId: row.merchant_id,
    livemode: row.livemode,
    now: row.clock,
    purpose: conversionPurpose,
    resourceId: row.id,
    attempt: row.tries + 1,
    rail: treasuryRail,
    destination: plan.destination,
    originalReference: null,
    asset: row.asset,
    amount: row.amount,
    source: plan.source,
    value: row.value,
    valueCurrency: row.currency,
  };
}
