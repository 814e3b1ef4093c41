import type { CreateRampRefund } from '../../api/ramps/ramp.ts';
import { PayError } from '../../core/error.ts';
import { createValuer } from '../approvals/approval.ts';
import { lockPayment } from '../payments/payment.store.ts';
import { cancelPayment } from '../payments/payment-lifecycle.service.ts';
import { startRefund } from '../payments/refunds/refund.service.ts';
import type { RefundRow } from '../payments/tables.ts';
import type { Tx } from '../platform/db/database.ts';
import { type Caller, scopeOf } from '../platform/http/access/caller.ts';
import { findRamp, lockRamp } from './ramp.store.ts';
import { changeRamp } from './ramp.ts';
import type { RampDeps } from './ramp-deps.ts';
import type { RampRow } from './tables.ts';

/** The merchant's ramp in the caller's mode. Throws `resource_missing`. */
export async function readRamp({ db }: Pick<RampDeps, 'db'>, caller: Caller, id: string): Promise<RampRow> {
  const row = await findRamp(db, scopeOf(caller), id);
  if (row !== null) return row;
  throw new PayError('resource_missing', `No ramp ${id.slice(0, 64)} exists. Check the id and the mode of the key.`, {
    param: 'id',
  });
}

/** Prepares the end of a ramp that was not paid. Throws `illegal_state`, and the errors of `cancelPayment`. */
export async function prepareCancel(deps: RampDeps, caller: Caller, id: string): Promise<(tx: Tx) => Promise<RampRow>> {
  const { payment_id: paymentId, status } = await readRamp(deps, caller, id);
  const { now } = caller;
  if (status !== 'incomplete' && status !== 'pending_user_transfer_start') {
    const message = `The ramp is ${status}. Only a ramp without money can be canceled.`;
    throw new PayError('illegal_state', message);
  }
  // The end of the payment ends the ramp.
  const cancel = paymentId === null ? null : await cancelPayment(deps, caller, paymentId);
  return async tx => {
    await cancel?.(tx);
    const row = await lockRamp(tx, caller.merchant.id, id);
    if (row.status === 'expired') return row;
    if (row.payment_id !== paymentId) {
      throw new PayError('illegal_state', 'The ramp has just begun. Cancel it again.');
    }
    const failure = { failure_code: 'canceled', failure_message: 'The ramp was canceled.' };
    return await changeRamp(tx, deps, row, { to: 'expired', set: { ...failure, due_at: null }, now });
  };
}

/**
 * Prepares the acceptance of a ramp on hold: its money buys coins at the market rate. Throws `illegal_state` in other
 * states, and for a customer whose identity check was rejected.
 */
export async function prepareAcceptance(
  deps: RampDeps,
  caller: Caller,
  id: string,
): Promise<(tx: Tx) => Promise<RampRow>> {
  await readRamp(deps, caller, id);
  const { merchant, now } = caller;
  return async tx => {
    const row = await lockRamp(tx, merchant.id, id);
    if (row.status !== 'on_hold') {
      throw new PayError('illegal_state', `The ramp is ${row.status}, not on hold. There is nothing to accept.`);
    }
    if (row.kyc_status === 'rejected') {
      throw new PayError('illegal_state', 'The identity check of the customer was rejected. Refund the money.');
    }
    return await changeRamp(tx, deps, row, { to: 'pending_anchor', set: { at_market: true, due_at: now }, now });
  };
}

/** Prepares a refund of the ramp's payment. Throws `illegal_state` without money, and the errors of `startRefund`. */
export async function prepareRefund(
  deps: RampDeps,
  caller: Caller,
  id: string,
  request: CreateRampRefund,
): Promise<(tx: Tx) => Promise<RefundRow>> {
  const { payment_id: paymentId, currency, status, paid_at: paidAt } = await readRamp(deps, caller, id);
  const { merchant, now } = caller;
  if (paymentId === null) throw new PayError('illegal_state', `The ramp is ${status}. It has no money to refund.`);
  if (status === 'on_hold' && paidAt === null) {
    const message = `The money counts for nothing yet. Send it back by POST /v1/payments/${paymentId}/resolve with action "refund".`;
    throw new PayError('illegal_state', message);
  }
  const valuer = merchant.payoutApprovalAmount === null ? null : await createValuer(deps, merchant, [currency]);
  return async tx => {
    const payment = await lockPayment(tx, { merchantId: merchant.id, paymentId });
    return await startRefund(tx, deps, { payment, request, asking: { caller, valuer }, now });
  };
}
