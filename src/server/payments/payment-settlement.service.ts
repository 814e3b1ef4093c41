import type { EventType } from '../../api/event.ts';
import { addSeconds } from '../../core/clock.ts';
import { findMerchants } from '../merchants/merchant.store.ts';
import type { Tx } from '../platform/db/database.ts';
import { merchantNow } from '../platform/merchant.ts';
import { disputedAmount } from './card/card.store.ts';
import { changePayment, lockPayment, type PaymentKey } from './payment.store.ts';
import type { PaymentRow } from './payment.view.ts';
import type { PaymentChange } from './payment-change.ts';
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

/** A settlement that reached the ledger. */
interface Delivered {
  readonly portion: Portion;
  readonly txHash: string;
  readonly ledger: number;
  readonly delivery: 'payment' | 'claimable_balance';
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
    begin: (tx: Tx, key: PaymentKey, portion: Portion, now: Date) => begin(deps, tx, key, portion, now),
    conclude: (tx: Tx, key: PaymentKey, now: Date) => conclude(deps, tx, key, now),
    finish: (tx: Tx, key: PaymentKey, end: Delivered) => finish(deps, tx, key, end),
    release: (tx: Tx, key: PaymentKey, portion: Portion, failure: Failure) => release(deps, tx, key, portion, failure),
    postpone: (key: PaymentKey, failure: Failure) => postpone(deps, key, failure),
  };
}

async function begin(deps: SettlingDeps, tx: Tx, key: PaymentKey, planned: Portion, now: Date) {
  const payment = await lockPayment(tx, key);
  const disputed = await disputedAmount(tx, key.merchantId, key.paymentId);
  const portion = portionOf(payment, disputed);
  const isAsPlanned = portion?.value === planned.value && portion.amount === planned.amount;
  if (payment.amount_settling > 0n) return null;
  if (!isAsPlanned) {
    await makeSettlementDue(tx, key.merchantId, key.paymentId, now);
    return null;
  }
  const offset = payment.amount_receivable;
  await changePayment(tx, deps, payment, {
    set: {
      settlement_status: 'submitted',
      settlement_due_at: null,
      amount_settling: portion.value,
      amount_receivable: 0n,
    },
    now,
  });
  return { portion, offset, livemode: payment.livemode, currency: payment.currency };
}

async function conclude(deps: SettlingDeps, tx: Tx, key: PaymentKey, now: Date) {
  const payment = await lockPayment(tx, key);
  const disputed = await disputedAmount(tx, key.merchantId, key.paymentId);
  const { livemode, currency } = payment;
  // More is on its way or to be settled: the payment is settled after that.
  if (payment.amount_settling > 0n || portionOf(payment, disputed) !== null) return { offset: 0n, livemode, currency };
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
  return { offset, livemode, currency };
}

async function finish(deps: SettlingDeps, tx: Tx, key: PaymentKey, { portion, txHash, ledger, delivery }: Delivered) {
  const payment = await lockPayment(tx, key);
  const disputed = await disputedAmount(tx, key.merchantId, key.paymentId);
  const now = await momentOf(deps, payment);
  const amounts = {
    amount_settling: payment.amount_settling - portion.value,
    amount_settled: payment.amount_settled + portion.value,
    settlement_amount: payment.settlement_amount + portion.amount,
  };
  const isAll = isSettled({ ...payment, ...amounts }, disputed);
  await changePayment(tx, deps, payment, {
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
  });
  return { now };
}

/** Whether nothing remains to be settled, or to be offset against the merchant's debt from this payment. */
function isSettled(payment: PaymentRow, disputed: bigint): boolean {
  const isEven = payment.amount_receivable === 0n || pendingFunds(payment, disputed) === 0n;
  return isEven && portionOf(payment, disputed) === null;
}

async function release(deps: SettlingDeps, tx: Tx, key: PaymentKey, portion: Portion, failure: Failure) {
  const payment = await lockPayment(tx, key);
  const now = await momentOf(deps, payment);
  const returned: Taken = returnOwned(payment, portion.value);
  const change = postponed(payment, failure, now);
  await changePayment(tx, deps, payment, {
    ...change,
    set: {
      ...change.set,
      amount_settling: payment.amount_settling - portion.value,
      amount_receivable: payment.amount_receivable - returned.receivable,
    },
  });
  return { ...returned, now, currency: payment.currency };
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
