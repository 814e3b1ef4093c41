import type { Ramp, RampStatus } from '../../api/ramps/ramp.ts';
import { PayError } from '../../core/error.ts';
import { defineMachine } from '../../core/machine.ts';
import type { ViewContext } from '../payments/payment.view.ts';
import type { Tx } from '../platform/db/database.ts';
import { type Change, changeRow, type Resource } from '../platform/events/change.ts';
import { rampToWire } from './ramp.view.ts';
import type { RampRow } from './tables.ts';

/** The purpose of payments for ramps, and of the transfers that deliver coins. */
export const rampPurpose = 'ramp';

/**
 * States of a ramp by their names in SEP-24, and the next states of each. Money may come after `expired`, and a refund
 * that its rail gave back reopens `refunded`. Bought coins leave in `pending_stellar` only, and the money for sold ones
 * in `pending_external`. A completed sale is on hold again after its bank has returned the payout.
 */
export const rampMachine = defineMachine<RampStatus>({
  incomplete: ['pending_user_transfer_start', 'expired'],
  pending_user_transfer_start: ['pending_anchor', 'on_hold', 'refunded', 'expired'],
  pending_anchor: ['pending_stellar', 'pending_external', 'pending_trust', 'on_hold', 'refunded'],
  pending_stellar: ['completed', 'pending_anchor', 'pending_trust', 'on_hold', 'refunded'],
  pending_external: ['completed', 'on_hold', 'refunded'],
  pending_trust: ['pending_stellar', 'pending_anchor', 'on_hold', 'refunded'],
  on_hold: ['pending_anchor', 'refunded'],
  expired: ['pending_anchor', 'on_hold', 'refunded'],
  refunded: ['on_hold'],
  completed: ['on_hold'],
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

export type RampChange = Change<RampRow, RampStatus>;

/** Writes a change of a locked ramp. A new state notes its time, and begins its tries and its failure anew. */
export async function changeRamp(
  tx: Tx,
  context: ViewContext,
  row: RampRow,
  { to = row.status, set, ...change }: RampChange,
): Promise<RampRow> {
  const anew = to === row.status ? {} : { status_at: change.now, tries: 0, failure_code: null, failure_message: null };
  return await changeRow(tx, rampResource, context, row, { ...change, to, set: { ...anew, ...set } });
}
