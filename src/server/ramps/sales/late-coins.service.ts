import type { RampTerms } from '../../../api/ramps/ramp-settings.ts';
import { withArrivalRates } from '../../payments/arrival-quote.ts';
import { resolvePayment } from '../../payments/checkout/payment-resolve.service.ts';
import type { OwnedChange } from '../../payments/payment-purpose.ts';
import { merchantCaller } from '../../platform/http/access/caller.ts';
import { type DueRamp, lockRamp } from '../ramp.store.ts';
import { changeRamp, type RampChange } from '../ramp.ts';
import type { RampDeps } from '../ramp-deps.ts';
import type { RampRow } from '../tables.ts';

/** Whether coins came for a sale after its price. They have no value before somebody decides about them. */
export function haveLateCoinsCome(row: RampRow, { before, payment }: OwnedChange): boolean {
  const isNew = payment.exception === 'paid_late' && before.exception !== 'paid_late';
  const mayCome = ['pending_user_transfer_start', 'expired', 'refunded'].includes(row.status);
  return row.direction === 'off' && isNew && mayCome;
}

/** What happens with late coins, by the account's rule. */
export function lateStep(row: RampRow, rule: RampTerms['late_money'], now: Date): RampChange {
  const set = {
    failure_code: 'paid_late',
    failure_message: 'The coins came after the price had ended. Accept or refund them.',
    completed_at: null,
  };
  // Coins that come after others were sent back are left to a person.
  if (row.status === 'refunded' || rule === 'wait') return { to: 'on_hold', set: { ...set, due_at: null }, now };
  if (rule === 'refund') return { to: 'on_hold', set: { ...set, due_at: now }, now };
  return { to: 'pending_anchor', set: { due_at: now }, now };
}

/** Counts late coins at the market rate, which makes the sale go on, or sends them back to their sender. */
export async function decideLate(deps: RampDeps, claimed: DueRamp, action: 'accept' | 'refund'): Promise<void> {
  const { merchant_id: merchantId, id, payment_id: paymentId, livemode, clock: now } = claimed;
  if (paymentId === null) return;
  const caller = merchantCaller({ merchant: await deps.findMerchant(merchantId), livemode, now });
  await withArrivalRates(deps, rates =>
    deps.db.transaction().execute(async tx => {
      await resolvePayment(deps, tx, caller, paymentId, { action, valuer: null, rates });
      rates.assertComplete();
      if (action === 'accept') return;
      const row = await lockRamp(tx, merchantId, id);
      const nothing = { amount_in: 0n, amount_fee: 0n, amount_out: 0n, failure_code: null, failure_message: null };
      await changeRamp(tx, deps, row, { to: 'refunded', set: { ...nothing, due_at: null, completed_at: now }, now });
    }),
  );
  deps.outbound.wake();
}
