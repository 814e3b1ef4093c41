import type { Selectable } from 'kysely';
import { Dispute, type DisputeEvents, type DisputeStatus } from '../../../api/disputes/dispute.ts';
import { PayError } from '../../../core/error.ts';
import { newId } from '../../../core/id.ts';
import { defineMachine } from '../../../core/machine.ts';
import type { Resource } from '../../platform/events/change.ts';
import { type EventDefinitions, type SampleContext, sampleEvents } from '../../platform/events/sample.ts';
import type { DisputesTable } from '../tables.ts';

export type DisputeRow = Selectable<DisputesTable>;

/** The states of a dispute. Without an answer, the bank decides after the deadline. */
export const disputeMachine = defineMachine<DisputeStatus>({
  needs_response: ['under_review', 'closed'],
  under_review: ['closed'],
  closed: [],
});

/** States, steps and events of a dispute. */
export const disputeResource: Resource<DisputeRow, DisputeStatus, unknown, Dispute> = {
  table: 'disputes',
  machine: disputeMachine,
  stateOf: ({ status }) => status,
  columnsOf: status => ({ status }),
  illegalStep: ({ status }, to) => new PayError('illegal_state', refusals[to]?.[status] ?? `The dispute is ${status}.`),
  eventOf: (_from, to) => (to === 'closed' ? 'dispute.closed' : 'dispute.evidence_submitted'),
  toWire: (_context, row) => disputeToWire(row),
  keepsTransitions: false,
};

const refusals: Partial<Record<DisputeStatus, Partial<Record<DisputeStatus, string>>>> = {
  under_review: { closed: 'The dispute is closed, so it takes no more evidence.' },
};

export function disputeToWire(row: DisputeRow): Dispute {
  return {
    id: row.id,
    object: 'dispute',
    payment: row.payment_id,
    amount: Number(row.amount),
    currency: row.currency,
    reason: row.reason,
    status: row.status,
    outcome: row.outcome,
    evidence: row.evidence,
    evidence_due_at: row.evidence_due_at.toISOString(),
    evidence_submitted_at: row.evidence_submitted_at?.toISOString() ?? null,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
    closed_at: row.closed_at?.toISOString() ?? null,
  };
}

/** A dispute for samples of events. */
export function sampleDispute({ caller: { now, livemode } }: Pick<SampleContext, 'caller'>): Dispute {
  return {
    id: newId('dispute'),
    object: 'dispute',
    payment: newId('payment'),
    amount: 12_90,
    currency: 'USD',
    reason: 'product_not_received',
    status: 'needs_response',
    outcome: null,
    evidence: null,
    evidence_due_at: new Date(now.getTime() + 7 * 86_400_000).toISOString(),
    evidence_submitted_at: null,
    livemode,
    created_at: now.toISOString(),
    closed_at: null,
  };
}

/** The events of disputes. */
export const disputeEvents: EventDefinitions<Omit<DisputeEvents, 'payment.disputed'>> = sampleEvents(
  Dispute,
  sampleDispute,
  {
    'dispute.created': () => ({}),
    'dispute.evidence_submitted': now => ({
      status: 'under_review',
      evidence: { explanation: 'Delivered on 3 November, signed by the customer.', tracking_number: 'JD0002' },
      evidence_submitted_at: now.toISOString(),
    }),
    'dispute.closed': now => ({ status: 'closed', outcome: 'won', closed_at: now.toISOString() }),
  },
);
