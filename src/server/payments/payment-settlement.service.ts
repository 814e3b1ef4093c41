import type { EventType } from '../../api/event.ts';
import { addSeconds } from '../../core/clock.ts';
import { findMerchants } from '../merchants/merchant.store.ts';
import type { Tx } from '../platform/db/database.ts';
import { merchantNow } from '../platform/merchant.ts';
import { disputedAmount, disputedAmounts } from './card/card.store.ts';
import { lockPayments } from './crypto/deposit.store.ts';
import { lockPayment, type PaymentKey } from './payment.store.ts';
import type { PaymentRow } from './payment.view.ts';
import { type ChangedPayment, changePayment, changePayments, type PaymentChange } from './payment-change.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { pendingFunds, returnOwned, settlementShare, type Taken, unsettled } from './payment-funds.ts';
import { awaitAddress, claimDueSettlements, makeSettlementDue } from './payment-settlement.store.ts';

/**
 * A part of a payment to settle: `value` in minor units of its currency, `amount` in stroops of the settlement asset.
 */
interface Portion {
  readonly value: bigint;
  readonly amount: bigint;
}

interface Failure {
  readonly code: string;
  readonly message: string;
}

/** A settlement of a payment that begins or ends. */
interface Settling extends PaymentKey {
  readonly portion: Portion;
  readonly now: Date;
}

/** A settlement that ended: delivered on the ledger, or why not. */
interface Ended extends Settling {
  readonly outcome:
    | { readonly txHash: string; readonly ledger: number; readonly delivery: 'payment' | 'claimable_balance' }
    | Failure;
}

/** What remains to be settled of the payment, or null. Refunds and disputes are taken off first. */
function portionOf(payment: PaymentRow, disputed: bigint): Portion | null {
  const value = unsettled(payment, disputed);
  if (value <= 0n) return null;
  const amount = settlementShare(payment, payment.amount_settled + payment.amount_settling, value);
  return amount > 0n ? { value, amount } : null;
}

type SettlingDeps = Pick<PaymentDeps, 'db' | 'clock' | 'findMerchant' | 'secrets' | 'publicUrl' | 'purposes'>;

/**
 * The settlements of payments, as the settlement module uses them. `livemode`: mode of the payments that the network
 * can settle.
 */
export function createPaymentSettlements(deps: SettlingDeps, livemode: boolean) {
  return {
    claimDue: async (limit: number) => {
      const rows = await claimDueSettlements(deps.db, { livemode, now: deps.clock.now(), limit });
      const merchants = await findMerchants(deps.db, [...new Set(rows.map(row => row.merchant_id))]);
      return rows.map(row => ({
        merchantId: row.merchant_id,
        paymentId: row.id,
        livemode: row.livemode,
        now: row.clock,
        asset: row.settlement_asset,
        address: row.settlement_address ?? merchants.get(row.merchant_id)?.stellarAddress ?? null,
        paidIn: row.paid_in,
        portion: row.amount_settling > 0n ? null : portionOf(row, row.disputed_amount),
      }));
    },
    awaitAddress: (key: PaymentKey) => awaitAddress(deps.db, key.merchantId, key.paymentId),
    begin: (tx: Tx, planned: readonly Settling[]) => begin(deps, tx, planned),
    conclude: (tx: Tx, key: PaymentKey, now: Date) => conclude(deps, tx, key, now),
    end: (tx: Tx, ended: readonly Ended[]) => end(deps, tx, ended),
    postpone: (key: PaymentKey, failure: Failure) => postpone(deps, key, failure),
  };
}

/** Payments of one merchant, locked, with what disputes took back of each. */
async function lockSettling(tx: Tx, keys: readonly PaymentKey[]) {
  const payments = await lockPayments(tx, keys);
  const ids = payments.map(({ id }) => id);
  const disputes = await disputedAmounts(tx, keys[0]?.merchantId ?? '', ids);
  return payments.map(payment => ({ payment, disputed: disputes.get(payment.id) ?? 0n }));
}

async function begin(deps: SettlingDeps, tx: Tx, planned: readonly Settling[]) {
  const plans = new Map(planned.map(plan => [plan.paymentId, plan]));
  const changes: ChangedPayment[] = [];
  const begun = [];
  for (const { payment, disputed } of await lockSettling(tx, planned)) {
    const plan = plans.get(payment.id);
    if (plan === undefined || payment.amount_settling > 0n) continue;
    const portion = portionOf(payment, disputed);
    if (portion?.value !== plan.portion.value || portion.amount !== plan.portion.amount) {
      await makeSettlementDue(tx, payment.merchant_id, payment.id, plan.now);
      continue;
    }
    const number = payment.settlement_count + 1;
    const set = { settlement_status: 'submitted', settlement_due_at: null, amount_settling: portion.value } as const;
    const more = { amount_receivable: 0n, settlement_count: number };
    changes.push({ payment, change: { set: { ...set, ...more }, now: plan.now } });
    const { livemode, currency, amount_receivable: offset } = payment;
    begun.push({ merchantId: payment.merchant_id, paymentId: payment.id, number, livemode, currency, offset });
  }
  await changePayments(tx, deps, changes);
  return begun;
}

async function conclude(deps: SettlingDeps, tx: Tx, key: PaymentKey, now: Date) {
  const payment = await lockPayment(tx, key);
  const disputed = await disputedAmount(tx, key.merchantId, key.paymentId);
  const { livemode, currency } = payment;
  // More is on its way or to be settled: the payment is settled after that.
  if (payment.amount_settling > 0n || portionOf(payment, disputed) !== null) {
    return { ...key, offset: 0n, livemode, currency };
  }
  const there = pendingFunds(payment, disputed);
  const offset = there < payment.amount_receivable ? there : payment.amount_receivable;
  await changePayment(tx, deps, payment, {
    set: {
      settlement_status: payment.amount_settled > 0n ? 'settled' : 'none',
      settlement_due_at: null,
      settlement_failure_code: null,
      settlement_failure_message: null,
      amount_receivable: payment.amount_receivable - offset,
    },
    now,
  });
  return { ...key, offset, livemode, currency };
}

async function end(deps: SettlingDeps, tx: Tx, ended: readonly Ended[]): Promise<ReadonlyMap<string, Taken>> {
  const ends = new Map(ended.map(one => [one.paymentId, one]));
  const released = new Map<string, Taken>();
  const changes: ChangedPayment[] = [];
  for (const { payment, disputed } of await lockSettling(tx, ended)) {
    const one = ends.get(payment.id);
    if (one === undefined) continue;
    if ('code' in one.outcome) {
      const returned = returnOwned(payment, one.portion.value);
      released.set(payment.id, returned);
      changes.push({ payment, change: failed(payment, one, one.outcome, returned) });
    } else changes.push({ payment, change: delivered(payment, disputed, one, one.outcome) });
  }
  await changePayments(tx, deps, changes);
  return released;
}

function delivered(
  payment: PaymentRow,
  disputed: bigint,
  { portion, now }: Settling,
  { txHash, ledger, delivery }: Exclude<Ended['outcome'], Failure>,
): PaymentChange {
  const amounts = {
    amount_settling: payment.amount_settling - portion.value,
    amount_settled: payment.amount_settled + portion.value,
    settlement_amount: payment.settlement_amount + portion.amount,
  };
  const isAll = isSettled({ ...payment, ...amounts }, disputed);
  return {
    set: {
      ...amounts,
      settlement_status: isAll ? 'settled' : 'pending',
      settlement_due_at: isAll ? null : now,
      settlement_tx_hash: txHash,
      settlement_ledger: ledger,
      settlement_delivery: delivery,
      settlement_failure_code: null,
      settlement_failure_message: null,
      settlement_tries: 0,
    },
    events: ['payment.settled'],
    now,
  };
}

/** Whether nothing remains to be settled, or to be offset against the merchant's debt from this payment. */
function isSettled(payment: PaymentRow, disputed: bigint): boolean {
  const isEven = payment.amount_receivable === 0n || pendingFunds(payment, disputed) === 0n;
  return isEven && portionOf(payment, disputed) === null;
}

function failed(payment: PaymentRow, { portion, now }: Settling, failure: Failure, returned: Taken): PaymentChange {
  const change = postponed(payment, failure, now);
  return {
    ...change,
    set: {
      ...change.set,
      amount_settling: payment.amount_settling - portion.value,
      amount_receivable: payment.amount_receivable - returned.receivable,
    },
  };
}

async function postpone(deps: SettlingDeps, key: PaymentKey, failure: Failure): Promise<void> {
  await deps.db.transaction().execute(async tx => {
    const payment = await lockPayment(tx, key);
    if (payment.amount_settling > 0n) return;
    await changePayment(tx, deps, payment, postponed(payment, failure, await momentOf(deps, payment)));
  });
}

/** Records a failed try. The merchant gets an event only when the reason is new. */
function postponed(payment: PaymentRow, failure: Failure, now: Date): PaymentChange {
  const tries = payment.settlement_tries + 1;
  const seconds = retryAfter(tries, failure.code);
  const isNews = payment.settlement_failure_code !== failure.code || seconds === null;
  const events: EventType[] = isNews ? ['payment.settlement_failed'] : [];
  return {
    set: {
      settlement_status: seconds === null ? 'failed' : 'pending',
      settlement_tries: tries,
      settlement_failure_code: failure.code,
      settlement_failure_message: failure.message,
      settlement_due_at: seconds === null ? null : addSeconds(now, seconds),
    },
    events,
    now,
  };
}

async function momentOf(deps: SettlingDeps, payment: PaymentRow): Promise<Date> {
  return merchantNow(await deps.findMerchant(payment.merchant_id), payment.livemode, deps.clock.now());
}

/** Failures of the service or the market: they pass, and the merchant cannot act on them. */
const ours: ReadonlySet<string> = new Set(['treasury_underfunded', 'price_moved', 'day_cap']);

const minute = 60;
const day = 86_400;
/** Seconds to wait after each failed try at an account that could not receive the money: more than a month in all. */
const pauses = [minute, 5 * minute, 30 * minute, 3 * 3_600, 12 * 3_600, ...Array.from({ length: 35 }, () => day)];

/** Seconds until the next try after so many failed ones; null: none until the merchant changes the account. */
export function retryAfter(tries: number, code: string): number | null {
  if (ours.has(code)) return minute;
  return pauses[tries - 1] ?? null;
}
