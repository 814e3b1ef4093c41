import type { Kyc, KycField, KycStatus } from '../../api/kyc/kyc.ts';
import { PayError } from '../../core/error.ts';
import { idBody, idOf } from '../../core/id.ts';
import { sep9Field } from '../../core/kyc/sep9-fields.ts';
import { fieldsNeeded } from '../../core/kyc/tiers.ts';
import { defineMachine } from '../../core/machine.ts';
import type { Resource } from '../platform/events/change.ts';
import type { MerchantScope } from '../platform/merchant.ts';
import type { KycRow } from './tables.ts';

/** States and steps of an identity check. Nothing leads back to `not_started`. */
export const kycResource: Resource<KycRow, KycStatus, null, Kyc> = {
  table: 'kyc_records',
  machine: defineMachine<KycStatus>({
    not_started: ['incomplete', 'under_review', 'approved', 'rejected'],
    incomplete: ['under_review', 'approved', 'rejected'],
    under_review: ['incomplete', 'approved', 'rejected'],
    approved: ['incomplete', 'under_review', 'rejected'],
    rejected: ['incomplete', 'under_review', 'approved'],
  }),
  stateOf: ({ status }) => status,
  columnsOf: status => ({ status }),
  illegalStep: ({ status }, to) => illegalStep(status, to),
  eventOf: (_from, to) => (to === 'approved' || to === 'rejected' ? `kyc.${to}` : 'kyc.updated'),
  toWire: (_context, row) => kycToWire(row),
  keepsTransitions: false,
};

export function illegalStep(from: KycStatus, to: KycStatus): PayError {
  return new PayError('illegal_state', `The identity check is ${from} and cannot become ${to}.`);
}

/** The record changed between a decision's preparation and its transaction. */
export function changedMeanwhile(): PayError {
  return new PayError('illegal_state', 'The identity check has changed meanwhile. Read it again, then decide.');
}

/** The id of the customer's record. A customer has one record. */
export function kycIdOf(customerId: string): string {
  return idOf('kyc', idBody(customerId));
}

/** The record of a customer without data. `begunBy`: the session that begins the check; null: the merchant. */
export function newKyc(
  { merchantId, livemode }: MerchantScope,
  customerId: string,
  now: Date,
  begunBy: string | null = null,
): KycRow {
  return {
    merchant_id: merchantId,
    id: kycIdOf(customerId),
    livemode,
    customer_id: customerId,
    type: 'person',
    status: 'not_started',
    tier: null,
    requested_tier: 'basic',
    provided: [],
    sealed: null,
    asked_again: [],
    rejection_reasons: [],
    flags: [],
    provider: null,
    provider_reference: null,
    attempt: 0,
    submitted: false,
    callback_id: null,
    callback_at: null,
    due_at: null,
    asked: 0,
    decided_by: null,
    decided_at: null,
    version: 0,
    event_sequence: 0,
    begun_by: begunBy,
    created_at: now,
  };
}

/** The fields that the requested tier needs, and those that were asked for again. */
function wantedFields({ type, requested_tier: tier, asked_again: again }: KycRow): readonly string[] {
  return [...new Set([...fieldsNeeded(type, tier), ...again])];
}

/** The fields without which the check cannot be reviewed. */
export function missingFields(row: Pick<KycRow, 'type' | 'requested_tier' | 'provided' | 'asked_again'>): string[] {
  const missing = fieldsNeeded(row.type, row.requested_tier).filter(name => !row.provided.includes(name));
  return [...new Set([...missing, ...row.asked_again])];
}

export function kycToWire(row: KycRow): Kyc {
  return {
    id: row.id,
    object: 'kyc',
    customer: row.customer_id,
    type: row.type,
    status: row.status,
    tier: row.tier,
    requested_tier: row.requested_tier,
    fields: fieldsToWire(row),
    rejection_reasons: [...row.rejection_reasons],
    flags: [...row.flags],
    provider: row.provider,
    provider_reference: row.provider_reference,
    decided_by: row.decided_by,
    decided_at: row.decided_at?.toISOString() ?? null,
    livemode: row.livemode,
    created_at: row.status === 'not_started' ? null : row.created_at.toISOString(),
  };
}

function fieldsToWire(row: KycRow): KycField[] {
  const wanted = wantedFields(row);
  const missing = missingFields(row);
  return [...new Set([...wanted, ...row.provided])].flatMap(name => {
    const field = sep9Field(name);
    if (field === undefined) return [];
    const { format, description, choices } = field;
    const status = missing.includes(name) ? ('needed' as const) : ('provided' as const);
    return {
      name,
      format,
      status,
      required: wanted.includes(name),
      description,
      choices: choices ? [...choices] : null,
    };
  });
}
