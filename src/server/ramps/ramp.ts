import type { Ramp, RampStatus } from '../../api/ramps/ramp.ts';
import { PayError } from '../../core/error.ts';
import { defineMachine } from '../../core/machine.ts';
import { coinsFor, feeOf } from '../../core/ramp/price.ts';
import type { ViewContext } from '../payments/payment.view.ts';
import type { Tx } from '../platform/db/database.ts';
import { type Change, changeRow, type Resource } from '../platform/events/change.ts';
import { rampToWire } from './ramp.view.ts';
import type { RampRow } from './tables.ts';

/** The purpose of payments for ramps, and of the transfers that deliver coins. */
export const rampPurpose = 'ramp';

/**
 * States of a purchase by their names in SEP-24, and the next states of each. Money may come after `expired`, and a
 * refund that its rail gave back reopens `refunded`. The coins leave in `pending_stellar` only.
 */
export const rampMachine = defineMachine<RampStatus>({
  incomplete: ['pending_user_transfer_start', 'expired'],
  pending_user_transfer_start: ['pending_anchor', 'on_hold', 'refunded', 'expired'],
  pending_anchor: ['pending_stellar', 'pending_trust', 'on_hold', 'refunded'],
  pending_stellar: ['completed', 'pending_anchor', 'pending_trust', 'on_hold', 'refunded'],
  pending_trust: ['pending_stellar', 'pending_anchor', 'on_hold', 'refunded'],
  on_hold: ['pending_anchor', 'refunded'],
  expired: ['pending_anchor', 'on_hold', 'refunded'],
  refunded: ['on_hold'],
  completed: [],
});

/** States, steps and events of a ramp. */
export const rampResource: Resource<RampRow, RampStatus, ViewContext, Ramp> = {
  table: 'ramps',
  machine: rampMachine,
  stateOf: ({ status }) => status,
  columnsOf: status => ({ status }),
  illegalStep: ({ status }, to) => new PayError('illegal_state', `The ramp is ${status} and cannot become ${to}.`),
  eventOf: (_from, to) => {
    if (to === 'completed') return 'ramp.completed';
    if (to === 'refunded') return 'ramp.refunded';
    return to === 'expired' ? 'ramp.failed' : 'ramp.updated';
  },
  toWire: rampToWire,
  keepsTransitions: false,
};

/** Writes a change of a locked ramp. A new state notes its time, and begins its tries and its failure anew. */
export async function changeRamp(
  tx: Tx,
  context: ViewContext,
  row: RampRow,
  { to = row.status, set, ...change }: Change<RampRow, RampStatus>,
): Promise<RampRow> {
  const anew = to === row.status ? {} : { status_at: change.now, tries: 0, failure_code: null, failure_message: null };
  return await changeRow(tx, rampResource, context, row, { ...change, to, set: { ...anew, ...set } });
}

/** The part of the received money that buys coins, fee included: without refunds and disputes. In minor units. */
export function keptOf({ amount_in, amount_refunded, amount_disputed }: Kept): bigint {
  const kept = amount_in - amount_refunded - amount_disputed;
  return kept > 0n ? kept : 0n;
}

type Kept = Pick<RampRow, 'amount_in' | 'amount_refunded' | 'amount_disputed'>;
type Priced = Pick<RampRow, 'fee_basis_points' | 'fee_fixed' | 'rate_numerator' | 'rate_denominator'>;

/** Fee and coins of the kept money at the ramp's price. */
export function pricedColumns(row: Kept & Priced): Pick<RampRow, 'amount_fee' | 'amount_out'> {
  const kept = keptOf(row);
  const fee = feeOf(kept, { basisPoints: row.fee_basis_points, fixed: row.fee_fixed });
  const rate = { numerator: row.rate_numerator, denominator: row.rate_denominator };
  return { amount_fee: fee, amount_out: coinsFor(kept - fee, rate) };
}
