import type { KycFlag, KycStatus } from '../../../api/kyc/kyc.ts';
import { sep9Field } from '../../../core/kyc/sep9-fields.ts';
import type { Tx } from '../../platform/db/database.ts';
import { decided, writeKyc } from '../decision.ts';
import { illegalStep } from '../kyc.ts';
import type { CheckOutcome } from '../provider.ts';
import type { KycRow } from '../tables.ts';

/** An answer of the provider. */
export type KnownOutcome = Exclude<CheckOutcome, { readonly state: 'unknown' }>;

interface Answered {
  /** The columns that each answer sets. */
  readonly set: Partial<KycRow>;
  /** Hits of screens. They keep the customer under review. */
  readonly flags: readonly KycFlag[];
  /** When a pending check is asked about again. */
  readonly nextAsk: Date;
  readonly now: Date;
}

/** The status that a decision of the provider leads to. */
const statusOf = { approved: 'approved', more_needed: 'incomplete', rejected: 'rejected' } as const satisfies Record<
  Exclude<KnownOutcome['state'], 'pending'>,
  KycStatus
>;

/** Writes the provider's answer into the locked record. Throws `illegal_state` if it takes a decision back to a review. */
export async function applyOutcome(tx: Tx, row: KycRow, outcome: KnownOutcome, answered: Answered): Promise<KycRow> {
  const { set, flags, now } = answered;
  const { status } = row;
  if (outcome.state === 'pending') {
    if (status !== 'under_review') throw illegalStep(status, 'under_review');
    // A check with hits waits for the staff, whatever the provider says.
    const due = row.due_at === null ? {} : { due_at: answered.nextAsk, asked: row.asked + 1 };
    return await writeKyc(tx, row, { to: status, set: { ...set, ...due }, now });
  }
  const to = statusOf[outcome.state];
  if (to === status && status !== 'incomplete') return await writeKyc(tx, row, { to, set, now });
  if (flags.length > 0) {
    const waiting = status === 'under_review' ? { flags: [...flags], due_at: null } : {};
    return await writeKyc(tx, row, { to: status, set: { ...set, ...waiting }, now });
  }
  const after = { ...row, ...set };
  const decision = decided(after, { to, ...wordsOf(outcome), by: null, now });
  return await writeKyc(tx, row, { to, set: { ...set, ...decision }, now });
}

/** The reasons, and the fields to give again. Fields that SEP-9 does not name cannot be given. */
function wordsOf(outcome: KnownOutcome) {
  if (outcome.state === 'rejected') return { reasons: outcome.reasons };
  if (outcome.state !== 'more_needed') return {};
  return { reasons: outcome.reasons, askedAgain: outcome.fields.filter(name => sep9Field(name) !== undefined) };
}
