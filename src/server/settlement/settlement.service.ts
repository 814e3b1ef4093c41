import { post } from '../ledger/ledger.store.ts';
import { exchange, move } from '../ledger/posting.ts';
import type { Outbound } from '../outbound/outbound.service.ts';
import type { ClockedOutbound, NewOutbound, OutboundPurpose } from '../outbound/outbound.ts';
import { networkAway, type Order, type Planned } from '../outbound/sender.ts';
import type { EndedSettlement, PaymentSettlements, Portion } from '../payments/settling/payment-settlement.service.ts';
import type { Db } from '../platform/db/database.ts';
import { failsForAll } from '../platform/db/outage.ts';
import type { Log, Sweep } from '../platform/jobs/sweeper.ts';
import { runEach, runTogether } from '../platform/jobs/sweeper.ts';
import { deliveryIn } from '../stellar/treasury/batch.ts';
import { failure } from '../stellar/treasury/destination.ts';
import { treasuryRail } from '../stellar/treasury/treasury-deps.ts';
import { bookClawbacks, type ClawbackDeps } from './clawback.service.ts';

export interface SettlementDeps {
  readonly db: Db;
  readonly log: Log;
  readonly payments: PaymentSettlements;
  readonly outbound: Outbound;
  /** Resolves after the first check of the treasury. Before it, the treasury may hold no money yet. */
  readonly treasuryIsSetUp: () => Promise<void>;
  /** The wire text of a payment's asset. Null: the operator does not list it, or its code has another meaning now. */
  readonly listedAsset: (name: string) => string | null;
}

/** The purpose of outbound transfers that settle payments. Their resource is a payment. */
const settlementPurpose = 'settlement';

/** Maximum number of payments that one transaction queues. */
const mostAtOnce = 100;
/**
 * The shortest time between two batches under load. A batch and its Stellar transaction take some 20 statements,
 * however small they are. Ledgers close every few seconds, so a payment waits hardly longer.
 */
const restMs = 1_000;

/** The sweeps that settle payments and book clawbacks. */
export function settlementSweeps(deps: SettlementDeps, clawbacks: ClawbackDeps): Sweep[] {
  return [
    {
      name: 'settlements',
      due: [deps.payments.due],
      rest: { ms: restMs, fullBatch: mostAtOnce },
      run: () => settleDue(deps),
    },
    { name: 'treasury.clawbacks', everyMs: 60_000, run: () => bookClawbacks(clawbacks) },
  ];
}

/** Queues settlements that are due, all payments of a merchant together. Returns the number of payments read. */
async function settleDue(deps: SettlementDeps): Promise<number> {
  await deps.treasuryIsSetUp();
  const due = await deps.payments.findDue(mostAtOnce);
  const planned = await planDue(deps, due);
  // A step that fails does not stop the others. Its error is thrown at the end.
  const steps = [() => concludeAll(deps, due), () => awaitAddresses(deps, due), () => handOverAll(deps, planned)];
  await runEach(steps, step => step());
  return due.length;
}

async function concludeAll(deps: SettlementDeps, due: readonly DueSettlement[]): Promise<void> {
  const settled = due.filter(({ portion }) => portion === null);
  await runEach(settled, payment => pausing(deps, [payment], concludeSettled(deps, payment)));
}

async function awaitAddresses({ payments }: SettlementDeps, due: readonly DueSettlement[]): Promise<void> {
  const unaddressed = due.filter(({ address, portion }) => address === null && portion !== null);
  const groups = Map.groupBy(unaddressed, ({ merchantId }) => merchantId);
  await runEach([...groups], ([merchantId, some]) =>
    payments.awaitAddress(
      merchantId,
      some.map(({ paymentId }) => paymentId),
    ),
  );
}

async function handOverAll(deps: SettlementDeps, planned: readonly PlannedPayment[]): Promise<void> {
  const groups = Map.groupBy(planned, ({ due: { merchantId } }) => merchantId);
  try {
    await runEach([...groups.values()], group => runTogether(group, some => handOver(deps, some)));
  } finally {
    if (planned.length > 0) deps.outbound.wake();
  }
}

type DueSettlement = Awaited<ReturnType<PaymentSettlements['findDue']>>[number];

/** A payment to settle to `address`, in `asset`. */
interface Settleable {
  readonly due: DueSettlement;
  readonly portion: Portion;
  readonly asset: string | null;
  readonly address: string;
}

type Listed = Settleable & { readonly asset: string };
type PlannedPayment = Listed & { readonly plan: Extract<Planned, { state: 'ready' }> };

/** Plans the settlements that can begin now. The others are paused, or postponed with their reason. */
async function planDue(deps: SettlementDeps, due: readonly DueSettlement[]): Promise<PlannedPayment[]> {
  const settleable = due.flatMap((payment): Settleable[] => {
    const { address, portion } = payment;
    return address === null || portion === null
      ? []
      : [{ due: payment, portion, asset: deps.listedAsset(payment.asset), address }];
  });
  const listed = settleable.filter((one): one is Listed => one.asset !== null);
  const plans = await deps.outbound.plan(treasuryRail, listed.map(orderOf));
  const planned: PlannedPayment[] = [];
  // Nothing is converted into another asset unasked. The payment waits and needs attention.
  const unlisted = settleable.filter(({ asset }) => asset === null);
  const held = listed.flatMap((one, index) => {
    const plan = plans[index];
    if (plan === undefined || 'code' in plan) return plan === undefined ? [] : [{ due: one.due, plan }];
    planned.push({ ...one, plan });
    return [];
  });
  const waiting = [...held, ...unlisted.map(one => ({ ...one, plan: failure('asset_not_listed') }))];
  await runEach(waiting, async ({ due: payment, plan }) => {
    if (plan.code === networkAway) deps.payments.pause(payment);
    else await pausing(deps, [payment], deps.payments.postpone(payment, plan));
  }).catch(err => deps.log.error({ err }, 'settlements could not be postponed and will be tried again'));
  return planned;
}

function orderOf({ due: { currency, paidIn }, portion, asset, address }: Listed): Order {
  const given = { currency, amount: portion.value };
  return { asset, amount: portion.amount, destination: { address }, given, paidIn, claimable: true };
}

/** Ends a settlement without money to send. The payment's pending money reduces the merchant's debt (`receivable`). */
async function concludeSettled({ db, payments }: SettlementDeps, due: DueSettlement): Promise<void> {
  const { merchantId, paymentId, now } = due;
  await db.transaction().execute(async tx => {
    const { offset, livemode, currency } = await payments.conclude(tx, due, now);
    const postings = move('merchant.pending', 'merchant.receivable', currency, offset);
    await post(tx, [{ merchantId, livemode, kind: 'offset', paymentId, postings, now }]);
  });
}

/** Reserves the money of one merchant's payments and queues it to be sent, in one transaction. */
async function handOver(deps: SettlementDeps, planned: readonly PlannedPayment[]): Promise<void> {
  const { db, payments, outbound } = deps;
  const queueing = db.transaction().execute(async tx => {
    const settlements = planned.map(({ due, portion }) => ({ ...due, portion }));
    const begun = await payments.begin(tx, settlements);
    const started = begun.flatMap(settlement => {
      const found = planned.find(({ due }) => due.paymentId === settlement.paymentId);
      return found === undefined ? [] : [{ ...settlement, ...found, now: found.due.now }];
    });
    const bookings = started.map(({ merchantId, paymentId, livemode, currency, portion, offset, now }) => ({
      merchantId,
      paymentId,
      livemode,
      now,
      kind: 'settlement',
      postings: [
        ...move('merchant.pending', 'merchant.reserved', currency, portion.value),
        ...move('merchant.pending', 'merchant.receivable', currency, offset),
      ],
    }));
    await post(tx, bookings);
    await outbound.queue(tx, started.map(outboundOf));
  });
  await pausing(
    deps,
    planned.map(({ due }) => due),
    queueing,
  );
}

/**
 * Awaits `work`, and delays a settlement that failed alone. The caller retries a failed group one by one. An outage
 * delays no settlement.
 */
async function pausing<T>({ payments }: SettlementDeps, due: readonly DueSettlement[], work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const [only, ...others] = due;
    if (only !== undefined && others.length === 0 && !failsForAll(error)) payments.pause(only);
    throw error;
  }
}

type Started = PlannedPayment & Awaited<ReturnType<PaymentSettlements['begin']>>[number] & { readonly now: Date };

function outboundOf({ portion, plan, asset, number, currency, ...started }: Started): NewOutbound {
  const { merchantId, livemode, paymentId, now } = started;
  return {
    merchantId,
    livemode,
    now,
    purpose: settlementPurpose,
    resourceId: paymentId,
    attempt: number,
    rail: treasuryRail,
    destination: plan.destination,
    originalReference: null,
    asset,
    amount: portion.amount,
    source: plan.source,
    value: portion.value,
    valueCurrency: currency,
  };
}

/** The purpose of outbound transfers that settle payments. */
export function createSettlementPurpose(payments: PaymentSettlements): OutboundPurpose {
  return {
    name: settlementPurpose,
    book: async (tx, sent) => {
      const released = await payments.end(tx, sent.map(endOf));
      const bookings = sent.map(row => bookingOf(row, released.get(row.resource_id)));
      await post(tx, bookings);
    },
  };
}

/** The booking of an ended settlement. `released`: the amounts of a failed settlement, which return to the merchant. */
function bookingOf(row: ClockedOutbound, released = { pending: 0n, receivable: 0n }) {
  const { merchant_id: merchantId, livemode, resource_id: paymentId, clock: now, value_currency: currency } = row;
  const of = { merchantId, livemode, paymentId, now };
  const given = { currency, amount: row.value };
  const taken = { currency: row.source_asset, amount: row.sent_amount ?? row.source_max };
  if (row.state === 'completed') {
    return {
      ...of,
      kind: 'settled',
      postings: exchange('merchant.reserved', given, `treasury.${treasuryRail}`, taken),
    };
  }
  const postings = [
    ...move('merchant.reserved', 'merchant.pending', currency, released.pending),
    ...move('merchant.reserved', 'merchant.receivable', currency, released.receivable),
  ];
  return { ...of, kind: 'settlement_failed', postings };
}

function endOf(row: ClockedOutbound): EndedSettlement {
  const { reference, ledger, failure_code: code, failure_message: message } = row;
  const delivery = deliveryIn(row.destination);
  return {
    merchantId: row.merchant_id,
    paymentId: row.resource_id,
    now: row.clock,
    portion: { value: row.value, amount: row.amount },
    outcome:
      reference !== null && ledger !== null
        ? { txHash: reference, ledger, delivery }
        : { code: code ?? 'refused', message: message ?? '' },
  };
}
