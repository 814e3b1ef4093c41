import { post } from '../ledger/ledger.store.ts';
import { exchange, move } from '../ledger/posting.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import type { Log, Sweep } from '../platform/jobs/sweeper.ts';
import { StellarUnavailable } from '../stellar/network.ts';
import type { OutgoingRow } from '../stellar/treasury/outgoing.store.ts';
import type { Submission } from '../stellar/treasury/treasury.ts';
import { buildSweep } from '../stellar/treasury/treasury-deps.ts';
import { bookClawbacks, type ClawbackDeps } from './clawback.service.ts';
import { endSettlement, insertSettlement } from './settlement.store.ts';
import type { DueSettlement, Portion, SettlementPayments } from './settlement-payments.ts';
import { planSettlement, type SettlementPlan, type SettlementPlanDeps } from './settlement-plan.service.ts';

/** What settling needs. */
export interface SettlementDeps extends SettlementPlanDeps {
  readonly db: Db;
  readonly log: Log;
  readonly payments: SettlementPayments;
  readonly submission: Pick<Submission, 'queue' | 'takeEnded'>;
  /** The asset’s wire text for what a payment names. */
  readonly assetText: (name: string) => string;
  readonly wake: (sweep: string) => void;
}

/** How many payments are settled at once in a process. */
const atOnce = 8;

/** Hands over what is due to be settled. Returns how many payments it looked at. */
export async function settleDue(deps: SettlementDeps): Promise<number> {
  const due = await deps.payments.claimDue(100);
  // What is there is looked up once for all of them; the engine looks again before anything leaves.
  let spendable: ReturnType<SettlementDeps['spendable']> | null = null;
  const once = () => {
    spendable ??= deps.spendable();
    return spendable;
  };
  await inParallel(due, payment => settle({ ...deps, spendable: once }, payment));
  if (due.length > 0) deps.wake(buildSweep);
  return due.length;
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const workers = Array.from({ length: atOnce }, async () => {
    for (const item of waiting) await work(item);
  });
  const ended = await Promise.allSettled(workers);
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}

async function settle(deps: SettlementDeps, due: DueSettlement): Promise<void> {
  if (due.portion === null) return await concludeSettled(deps, due);
  if (due.address === null) return await deps.payments.awaitAddress(due);
  const { address: destination, paidIn, portion } = due;
  const asset = deps.assetText(due.asset);
  try {
    const plan = await planSettlement(deps, { asset, amount: portion.amount, destination, paidIn });
    if (plan.delivery === null) await deps.payments.postpone(due, plan.failure);
    else await deps.db.transaction().execute(tx => handOver(deps, tx, due, { asset, destination, portion, plan }));
  } catch (error) {
    if (!(error instanceof StellarUnavailable)) throw error;
    deps.log.warn({ reason: error.message, payment: due.paymentId }, 'a settlement waits for the Stellar network');
  }
}

/** Nothing is left to settle: what there is more than that pays what the merchant owes of the same payment. */
async function concludeSettled({ db, payments }: SettlementDeps, due: DueSettlement): Promise<void> {
  await db.transaction().execute(async tx => {
    const { offset, livemode, currency } = await payments.conclude(tx, due, due.now);
    await post(tx, {
      merchantId: due.merchantId,
      livemode,
      kind: 'offset',
      paymentId: due.paymentId,
      postings: move('merchant.pending', 'merchant.receivable', currency, offset),
      now: due.now,
    });
  });
}

interface HandOver {
  readonly asset: string;
  readonly destination: string;
  readonly portion: Portion;
  readonly plan: Extract<SettlementPlan, { delivery: string }>;
}

/** Reserves the merchant’s money and queues what is sent for it, all or nothing. */
async function handOver(
  deps: SettlementDeps,
  tx: Tx,
  { merchantId, paymentId, now }: DueSettlement,
  { asset, destination, portion, plan }: HandOver,
): Promise<void> {
  const begun = await deps.payments.begin(tx, { merchantId, paymentId }, portion, now);
  if (begun === null) return;
  const { livemode, currency } = begun;
  const { delivery } = plan;
  const settlement = { merchantId, paymentId, begun, asset, destination, delivery, now };
  const resourceId = await insertSettlement(tx, settlement);
  await post(tx, {
    ...{ merchantId, livemode, paymentId, now },
    kind: 'settlement',
    postings: [
      ...move('merchant.pending', 'merchant.reserved', currency, portion.value),
      ...move('merchant.pending', 'merchant.receivable', currency, begun.offset),
    ],
  });
  await deps.submission.queue(tx, {
    ...{ merchantId, livemode, resourceId, delivery, destination, asset, now },
    purpose: 'settlement',
    attempt: 1,
    memo: null,
    amount: portion.amount,
    sourceAsset: plan.sourceAsset,
    sendMax: plan.sendMax,
    path: plan.path,
  });
}

/** Books settlements that have ended. Returns how many. */
export async function bookEndedSettlements(deps: SettlementDeps): Promise<number> {
  const booked = await Promise.all(Array.from({ length: atOnce }, () => bookOne(deps)));
  return booked.filter(Boolean).length;
}

async function bookOne(deps: SettlementDeps): Promise<boolean> {
  return await deps.db.transaction().execute(async tx => {
    const transfer = await deps.submission.takeEnded(tx, 'settlement');
    if (transfer === null) return false;
    if (transfer.state === 'applied') await bookDelivered(deps, tx, transfer);
    else await bookFailed(deps, tx, transfer);
    return true;
  });
}

async function bookDelivered({ payments }: SettlementDeps, tx: Tx, transfer: OutgoingRow): Promise<void> {
  const { merchant_id: merchantId, tx_hash: txHash, ledger, source_amount: sent } = transfer;
  if (txHash === null || ledger === null) throw new Error(`transfer ${transfer.id} is applied nowhere`);
  const key = { merchantId, id: transfer.resource_id };
  const row = await endSettlement(
    tx,
    key,
    { status: 'settled', txHash, ledger },
    transfer.ended_at ?? transfer.created_at,
  );
  const portion = { value: row.payment_amount, amount: row.amount };
  const paymentKey = { merchantId, paymentId: row.payment_id };
  const { now } = await payments.finish(tx, paymentKey, { portion, txHash, ledger, delivery: row.delivery });
  await post(tx, {
    ...{ merchantId, livemode: row.livemode, paymentId: row.payment_id, now },
    kind: 'settled',
    postings: exchange('merchant.reserved', { currency: row.payment_currency, amount: portion.value }, 'treasury', {
      currency: transfer.source_asset,
      amount: sent ?? transfer.send_max,
    }),
  });
}

async function bookFailed({ payments }: SettlementDeps, tx: Tx, transfer: OutgoingRow): Promise<void> {
  const { merchant_id: merchantId, failure_code: code, failure_message: message } = transfer;
  const reason = { code: code ?? 'refused', message: message ?? '' };
  const key = { merchantId, id: transfer.resource_id };
  const ended = transfer.ended_at ?? transfer.created_at;
  const row = await endSettlement(tx, key, { status: 'failed', code: reason.code }, ended);
  const portion = { value: row.payment_amount, amount: row.amount };
  const paymentKey = { merchantId, paymentId: row.payment_id };
  const { now, currency, pending, receivable } = await payments.release(tx, paymentKey, portion, reason);
  await post(tx, {
    ...{ merchantId, livemode: row.livemode, paymentId: row.payment_id, now },
    kind: 'settlement_failed',
    postings: [
      ...move('merchant.reserved', 'merchant.pending', currency, pending),
      ...move('merchant.reserved', 'merchant.receivable', currency, receivable),
    ],
  });
}

/** The sweep that hands over what is due to be settled. */
const settlementSweep = 'settlements';
/** The sweep that books settlements which have ended. */
export const settledSweep = 'settlements.ended';

/** What is followed of the treasury besides: money that issuers take back. */
export function clawbackSweep(deps: ClawbackDeps): Sweep {
  return { name: 'treasury.clawbacks', everyMs: 30_000, run: () => bookClawbacks(deps) };
}

/** What time does to settlements: what is due is handed over, what has ended is booked. */
export function settlementSweeps(deps: SettlementDeps): Sweep[] {
  return [
    { name: settlementSweep, everyMs: 250, run: () => settleDue(deps) },
    { name: settledSweep, everyMs: 1_000, run: () => bookEndedSettlements(deps) },
  ];
}
