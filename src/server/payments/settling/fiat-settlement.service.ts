import { post } from '../../ledger/ledger.store.ts';
import { exchange, move } from '../../ledger/posting.ts';
import type { Tx } from '../../platform/db/database.ts';
import { fiatSettlements, lockPayments, type PaymentKey } from '../payment.store.ts';
import { type ChangedPayment, changePayments, type PaymentChange } from '../payment-change.ts';
import type { PaymentDeps } from '../payment-deps.ts';
import type { PaymentRow } from '../tables.ts';
import { deductDebt } from './deduction.ts';
import {
  findDueFiatSettlements,
  hasDebts,
  lockDebts,
  lockMembers,
  type SettlementScope,
} from './fiat-settlement.store.ts';
import { concludeSettlement, type Portion, portionOf } from './payment-settlement.service.ts';

type SettlingDeps = Pick<PaymentDeps, 'db' | 'clock' | 'findMerchant' | 'secrets' | 'hosts' | 'purposes'>;

/** A locked payment and its part that begins to be settled. */
export interface BegunPortion extends Portion {
  readonly paymentId: string;
}

/** The end of a settlement, for its payments. */
export interface SettlementOutcome {
  readonly merchantId: string;
  readonly settlementId: string;
  readonly payoutId: string | null;
  /** Whether the money stays in the merchant's balance. */
  readonly isKept: boolean;
  /** Null: the payout arrived, or the money is kept. Otherwise why it did not arrive. */
  readonly failure: { readonly code: string; readonly message: string } | null;
  /** Payments after this id remain. */
  readonly after: string;
  readonly now: Date;
}

/** Maximum number of payments that one statement changes. */
const mostAtOnce = 1_000;

/** Functions that settle payments in currencies, for the module `settlement`. */
export type FiatSettlements = ReturnType<typeof createFiatSettlements>;

/** Creates the functions that settle payments in currencies. Amounts are in minor units. */
export function createFiatSettlements(deps: SettlingDeps) {
  return {
    due: fiatSettlements,
    findDue: (limit: number) => findDueFiatSettlements(deps.db, { now: deps.clock.now(), limit }),
    /** Whether refunds or disputes of settled payments wait to be deducted. */
    hasDebts: (tx: Tx, scope: SettlementScope) => hasDebts(tx, scope),
    /**
     * Starts settlements of one merchant's payments in one currency: their pending money is exchanged at their quotes
     * and reserved. `settlementsOf` names the settlement of each payment. Skips payments that another worker started.
     */
    begin: (tx: Tx, keys: readonly PaymentKey[], now: Date, settlementsOf: Assignment) =>
      begin(deps, tx, keys, now, settlementsOf),
    /** Deducts debts from reserved money of a settlement, at most `room`. Returns the deducted amount. */
    deduct: (tx: Tx, scope: SettlementScope, settlementId: string, room: bigint, now: Date) =>
      deduct(deps, tx, scope, settlementId, room, now),
    /** Marks the next payments of an ended settlement. Returns the id of the last one, or null if none remains. */
    mark: (tx: Tx, outcome: SettlementOutcome) => mark(deps, tx, outcome),
  };
}

type Assignment = (portions: readonly BegunPortion[]) => ReadonlyMap<string, string>;

async function begin(
  deps: SettlingDeps,
  tx: Tx,
  keys: readonly PaymentKey[],
  now: Date,
  settlementsOf: Assignment,
): Promise<readonly BegunPortion[]> {
  const started: { payment: PaymentRow; portion: BegunPortion }[] = [];
  for (const payment of await lockPayments(tx, keys)) {
    if (payment.amount_settling > 0n || payment.settlement_due_at === null) continue;
    const portion = portionOf(payment);
    if (portion === null) await concludeOne(deps, tx, payment, now);
    else started.push({ payment, portion: { ...portion, paymentId: payment.id } });
  }
  const portions = started.map(({ portion }) => portion);
  const settlements = settlementsOf(portions);
  const changes = started.map(({ payment, portion }): ChangedPayment => {
    const settlementId = settlements.get(payment.id) ?? null;
    return { payment, change: beginning(payment, portion, settlementId, now) };
  });
  await changePayments(tx, deps, changes);
  return portions;
}

function beginning(payment: PaymentRow, portion: Portion, settlementId: string | null, now: Date): PaymentChange {
  const { currency, settlement_asset: settled, amount_receivable: offset } = payment;
  const given = { currency, amount: portion.value };
  const postings = [
    ...exchange('merchant.pending', given, 'merchant.reserved', { currency: settled, amount: portion.amount }),
    ...move('merchant.pending', 'merchant.receivable', currency, offset),
  ];
  const set = {
    settlement_status: 'submitted' as const,
    settlement_due_at: null,
    settlement_id: settlementId,
    settlement_payout: null,
    settlement_count: payment.settlement_count + 1,
    settlement_failure_code: null,
    settlement_failure_message: null,
    amount_settling: portion.value,
    settling_amount: portion.amount,
    amount_receivable: 0n,
  };
  const source = settlementId === null ? {} : { resourceId: settlementId };
  return { set, bookings: [{ kind: 'settlement', postings, ...source }], now };
}

/** Ends a settlement without money to pay out. Pending money repays the merchant's debt. */
async function concludeOne(deps: SettlingDeps, tx: Tx, payment: PaymentRow, now: Date): Promise<void> {
  const { merchant_id: merchantId, id: paymentId } = payment;
  const { offset, livemode, currency } = await concludeSettlement(deps, tx, { merchantId, paymentId }, now);
  const postings = move('merchant.pending', 'merchant.receivable', currency, offset);
  await post(tx, [{ merchantId, livemode, kind: 'offset', paymentId, postings, now }]);
}

async function deduct(
  deps: SettlingDeps,
  tx: Tx,
  scope: SettlementScope,
  settlementId: string,
  room: bigint,
  now: Date,
): Promise<bigint> {
  let deducted = 0n;
  for (;;) {
    const indebted = await lockDebts(tx, scope, settlementId, mostAtOnce);
    const changes: ChangedPayment[] = [];
    for (const payment of indebted) {
      const deduction = deductDebt(payment, settlementId, room - deducted);
      if (deduction === null) continue;
      deducted += deduction.share;
      const taken = { currency: payment.currency, amount: deduction.value };
      const given = { currency: scope.currency, amount: deduction.share };
      const postings = exchange('merchant.reserved', given, 'merchant.receivable', taken);
      const bookings = [{ kind: 'settlement_deducted', postings, resourceId: settlementId }];
      changes.push({ payment, change: { set: deduction.columns, bookings, now } });
    }
    await changePayments(tx, deps, changes);
    if (indebted.length < mostAtOnce || changes.length < indebted.length) return deducted;
  }
}

async function mark(deps: SettlingDeps, tx: Tx, outcome: SettlementOutcome): Promise<string | null> {
  const members = await lockMembers(tx, outcome, mostAtOnce);
  await changePayments(
    tx,
    deps,
    members.map(payment => ({ payment, change: marking(payment, outcome) })),
  );
  return members.length < mostAtOnce ? null : (members.at(-1)?.id ?? null);
}

/** Counts as settled even if the payout failed or the money is kept: it is then in the merchant's balance. */
function marking(payment: PaymentRow, { payoutId, isKept, failure, now }: SettlementOutcome): PaymentChange {
  const amounts = {
    amount_settling: 0n,
    settling_amount: 0n,
    amount_settled: payment.amount_settled + payment.amount_settling,
    settlement_amount: payment.settlement_amount + payment.settling_amount,
  };
  const hasMore = portionOf({ ...payment, ...amounts }) !== null;
  return {
    set: {
      ...amounts,
      settlement_status: failure !== null ? 'failed' : hasMore ? 'pending' : isKept ? 'none' : 'settled',
      settlement_due_at: hasMore ? now : payment.settlement_due_at,
      settlement_payout: payoutId,
      settlement_failure_code: failure?.code ?? null,
      settlement_failure_message: failure?.message ?? null,
      settlement_tries: 0,
    },
    // The settlement has the event of kept money.
    events: isKept ? [] : [failure === null ? 'payment.settled' : 'payment.settlement_failed'],
    now,
  };
}
