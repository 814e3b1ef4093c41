import { Approval, type ApprovalEvents, type ApprovalStatus } from '../../api/balance/approval.ts';
import { PayError } from '../../core/error.ts';
import { newId } from '../../core/id.ts';
import { defineMachine } from '../../core/machine.ts';
import type { Resource } from '../platform/events/change.ts';
import { type EventDefinitions, type SampleContext, sampleEvents } from '../platform/events/sample.ts';
import type { ApprovalRow } from './tables.ts';

/** States, steps and events of an approval. */
export const approvalResource: Resource<ApprovalRow, ApprovalStatus, null, Approval> = {
  table: 'approvals',
  machine: defineMachine<ApprovalStatus>({
    awaiting_approval: ['approved', 'canceled'],
    approved: [],
    canceled: [],
    released: ['canceled'],
  }),
  stateOf: ({ status }) => status,
  columnsOf: status => ({ status }),
  illegalStep: ({ status }, to) => new PayError('illegal_state', `The approval is ${status} and cannot become ${to}.`),
  eventOf: (from, to) => {
    if (from === 'released') return undefined;
    return to === 'approved' ? 'approval.approved' : 'approval.canceled';
  },
  toWire: (_context, row) => approvalToWire(row),
  keepsTransitions: false,
};

export function approvalToWire(row: ApprovalRow): Approval {
  const { amount, currency, details } = row;
  return {
    id: row.id,
    object: 'approval',
    kind: row.kind,
    status: row.status,
    subject: row.object_id,
    description: row.summary,
    worth: amount === null || currency === null ? null : { amount: Number(amount), currency },
    change: changeIn(details),
    requested_by: row.requested_by,
    decided_by: row.decided_by,
    decided_at: row.decided_at?.toISOString() ?? null,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
  };
}

/** The change of the account, or null for money that leaves. */
function changeIn(details: ApprovalRow['details']): Approval['change'] {
  if (details === null) return null;
  return 'approval_above' in details || 'settlement_destination' in details ? details : null;
}

function sampleApproval({ caller }: SampleContext): Approval {
  return {
    id: newId('approval'),
    object: 'approval',
    kind: 'withdrawal',
    status: 'awaiting_approval',
    subject: newId('withdrawal'),
    description: 'Withdrawal of 500.00 EUR to GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
    worth: { amount: 50_000, currency: 'EUR' },
    change: null,
    requested_by: newId('apiKey'),
    decided_by: null,
    decided_at: null,
    livemode: caller.livemode,
    created_at: caller.now.toISOString(),
  };
}

export const approvalEvents: EventDefinitions<ApprovalEvents> = sampleEvents(Approval, sampleApproval, {
  'approval.created': () => ({}),
  'approval.approved': now => ({ status: 'approved', decided_by: newId('person'), decided_at: now.toISOString() }),
  'approval.canceled': now => ({ status: 'canceled', decided_by: newId('person'), decided_at: now.toISOString() }),
});
