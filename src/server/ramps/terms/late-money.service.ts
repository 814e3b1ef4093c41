import type { RampTerms } from '../../../api/ramps/ramp-settings.ts';
import { addSeconds } from '../../../core/clock.ts';
import { PayError } from '../../../core/error.ts';
import { withArrivalRates } from '../../payments/arrival-quote.ts';
import { resolvePayment } from '../../payments/checkout/payment-resolve.service.ts';
import { findPayment } from '../../payments/payment.store.ts';
import { isUndecided } from '../../payments/payment-funds.ts';
import type { OwnedChange } from '../../payments/payment-purpose.ts';
import type { PaymentRow } from '../../payments/tables.ts';
import type { Executor } from '../../platform/db/database.ts';
import { merchantCaller } from '../../platform/http/access/caller.ts';
import { type DueRamp, findTerms, lockClaimed, lockRamp } from '../ramp.store.ts';
import { changeRamp, type RampChange } from '../ramp.ts';
import type { RampDeps } from '../ramp-deps.ts';
import { keptOf } from '../ramp-money.ts';
import type { RampRow } from '../tables.ts';
import { offerFault } from './terms.ts';

/** Why money waits for a decision. It counts for nothing before. */
const waits = {
  paid_late: { code: 'paid_late', message: 'The money came after the price had ended. Accept it, or send it back.' },
  underpaid: { code: 'underpaid', message: 'Too little arrived. Accept it, or send it back.' },
} as const;

const waitOf = ({ exception }: PaymentRow) => waits[exception === 'underpaid' ? 'underpaid' : 'paid_late'];

/** Seconds until a ramp whose payer has sent a part and pays again now is looked at again. */
const attemptSeconds = 60;

/** The amounts of a ramp whose money went back before it counted. */
export const nothingTraded = { amount_in: 0n, amount_fee: 0n, amount_out: 0n } as const;

/** Whether money waits that an ended payment has not counted: it is late, or too little. */
function isUncounted({ status, exception }: PaymentRow): boolean {
  return exception === 'paid_late' || (exception === 'underpaid' && status === 'failed');
}

/** Whether the ramp has money that counts. Before its payment, a ramp shows the money that it waits for. */
export function hasCounted(row: RampRow): boolean {
  return row.paid_at !== null && keptOf(row) > 0n;
}

/** What uncounted money changes at its ramp when it comes, or when somebody has decided about it. Null: nothing. */
export function uncountedStep(
  row: RampRow,
  { before, payment, now }: OwnedChange,
  terms: RampTerms,
): RampChange | null {
  const isNew = isUncounted(payment) && !isUncounted(before);
  if (isNew && ['pending_user_transfer_start', 'expired', 'refunded'].includes(row.status)) {
    return lateStep(row, payment, terms, now);
  }
  // The sweep sees whether the money was accepted or sent back.
  const isDecided = !isUncounted(payment) && isUncounted(before) && !hasCounted(row);
  const mayEnd = row.status === 'on_hold' || row.status === 'pending_anchor';
  return isDecided && mayEnd ? { set: { due_at: now }, now } : null;
}

function lateStep(row: RampRow, payment: PaymentRow, terms: RampTerms, now: Date): RampChange {
  const { code, message } = waitOf(payment);
  const set = { failure_code: code, failure_message: message, completed_at: null };
  const { late_money: rule } = terms;
  // Left to a person: money after other money was sent back, or for a trade that the account no longer offers.
  const isForPerson = row.status === 'refunded' || (rule === 'market' && offerFault(terms, row) !== null);
  if (isForPerson || rule === 'wait') return { to: 'on_hold', set: { ...set, due_at: null }, now };
  if (rule === 'refund') return { to: 'on_hold', set: { ...set, due_at: now }, now };
  return { to: 'pending_anchor', set: { due_at: now }, now };
}

/** Why the merchant must decide. */
interface Failure {
  readonly code: string;
  readonly message: string;
}

/**
 * Decides about a due ramp whose money counts for nothing. The money counts at the market rate, and the ramp goes on, or
 * it goes back to its sender. Ends a ramp whose money went back. Returns a failure that leaves the decision to the
 * merchant.
 */
export async function decideUncounted(deps: RampDeps, claimed: DueRamp): Promise<Failure | null> {
  const payment = await paymentOf(deps.db, claimed);
  if (payment === null || !isUndecided(payment)) {
    await goOnWithout(deps, claimed);
    return null;
  }
  const { late_money: rule } = await findTerms(deps.db, claimed.merchant_id);
  const isAccepted = claimed.status === 'pending_anchor' || (claimed.status !== 'on_hold' && rule === 'market');
  if (isAccepted) return await resolve(deps, claimed, 'accept');
  return rule === 'refund' ? await resolve(deps, claimed, 'refund') : waitOf(payment);
}

/**
 * Decides by the account's rule about money of a counted payment that is more than its amount. Returns whether it did.
 * The ramp is due again then. Otherwise the excess waits at the payment.
 */
export async function decideExcess(deps: RampDeps, claimed: DueRamp): Promise<boolean> {
  if (claimed.deliveries > 0) return false;
  const payment = await paymentOf(deps.db, claimed);
  if (payment?.exception !== 'overpaid' || !isUndecided(payment)) return false;
  const { late_money: rule } = await findTerms(deps.db, claimed.merchant_id);
  if (rule === 'wait') return false;
  return (await resolve(deps, claimed, rule === 'market' ? 'accept' : 'refund')) === null;
}

/** Applies the decision at the payment, as the merchant could. Returns why it cannot be applied, or null. */
async function resolve(deps: RampDeps, claimed: DueRamp, action: 'accept' | 'refund'): Promise<Failure | null> {
  const { merchant_id: merchantId, id, payment_id: paymentId, livemode, clock: now } = claimed;
  if (paymentId === null) return null;
  const caller = merchantCaller({ merchant: await deps.findMerchant(merchantId), livemode, now });
  try {
    await withArrivalRates({ ...deps, rates: ratesFor(deps, claimed) }, rates =>
      deps.db.transaction().execute(async tx => {
        await resolvePayment(deps, tx, caller, paymentId, { action, valuer: null, rates });
        rates.assertComplete();
        const row = await lockRamp(tx, merchantId, id);
        if (row.status === 'pending_anchor') await changeRamp(tx, deps, row, { set: { due_at: now }, now });
      }),
    );
    deps.outbound.wake();
    return null;
  } catch (error) {
    if (!(error instanceof PayError)) throw error;
    // Without a rate, the ramp waits for the end of its lease.
    return error.status === 503 ? null : { code: error.code, message: error.message };
  }
}

/** Rates at which the market takes the money of the ramp. */
function ratesFor({ rates }: RampDeps, { amount_in: amount }: RampRow): RampDeps['rates'] {
  return { ...rates, find: (currency, asset) => rates.findFor(amount, currency, asset) };
}

/** Ends a ramp whose money went back. A payer who has sent a part may pay the rest. */
async function goOnWithout(deps: RampDeps, claimed: DueRamp): Promise<void> {
  const { clock: now } = claimed;
  await deps.db.transaction().execute(async tx => {
    const row = await lockClaimed(tx, claimed);
    if (row === null) return;
    if (row.status === 'pending_user_transfer_start') {
      await changeRamp(tx, deps, row, { set: { due_at: addSeconds(now, attemptSeconds) }, now });
      return;
    }
    await changeRamp(tx, deps, row, {
      to: 'refunded',
      set: { ...nothingTraded, due_at: null, completed_at: now },
      now,
    });
  });
}

async function paymentOf(db: Executor, { merchant_id: merchantId, payment_id: paymentId }: RampRow) {
  return paymentId === null ? null : await findPayment(db, { merchantId, paymentId });
}
