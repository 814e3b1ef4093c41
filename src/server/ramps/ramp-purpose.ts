import type { RampStatus } from '../../api/ramps/ramp.ts';
import { addSeconds } from '../../core/clock.ts';
import { PayError } from '../../core/error.ts';
import { parseUnits } from '../../core/money.ts';
import { unitOf } from '../../core/unit.ts';
import { findMerchant } from '../merchants/merchant.store.ts';
import { givenBack, isUndecided } from '../payments/payment-funds.ts';
import { type OwnedChange, ownerIdOf, type PaymentPurpose } from '../payments/payment-purpose.ts';
import { countedParts } from '../payments/receipts/received-part.ts';
import type { PaymentRow } from '../payments/tables.ts';
import type { Executor, Tx } from '../platform/db/database.ts';
import type { Change } from '../platform/events/change.ts';
import { conversionEnded, findTerms, lockRamp } from './ramp.store.ts';
import { changeRamp, type RampChange, rampPurpose } from './ramp.ts';
import type { RampDeps } from './ramp-deps.ts';
import { keptOf, pricedColumns } from './ramp-money.ts';
import { depositOf } from './ramp-payment.ts';
import type { RampRow } from './tables.ts';
import { hasCounted, nothingTraded, uncountedStep } from './terms/late-money.service.ts';
import { fitsLimits } from './terms/limit.service.ts';
import { offerFault } from './terms/terms.ts';

/** Why a ramp is on hold. */
const holds = {
  late: {
    failure_code: 'paid_late',
    failure_message: 'The money came after the price had ended. Accept or refund it.',
  },
  refund: { failure_code: 'paid_late', failure_message: 'The money came after the price had ended. It goes back.' },
  back: {
    failure_code: 'money_back',
    failure_message: 'Money that was given back is here again. Accept or refund it.',
  },
  limit: {
    failure_code: 'limit_exceeded',
    failure_message: 'The money exceeds the limits of the customer. Accept or refund it.',
  },
} as const;

/**
 * The rules for payments of ramps. Their money stays in the balance. Its arrival makes the ramp due; refunds and
 * disputes change what the ramp delivers, as long as no coins are on their way.
 */
export function createRampPurpose(deps: RampDeps): PaymentPurpose {
  return {
    type: rampPurpose,
    wireFields: rampId => ({ ramp: rampId }),
    pricesByAmount: true,
    assertMayPay,
    followAttempt: (tx, change) => follow(tx, deps, change),
    attemptEnded: async () => {},
    refuseMoney: async () => null,
    countMoney: (tx, change) => countMoney(tx, deps, change),
    endedError: () => null,
    converted: (tx, payment, now) => conversionEnded(tx, payment.merchant_id, ownerIdOf(payment), now),
  };
}

/**
 * Refuses payers of a ramp that has ended, that the account no longer offers, or whose customer was rejected. After the
 * end of the price, a card or phone pays only where the market rate counts, and a seller gets a new price only there.
 */
async function assertMayPay(tx: Tx, { payment, now }: OwnedChange): Promise<void> {
  const row = await lockRamp(tx, payment.merchant_id, ownerIdOf(payment));
  const terms = await findTerms(tx, row.merchant_id);
  const isOpen = row.status === 'pending_user_transfer_start' && offerFault(terms, row) === null;
  if (!isOpen || row.kyc_status === 'rejected') {
    throw new PayError('illegal_state', 'The exchange has ended. Begin another one.');
  }
  const isAtOnce = row.direction === 'off' || row.method !== 'bank_transfer';
  if (isAtOnce && terms.late_money !== 'market' && now >= (await endOfPrice(tx, row))) {
    throw new PayError('quote_expired', 'The price has ended. Begin another exchange.');
  }
}

/**
 * Until when money or coins get the ramp's price. Bank transfers and coins on their way have the merchant's grace; cards
 * and phones pay at once.
 */
export async function endOfPrice(db: Executor, row: RampRow): Promise<Date> {
  if (row.direction === 'on' && row.method !== 'bank_transfer') return row.price_expires_at;
  const merchant = await findMerchant(db, row.merchant_id);
  return addSeconds(row.price_expires_at, merchant?.quoteGraceSeconds ?? 0);
}

/**
 * A payment that ended without money ends its ramp. A new price of the coins becomes the price of the sale. Money that
 * counts for nothing follows the account's rule.
 */
async function follow(tx: Tx, deps: RampDeps, change: OwnedChange): Promise<void> {
  const { payment, now } = change;
  const row = await lockRamp(tx, payment.merchant_id, ownerIdOf(payment));
  const step = uncountedStep(row, change, await findTerms(tx, row.merchant_id));
  if (step !== null) {
    await changeRamp(tx, deps, row, step);
    return;
  }
  if (row.status !== 'pending_user_transfer_start') return;
  if (payment.status === 'failed') {
    await changeRamp(tx, deps, row, endOf(payment, now));
    return;
  }
  const price = change.before.quote_id === payment.quote_id ? null : repriced(row, payment);
  const due_at = await endForRest(tx, row, payment);
  if (price === null && due_at?.getTime() === row.due_at?.getTime()) return;
  await changeRamp(tx, deps, row, {
    set: { ...price, due_at },
    ...(price !== null && { events: ['ramp.updated' as const] }),
    now,
  });
}

/** The end of a ramp whose payment ended without money, or whose part of the money went back. */
function endOf({ failure_code, failure_message }: PaymentRow, now: Date): RampChange {
  const set = { failure_code, failure_message, due_at: null };
  if (failure_code !== 'underpaid') return { to: 'expired', set, now };
  return { to: 'refunded', set: { ...set, ...nothingTraded, completed_at: now }, now };
}

/** Until when a seller who has sent a part may send the rest. Null if nothing has come. */
async function endForRest(tx: Tx, row: RampRow, payment: PaymentRow): Promise<Date | null> {
  if (row.direction === 'on' || payment.exception !== 'underpaid') return null;
  const merchant = await findMerchant(tx, row.merchant_id);
  return addSeconds(payment.expires_at, merchant?.quoteGraceSeconds ?? 0);
}

/** The price under which a payment now asks for coins. Null if it asks for none, or a part has arrived. */
function repriced(row: RampRow, payment: PaymentRow): Partial<RampRow> | null {
  const deposit = depositOf(payment.next_action);
  const coins = deposit === null ? null : parseUnits(deposit.amount, unitOf(row.asset).decimals);
  if (deposit === null || coins === null || coins === 0n || payment.amount_received > 0n) return null;
  const price = { rate_numerator: coins, rate_denominator: row.amount_in, price_expires_at: payment.expires_at };
  return { deposit, amount_out: coins, ...price };
}

/** Takes over the received money, and what was refunded or disputed of it. */
async function countMoney(tx: Tx, deps: RampDeps, { before, payment, now }: OwnedChange): Promise<void> {
  const row = await lockRamp(tx, payment.merchant_id, ownerIdOf(payment));
  const counted = {
    amount_in: payment.amount_received - payment.amount_suspense,
    amount_refunded: refundedOf(payment),
    amount_disputed: payment.amount_disputed,
    ...(row.direction === 'off' && soldCoins(row, payment)),
  };
  if (isUnderWay(row)) {
    const undelivered = counted.amount_in - counted.amount_refunded - row.amount_delivered;
    if (counted.amount_refunded > refundedOf(before) && undelivered < 0n) {
      const message = 'What this money brings is on its way or delivered. It cannot be refunded.';
      throw new PayError('illegal_state', message);
    }
    // Fee and coins stay. A dispute after the delivery is the merchant's debt, as for other payments.
    await changeRamp(tx, deps, row, { set: counted, events: ['ramp.updated'], now });
    return;
  }
  const next = { ...row, ...counted };
  const step = await nextStep(tx, deps, row, next, { isDecided: isUndecided(before), now });
  await changeRamp(tx, deps, row, {
    ...(step.to !== undefined && { to: step.to }),
    set: { ...counted, ...pricedColumns(next), paid_at: row.paid_at ?? now, ...step.set },
    ...(step.to === undefined && { events: ['ramp.updated' as const] }),
    now,
  });
}

/** Whether the coins or the payout are on their way, or arrived. */
function isUnderWay({ status }: RampRow): boolean {
  return status === 'pending_stellar' || status === 'pending_external' || status === 'completed';
}

/** The coins that arrived for a sale, and their last transaction. Money in other assets counts by its value alone. */
function soldCoins({ asset }: RampRow, { received }: PaymentRow): Partial<RampRow> {
  const own = countedParts(received).filter(part => part.currency === asset);
  const amount_out = own.reduce((sum, part) => sum + BigInt(part.amount), 0n);
  return { amount_out, tx_hash: countedParts(received).at(-1)?.tx_hash ?? null };
}

/** What was or is being refunded, without disputes. */
function refundedOf(payment: PaymentRow): bigint {
  return givenBack(payment) - payment.amount_disputed;
}

type Step = Pick<Change<RampRow, RampStatus>, 'to' | 'set'>;

/**
 * What the counted money of a ramp without a delivery leads to. `isDecided`: somebody has accepted money that waited for
 * a decision.
 */
async function nextStep(
  tx: Tx,
  deps: RampDeps,
  before: RampRow,
  row: RampRow,
  { isDecided, now }: { readonly isDecided: boolean; readonly now: Date },
): Promise<Step> {
  if (keptOf(row) === 0n) return { to: 'refunded', set: { due_at: null, completed_at: now } };
  if (row.status === 'refunded') return { to: 'on_hold', set: { ...holds.back, completed_at: null } };
  const isFirst = !hasCounted(before);
  const isMore = row.amount_in > before.amount_in;
  // A ramp that had ended, or that a page began, did not count for the limits.
  const isNew = isFirst && (!row.vouched || row.status !== 'pending_user_transfer_start');
  if (row.status !== 'on_hold' && (isMore || isNew) && !(await fitsLimits(deps, tx, row, now))) {
    return { to: 'on_hold', set: { ...holds.limit, due_at: null } };
  }
  // The payment has judged coins by their arrival.
  const isLate = row.direction === 'on' && now >= (await endOfPrice(tx, row));
  if (!isFirst) return isMore && isLate ? { set: { at_market: true } } : {};
  if (!isLate) return deliverAt(now);
  const { late_money: rule } = await findTerms(tx, row.merchant_id);
  const isAccepted = isDecided || row.status !== 'pending_user_transfer_start' || rule === 'market';
  if (isAccepted) return deliverAt(now, { at_market: true });
  if (rule === 'wait') return { to: 'on_hold', set: { ...holds.late, due_at: null } };
  return { to: 'on_hold', set: { ...holds.refund, due_at: now } };
}

function deliverAt(now: Date, set: Partial<RampRow> = {}): Step {
  return { to: 'pending_anchor', set: { ...set, due_at: now } };
}
