import type { PayoutBatchStatus, PayoutStatus } from '../../api/payout.ts';
import { PayError } from '../../core/error.ts';
import { defineMachine } from '../../core/machine.ts';
import type { Resource } from '../platform/events/change.ts';
import { batchSummaryToWire, type batchToWire, type PayoutContext, payoutToWire } from './payout.view.ts';
import type { BatchRow, PayoutRow } from './tables.ts';

/**
 * The states of a payout. The money of a `processing` payout may have left, so it never returns to a waiting state. The
 * database checks this too. A retry queues a failed payout again. A bank may return the money of a completed payout.
 */
export const payoutMachine = defineMachine<PayoutStatus>({
  scheduled: ['queued', 'on_hold', 'canceled'],
  queued: ['processing', 'on_hold', 'failed', 'canceled'],
  on_hold: ['scheduled', 'queued', 'failed', 'canceled'],
  processing: ['sent', 'completed', 'failed'],
  sent: ['completed', 'failed'],
  completed: ['returned'],
  failed: ['queued'],
  returned: [],
  canceled: [],
});

/** The `hold_code` of a payout that waits for money of the treasury. It is planned again by itself. */
export const treasuryShortHold = 'treasury_short';

/** The states of a payout whose money is reserved and was not sent yet. */
export const waitingStatuses = ['scheduled', 'queued', 'on_hold'] as const satisfies readonly PayoutStatus[];

/** The states of an ended payout. A failed payout may be retried. */
export const endedStatuses = ['completed', 'failed', 'returned', 'canceled'] as const satisfies readonly PayoutStatus[];

/** The states of a batch. A retry of a failed payout reopens its batch. */
export const batchMachine = defineMachine<PayoutBatchStatus>({
  awaiting_approval: ['scheduled', 'processing', 'canceled'],
  scheduled: ['awaiting_approval', 'processing', 'completed', 'canceled'],
  processing: ['completed', 'partially_completed', 'failed', 'canceled'],
  completed: [],
  partially_completed: ['processing'],
  failed: ['processing'],
  canceled: [],
});

/** States, steps and events of a payout. */
export const payoutResource: Resource<PayoutRow, PayoutStatus, PayoutContext, ReturnType<typeof payoutToWire>> = {
  table: 'payouts',
  machine: payoutMachine,
  stateOf: row => row.status,
  columnsOf: status => ({ status }),
  illegalStep: ({ status }, to) => inFlight(`The payout is ${status} and cannot become ${to}.`),
  eventOf: (_, to) => (to === 'scheduled' ? 'payout.queued' : `payout.${to}`),
  toWire: payoutToWire,
  keepsTransitions: false,
};

/** States, steps and events of a batch. */
export const batchResource: Resource<BatchRow, PayoutBatchStatus, PayoutContext, ReturnType<typeof batchToWire>> = {
  table: 'payout_batches',
  machine: batchMachine,
  stateOf: row => row.status,
  columnsOf: status => ({ status }),
  illegalStep: ({ status }, to) => inFlight(`The batch is ${status} and cannot become ${to}.`),
  eventOf: (from, to) => {
    if (to === 'canceled') return 'payout_batch.canceled';
    if (to === 'awaiting_approval') return 'payout_batch.updated';
    if (from === 'awaiting_approval') return 'payout_batch.approved';
    return to === 'processing' ? undefined : 'payout_batch.completed';
  },
  toWire: batchSummaryToWire,
  keepsTransitions: false,
};

/** The error for a change of a payout that may already have been sent. */
export function inFlight(message: string): PayError {
  return new PayError('payout_in_flight', message);
}
