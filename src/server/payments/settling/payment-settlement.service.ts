import type { EventType } from '../../../api/event.ts';
import { addSeconds } from '../../../core/clock.ts';
import { findMerchants } from '../../merchants/merchant.store.ts';
import type { OutboundFailure } from '../../outbound/outbound.ts';
import type { Tx } from '../../platform/db/database.ts';
import { createPauses } from '../../platform/jobs/pauses.ts';
import { merchantNow } from '../../platform/merchant.ts';
import {
  automaticSettlements,
  awaitAddress,
  countAwaitingAddress,
  findDueSettlements,
  lockPayment,
  lockPayments,
  makeSettlementDue,
  type PaymentKey,
  type SettlingTreasury,
} from '../payment.store.ts';
import { type ChangedPayment, changePayment, changePayments, type PaymentChange } from '../payment-change.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import { type Funds, pendingFunds, type Returned, returnOwned, settlementShare, unsettled } from '../payment-funds.ts';
import type { PaymentRow } from '../tables.ts';

/**
 * A part of a payment to settle: `value` in minor units of its currency, `amount` in units of the settlement asset.
 */
export interface Portion {
  readonly value: bigint;
  readonly amount: bigint;
}

/** The start or end of a payment's settlement. `now` is on the merchant's clock. */
interface Settling extends PaymentKey {
  readonly portion: Portion;
  readonly now: Date;
}

/** An ended settlement: delivered on the ledger, or failed. */
export interface EndedSettlement extends Settling {
  readonly outcome:
    | { readonly txHash: string; readonly ledger: number; readonly delivery: 'payment' | 'claimable_balance' }
    | OutboundFailure;
}

/** The unsettled part in both units, or null. Refunds and disputes are subtracted first. */
export function portionOf(payment: Funds & Pick<PaymentRow, 'amount' | 'quote_amount'>): Portion | null {
  const value = unsettled(payment);
  if (value <= 0n) return null;
  const amount = settlementShare(payment, payment.amount_settled + payment.amount_settling, value);
  return amount > 0n ? { value, amount } : null;
}

type SettlingDeps = Pick<PaymentDeps, 'db' | 'clock' | 'findMerchant' | 'secrets' | 'hosts' | 'purposes'>;

/** Functions that settle payments of one mode. They exist because the settlement module may not change payments. */
export type PaymentSettlements = ReturnType<typeof createPaymentSettlements>;

/** Seconds until the next try, after a settlement could not begin. */
const pauseSeconds = 30;

/** Creates the functions that settle payments of the treasury's mode. */
export function createPaymentSettlements(deps: SettlingDeps, treasury: SettlingTreasury) {
  const pauses = createPauses(deps.clock, pauseSeconds);
  return {
    due: automaticSettlements,
    /** Finds payments whose settlement is due. `portion` is null if nothing remains to settle. */
    findDue: async (limit: number) => {
      const request = { now: deps.clock.now(), limit, except: pauses.current() };
      const rows = await findDueSettlements(deps.db, treasury, request);
      const merchants = await findMerchants(deps.db, [...new Set(rows.map(row => row.merchant_id))]);
      return rows.map(row => ({
        merchantId: row.merchant_id,
        paymentId: row.id,
        livemode: row.livemode,
        now: row.clock,
        dueAt: row.settlement_due_at,
        currency: row.currency,
        asset: row.settlement_asset,
        address: row.settlement_address ?? merchants.get(row.merchant_id)?.stellarAddress ?? null,
        /** The asset of the payer's money in the treasury, or null. */
        paidIn: row.paid_in,
        portion: portionOf(row),
      }));
    },
    /** Delays a due settlement that could not begin, in this process only. */
    pause: ({ paymentId }: PaymentKey) => pauses.add(paymentId),
    /** Delays settlements of a merchant until the merchant sets an address. */
    awaitAddress: (merchantId: string, paymentIds: readonly string[]) => awaitAddress(deps.db, merchantId, paymentIds),
    /** Counts payments whose settlement waits for the merchant's address. */
    countAwaitingAddress: () => countAwaitingAddress(deps.db, treasury.livemode),
    /**
     * Starts settlements of one merchant. Skips a payment that another worker has started. Skips a payment that changed
     * since it was found, and makes it due again.
     */
    begin: (tx: Tx, planned: readonly Settling[]) => begin(deps, tx, planned),
    /**
     * Ends the settlement of a payment without a remaining part. `offset`: the pending money that repaid the merchant's
     * debt.
     */
    conclude: (tx: Tx, key: PaymentKey, now: Date) => concludeSettlement(deps, tx, key, now),
    /** Books the outcomes of one merchant's settlements. Returns the amounts of failed settlements, by payment. */
    end: (tx: Tx, ended: readonly EndedSettlement[]) => end(deps, tx, ended),
    /**
     * Stores why an attempt failed, and the time of the next attempt. Does nothing if another worker stored them.
     * Reports a new reason to the merchant.
     */
    postpone: (due: DueSettlement, failure: OutboundFailure) => postpone(deps, due, failure),
  };
}

async function begin(deps: SettlingDeps, tx: Tx, planned: readonly Settling[]) {
  const plans = new Map(planned.map(plan => [plan.paymentId, plan]));
  const changes: ChangedPayment[] = [];
  const begun = [];
  for (const payment of await lockPayments(tx, planned)) {
    const plan = plans.get(payment.id);
    if (plan === undefined || payment.amount_settling > 0n) continue;
    const portion = portionOf(payment);
    if (portion?.value !== plan.portion.value || portion.amount !== plan.portion.amount) {
      await makeSettlementDue(tx, plan, plan.now);
      continue;
    }
    const { merchant_id: merchantId, livemode, currency, amount_receivable: offset } = payment;
    const number = payment.settlement_count + 1;
    const set = {
      settlement_status: 'submitted' as const,
      settlement_due_at: null,
      settlement_count: number,
      amount_settling: portion.value,
      amount_receivable: 0n,
    };
    changes.push({ payment, change: { set, now: plan.now } });
    begun.push({ merchantId, paymentId: payment.id, number, livemode, currency, offset });
  }
  await changePayments(tx, deps, changes);
  return begun;
}

export async function concludeSettlement(deps: SettlingDeps, tx: Tx, key: PaymentKey, now: Date) {
  const payment = await lockPayment(tx, key);
  const { livemode, currency } = payment;
  // Another part is being settled or due. The settlement ends after that part.
  if (payment.amount_settling > 0n || portionOf(payment) !== null) {
    return { ...key, offset: 0n, livemode, currency };
  }
  const available = pendingFunds(payment);
  const offset = available < payment.amount_receivable ? available : payment.amount_receivable;
  await changePayment(tx, deps, payment, {
    set: {
      settlement_due_at: null,
      // A person decides about a failed payout.
      ...(payment.settlement_status !== 'failed' && {
        settlement_status: payment.amount_settled > 0n ? ('settled' as const) : ('none' as const),
        settlement_failure_code: null,
        settlement_failure_message: null,
      }),
      amount_receivable: payment.amount_receivable - offset,
    },
    now,
  });
  return { ...key, offset, livemode, currency };
}

async function end(
  deps: SettlingDeps,
  tx: Tx,
  ended: readonly EndedSettlement[],
): Promise<ReadonlyMap<string, Returned>> {
  const ends = new Map(ended.map(one => [one.paymentId, one]));
  const released = new Map<string, Returned>();
  const changes: ChangedPayment[] = [];
  for (const payment of await lockPayments(tx, ended)) {
    const one = ends.get(payment.id);
    if (one === undefined) continue;
    if ('code' in one.outcome) {
      const returned = returnOwned(payment, one.portion.value);
      released.set(payment.id, returned);
      const columns = {
        amount_settling: payment.amount_settling - one.portion.value,
        amount_receivable: payment.amount_receivable - returned.receivable,
      };
      changes.push({ payment, change: postponed(payment, one.outcome, one.now, columns) });
    } else changes.push({ payment, change: delivered(payment, one, one.outcome) });
  }
  await changePayments(tx, deps, changes);
  return released;
}

function delivered(
  payment: PaymentRow,
  { portion, now }: Settling,
  { txHash, ledger, delivery }: Exclude<EndedSettlement['outcome'], OutboundFailure>,
): PaymentChange {
  const amounts = {
    amount_settling: payment.amount_settling - portion.value,
    amount_settled: payment.amount_settled + portion.value,
    settlement_amount: payment.settlement_amount + portion.amount,
  };
  const isAll = isSettled({ ...payment, ...amounts });
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

/** Whether nothing remains to settle or to repay from this payment's pending money. */
function isSettled(payment: PaymentRow): boolean {
  const isOffset = payment.amount_receivable === 0n || pendingFunds(payment) === 0n;
  return isOffset && portionOf(payment) === null;
}

/** A settlement that is due, and its due time. */
type DueSettlement = PaymentKey & { readonly dueAt: Date | null };

async function postpone(deps: SettlingDeps, due: DueSettlement, failure: OutboundFailure): Promise<void> {
  const merchant = await deps.findMerchant(due.merchantId);
  await deps.db.transaction().execute(async tx => {
    const payment = await lockPayment(tx, due);
    if (payment.amount_settling > 0n || payment.settlement_due_at?.getTime() !== due.dueAt?.getTime()) return;
    const now = merchantNow(merchant, payment.livemode, deps.clock.now());
    await changePayment(tx, deps, payment, postponed(payment, failure, now));
  });
}

/** Records a failed attempt. The merchant gets an event only if the reason is new. */
function postponed(
  payment: PaymentRow,
  failure: OutboundFailure,
  now: Date,
  columns: PaymentChange['set'] = {},
): PaymentChange {
  const tries = payment.settlement_tries + 1;
  const seconds = retryAfter(tries, failure.code);
  const isNewFailure = payment.settlement_failure_code !== failure.code || seconds === null;
  const events: EventType[] = isNewFailure ? ['payment.settlement_failed'] : [];
  return {
    set: {
      ...columns,
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

/** Temporary failures of the service or the market, which the merchant cannot resolve. */
const temporaryFailures: ReadonlySet<string> = new Set([
  'treasury_underfunded',
  'price_moved',
  'asset_not_listed',
  'day_cap',
]);

const minute = 60;
const day = 86_400;
/**
 * Seconds until the next attempt, by the number of failed attempts at an account that could not receive the money. The
 * sum is more than a month.
 */
const pauses = [minute, 5 * minute, 30 * minute, 3 * 3_600, 12 * 3_600, ...Array.from({ length: 35 }, () => day)];

/** Seconds until the attempt after `tries` failed attempts. Null: the next attempt needs a change of the account. */
export function retryAfter(tries: number, code: string): number | null {
  return temporaryFailures.has(code) ? minute : growingPause(tries);
}

/** The pause in seconds after `tries` failed attempts. Null: enough attempts have failed. */
export function growingPause(tries: number): number | null {
  return pauses[tries - 1] ?? null;
}
