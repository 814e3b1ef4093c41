import type { RampStatus } from '../../api/ramps/ramp.ts';
import { addSeconds } from '../../core/clock.ts';
import { PayError } from '../../core/error.ts';
import { findMerchant } from '../merchants/merchant.store.ts';
import type { ViewContext } from '../payments/payment.view.ts';
import { givenBack } from '../payments/payment-funds.ts';
import { type OwnedChange, ownerIdOf, type PaymentPurpose } from '../payments/payment-purpose.ts';
import type { PaymentRow } from '../payments/tables.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Change } from '../platform/events/change.ts';
import { findTerms, lockRamp } from './ramp.store.ts';
import { changeRamp, keptOf, pricedColumns, rampPurpose } from './ramp.ts';
import type { RampRow } from './tables.ts';

/** Why a ramp is on hold. */
export const holds = {
  late: {
    failure_code: 'paid_late',
    failure_message: 'The money came after the price had ended. Accept or refund it.',
  },
  refund: { failure_code: 'paid_late', failure_message: 'The money came after the price had ended. It goes back.' },
  returned: { failure_code: 'refund_failed', failure_message: 'A refund came back. Accept or refund its money.' },
} as const;

/**
 * The rules for payments of ramps. Their money stays in the balance. Its arrival makes the ramp due; refunds and
 * disputes change what the ramp delivers, as long as no coins are on their way.
 */
export function createRampPurpose(context: ViewContext): PaymentPurpose {
  return {
    type: rampPurpose,
    wireFields: rampId => ({ ramp: rampId }),
    assertMayPay: async (tx, { payment }) => {
      const { status } = await lockRamp(tx, payment.merchant_id, ownerIdOf(payment));
      if (status !== 'pending_user_transfer_start') throw ended();
    },
    followAttempt: (tx, change) => followEnd(tx, context, change),
    attemptEnded: async () => {},
    refuseMoney: async () => null,
    countMoney: (tx, change) => countMoney(tx, context, change),
    endedError: () => null,
  };
}

function ended(): PayError {
  return new PayError('illegal_state', 'The purchase has ended. Begin another one.');
}

/** A payment that ended without money ends its ramp. */
async function followEnd(tx: Tx, context: ViewContext, { payment, now }: OwnedChange): Promise<void> {
  if (payment.status !== 'failed') return;
  const row = await lockRamp(tx, payment.merchant_id, ownerIdOf(payment));
  if (row.status !== 'pending_user_transfer_start') return;
  const { failure_code, failure_message } = payment;
  await changeRamp(tx, context, row, { to: 'expired', set: { failure_code, failure_message }, now });
}

/** Takes over the received money, and what was refunded or disputed of it. */
async function countMoney(tx: Tx, context: ViewContext, { before, payment, now }: OwnedChange): Promise<void> {
  const row = await lockRamp(tx, payment.merchant_id, ownerIdOf(payment));
  const isDelivered = row.status === 'pending_stellar' || row.status === 'completed';
  if (isDelivered && refundedOf(payment) > refundedOf(before)) {
    const message = 'The coins of this ramp are on their way or delivered. Its money cannot be refunded.';
    throw new PayError('illegal_state', message);
  }
  const counted = {
    amount_in: payment.amount_received - payment.amount_suspense,
    amount_refunded: refundedOf(payment),
    amount_disputed: payment.amount_disputed,
  };
  if (isDelivered) {
    // The delivered sums stay. A dispute after the delivery is the merchant's debt, as for any payment.
    const { amount_disputed } = counted;
    await changeRamp(tx, context, row, { set: { amount_disputed }, events: ['ramp.updated'], now });
    return;
  }
  const next = { ...row, ...counted };
  const step = await nextStep(tx, next, now);
  await changeRamp(tx, context, row, {
    ...(step.to !== undefined && { to: step.to }),
    set: { ...counted, ...pricedColumns(next), paid_at: row.paid_at ?? now, ...step.set },
    ...(step.to === undefined && { events: ['ramp.updated' as const] }),
    now,
  });
}

function refundedOf(payment: PaymentRow): bigint {
  return givenBack(payment) - payment.amount_disputed;
}

type Step = Pick<Change<RampRow, RampStatus>, 'to' | 'set'>;

/** What the counted money of a ramp without a delivery leads to. */
async function nextStep(tx: Tx, row: RampRow, now: Date): Promise<Step> {
  if (keptOf(row) === 0n) return { to: 'refunded', set: { due_at: null, completed_at: now } };
  if (row.status === 'refunded') return { to: 'on_hold', set: { ...holds.returned, completed_at: null } };
  if (row.paid_at !== null) return {};
  // The merchant has accepted money that came after the payment's end.
  if (row.status === 'expired') return deliverAt(now, { at_market: true });
  const merchant = await findMerchant(tx, row.merchant_id);
  if (now < addSeconds(row.price_expires_at, merchant?.quoteGraceSeconds ?? 0)) return deliverAt(now);
  const { late_money: rule } = await findTerms(tx, row.merchant_id);
  if (rule === 'market') return deliverAt(now, { at_market: true });
  if (rule === 'wait') return { to: 'on_hold', set: { ...holds.late, due_at: null } };
  return { to: 'on_hold', set: { ...holds.refund, due_at: now } };
}

function deliverAt(now: Date, set: Partial<RampRow> = {}): Step {
  return { to: 'pending_anchor', set: { ...set, due_at: now } };
}
