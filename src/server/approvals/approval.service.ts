import { addSeconds } from '../../core/clock.ts';
import { PayError } from '../../core/error.ts';
import { newId } from '../../core/id.ts';
import { personBehind } from '../merchants/api-key.store.ts';
import { findRole } from '../people/team/team.store.ts';
import type { Executor, Tx } from '../platform/db/database.ts';
import { insertRows } from '../platform/db/rows.ts';
import { changeRow, createRows, planChange, planned, writeChanges } from '../platform/events/change.ts';
import type { Caller } from '../platform/http/access/caller.ts';
import { lockLimit, lockOpen, lockWaiting, readLimit, releasedSince } from './approval.store.ts';
import type { Worth } from './approval.ts';
import { approvalResource } from './approval.view.ts';
import type { ApprovalDetails, ApprovalRow } from './tables.ts';

/** The caller, in its account and mode. Sweeps act for the key that asked. */
type Asking = Pick<Caller, 'merchant' | 'livemode' | 'keyId' | 'now'>;

/** Whether money needs a second person. */
export interface Question {
  /** The caller asked for an approval. */
  readonly isAsked?: boolean;
  /** From `createValuer`. Null: the account has no limit. */
  readonly worth: Worth | null;
  /** Nothing leaves now, as of a recurring batch: each of its runs counts. Only the amount alone is compared. */
  readonly isPlan?: boolean;
}

/** One use of a way out. */
export interface WayOut extends Question, Pick<ApprovalRow, 'kind' | 'summary'> {
  readonly objectId: string;
  readonly details?: ApprovalDetails | null;
}

/** Seconds over which the account's limit counts money that leaves without a second person. */
const limitSeconds = 86_400;

/**
 * Whether the money must wait for a second person: the caller asks for it, or with it more than the account's limit
 * would have left within 24 hours. Money of unknown worth waits.
 */
export async function mustWait(
  db: Executor,
  { merchant, livemode, now }: Asking,
  { isAsked = false, worth, isPlan = false }: Question,
): Promise<boolean> {
  if (isAsked) return true;
  if (worth === null) return false;
  const limit = await readLimit(db, merchant.id);
  if (limit === null) return false;
  if (worth.amount === null || worth.currency !== limit.currency) return true;
  const since = addSeconds(now, -limitSeconds);
  const scope = { merchantId: merchant.id, livemode };
  const before = isPlan ? 0n : await releasedSince(db, scope, limit.currency, since);
  return before + worth.amount > limit.amount;
}

/**
 * Decides whether money may leave now, and records it. Call it in the transaction that reserves the money, before
 * balances are locked. Returns whether the money must wait; nothing may then be sent before `approve`.
 */
export async function takeWayOut(tx: Tx, asking: Asking, out: WayOut): Promise<boolean> {
  const { merchant, livemode } = asking;
  if (out.worth !== null) await lockLimit(tx, { merchantId: merchant.id, livemode });
  const waits = await mustWait(tx, asking, out);
  const row = newRow(asking, out, waits ? 'awaiting_approval' : 'released');
  if (waits) await createRows(tx, approvalResource, null, 'approval.created', [row]);
  else if (out.worth !== null && out.isPlan !== true) await insertRows(tx, 'approvals', [row]);
  return waits;
}

/** Asks a second person in any case, and replaces an earlier question about the object. */
export async function askPerson(tx: Tx, asking: Asking, out: Omit<WayOut, 'isAsked' | 'isPlan'>): Promise<void> {
  await cancelApprovals(tx, asking, [out.objectId]);
  await createRows(tx, approvalResource, null, 'approval.created', [newRow(asking, out, 'awaiting_approval')]);
}

function newRow(
  { merchant, livemode, keyId, now }: Asking,
  { kind, objectId, summary, worth, details = null }: WayOut,
  status: ApprovalRow['status'],
): ApprovalRow {
  return {
    merchant_id: merchant.id,
    id: newId('approval'),
    livemode,
    kind,
    object_id: objectId,
    status,
    summary,
    amount: worth?.amount ?? null,
    currency: worth?.currency ?? null,
    details,
    requested_by: keyId,
    decided_by: null,
    decided_at: null,
    event_sequence: 1,
    created_at: now,
  };
}

/**
 * Records an approval. The transaction has locked its object. Throws `approval_required` for the person that asked, or
 * for a key of this person. Throws `illegal_state` if this approval no longer waits, even if a later one of the object does.
 */
export async function approve(tx: Tx, caller: Asking, id: string): Promise<ApprovalRow> {
  const row = await lockWaiting(tx, caller.merchant.id, id);
  if (await isSamePerson(tx, caller.merchant.id, row.requested_by, caller.keyId)) {
    const message =
      'Another person must approve this. A key counts as the person who made it, and a key without such a person as the owner.';
    throw new PayError('approval_required', message);
  }
  const set = { decided_by: caller.keyId, decided_at: caller.now };
  return await changeRow(tx, approvalResource, null, row, { to: 'approved', set, now: caller.now });
}

/**
 * Closes the questions about objects that people canceled. Their released money counts no longer, because it never
 * left. Each person may cancel, also the one that asked.
 */
export async function cancelApprovals(tx: Tx, { merchant, keyId, now }: Asking, ids: readonly string[]): Promise<void> {
  const rows = ids.length === 0 ? [] : await lockOpen(tx, merchant.id, ids);
  const set = { decided_by: keyId, decided_at: now };
  const plans = rows.map(row => planChange(approvalResource, null, planned(row), { to: 'canceled', set, now }));
  await writeChanges(tx, approvalResource, plans);
}

/** Whether two keys or people are one person. A key that no person made belongs to the owners of the account. */
export async function isSamePerson(
  db: Executor,
  merchantId: string,
  first: string | null,
  second: string | null,
): Promise<boolean> {
  const [one, other] = [await personBehind(db, merchantId, first), await personBehind(db, merchantId, second)];
  if (one === other) return true;
  if (one !== null && other !== null) return false;
  return (await findRole(db, merchantId, one ?? other ?? '')) === 'owner';
}
