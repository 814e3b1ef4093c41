import { isDeepStrictEqual } from 'node:util';
import type { KycFlag, KycStatus, KycTier } from '../../api/kyc/kyc.ts';
import { reachesTier } from '../../core/kyc/tiers.ts';
import type { Tx } from '../platform/db/database.ts';
import { changeRow } from '../platform/events/change.ts';
import { kycResource, kycToWire } from './kyc.ts';
import type { KycRow } from './tables.ts';

/** A decision about a customer. */
export interface Decision {
  readonly to: Exclude<KycStatus, 'not_started'>;
  /** The approved tier. Default: the requested one. */
  readonly tier?: KycTier | undefined;
  readonly reasons?: readonly string[] | undefined;
  /** Given fields that are needed again, and further ones. */
  readonly askedAgain?: readonly string[] | undefined;
  /** The key or person that decides. Null: the provider. */
  readonly by: string | null;
  readonly now: Date;
}

/** The columns that a decision sets, apart from the status. */
export function decided(row: KycRow, { to, tier, reasons = [], askedAgain = [], by, now }: Decision): Partial<KycRow> {
  const approved = tier ?? row.requested_tier;
  const isApproved = to === 'approved';
  // An upgrade that needs more keeps the approval of the lower tier.
  const keepsTier = row.status !== 'approved' && to !== 'rejected';
  return {
    tier: isApproved ? approved : keepsTier ? row.tier : null,
    requested_tier: isApproved && reachesTier(approved, row.requested_tier) ? approved : row.requested_tier,
    rejection_reasons: isApproved ? [] : [...reasons],
    asked_again: to === 'incomplete' ? [...askedAgain] : [],
    flags: to === 'under_review' ? row.flags : ([] satisfies KycFlag[]),
    due_at: null,
    asked: 0,
    // The provider may correct its own decision, but not that of a person.
    submitted: by === null && row.submitted,
    decided_by: by,
    decided_at: now,
  };
}

/** A change of a locked record. */
interface KycChange {
  readonly to: KycStatus;
  readonly set: Partial<KycRow>;
  /** Whether values changed that the wire form does not show. */
  readonly hasNewValues?: boolean;
  readonly now: Date;
}

/**
 * Writes a change of a locked record. It has one event if the change is visible, and none otherwise. Throws
 * `illegal_state` for a step that the machine forbids.
 */
export async function writeKyc(tx: Tx, row: KycRow, change: KycChange): Promise<KycRow> {
  const { to, set, now, hasNewValues = false } = change;
  const after = { ...row, ...set, status: to };
  const isVisible = hasNewValues || !isDeepStrictEqual(kycToWire(row), kycToWire(after));
  const type = to === 'approved' && after.tier !== row.tier ? 'kyc.approved' : 'kyc.updated';
  const events = isVisible && to === row.status ? ([type] as const) : [];
  return await changeRow(tx, kycResource, null, row, { to, set, events, now });
}
