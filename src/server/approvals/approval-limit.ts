import { unitText } from '../../core/unit.ts';
import type { KeyDirectory } from '../merchants/key-directory.ts';
import { updateMerchant } from '../merchants/merchant.store.ts';
import type { Executor, Tx } from '../platform/db/database.ts';
import type { Caller } from '../platform/http/access/caller.ts';
import { approve, askPerson, cancelApprovals, isSamePerson } from './approval.service.ts';
import { findWaiting, lockLimit, readLimit } from './approval.store.ts';
import type { ApprovalPurpose } from './approval.ts';
import type { ApprovalRow } from './tables.ts';

type Limit = { readonly amount: number; readonly currency: string } | null;

/** Changes of the account's limit. One person sets the first limit. Two people change or remove a limit. */
export const approvalLimit = {
  /** The change that waits for a second person, or null. */
  read: async (db: Executor, merchantId: string) => {
    const row = await findWaiting(db, merchantId, merchantId);
    return row === null ? null : pendingToWire(row);
  },
  /**
   * Returns whether the new limit applies now: no limit was set, or another person has asked for the same one.
   * Otherwise the change waits. The current limit as new limit withdraws a waiting change.
   */
  change: async (tx: Tx, caller: Caller, next: Limit): Promise<boolean> => {
    const { merchant, livemode } = caller;
    await lockLimit(tx, { merchantId: merchant.id, livemode });
    const current = await readLimit(tx, merchant.id);
    if (current === null) return next !== null;
    const waiting = await findWaiting(tx, merchant.id, merchant.id, 'lock');
    if (isSame(next, { amount: Number(current.amount), currency: current.currency })) {
      if (waiting !== null) await cancelApprovals(tx, caller, [merchant.id]);
      return false;
    }
    if (waiting !== null && isSame(limitIn(waiting), next)) {
      if (await isSamePerson(tx, merchant.id, waiting.requested_by, caller.keyId)) return false;
      await approve(tx, caller, merchant.id);
      return true;
    }
    const out = { kind: 'approval_limit', objectId: merchant.id, summary: summaryOf(next), worth: null } as const;
    await askPerson(tx, caller, { ...out, details: { approval_above: next } });
    return false;
  },
};

function isSame(one: Limit, other: Limit): boolean {
  return one?.amount === other?.amount && one?.currency === other?.currency;
}

function summaryOf(limit: Limit): string {
  if (limit === null) return 'Remove the limit for approvals';
  const { amount, currency } = limit;
  return `Change the limit for approvals to ${unitText(BigInt(amount), currency)} ${currency}`;
}

/** The new limit of a change. */
function limitIn({ details }: ApprovalRow): Limit {
  if (details !== null && 'approval_above' in details) return details.approval_above;
  throw new Error('a change of the limit has no limit');
}

function pendingToWire(row: ApprovalRow) {
  const { id, requested_by, livemode, created_at } = row;
  return { id, approval_above: limitIn(row), requested_by, livemode, created_at: created_at.toISOString() };
}

/** Applies a change of the limit once a second person has approved it. */
export function limitApprovals({ keys }: { readonly keys: Pick<KeyDirectory, 'forget'> }): ApprovalPurpose {
  return {
    kind: 'approval_limit',
    prepare: async () => async (tx, caller) => {
      const { merchant, livemode } = caller;
      await lockLimit(tx, { merchantId: merchant.id, livemode });
      const next = limitIn(await approve(tx, caller, merchant.id));
      await updateMerchant(tx, merchant.id, {
        payoutApprovalAmount: next === null ? null : BigInt(next.amount),
        payoutApprovalCurrency: next?.currency ?? null,
      });
    },
    cancel: async () => undefined,
    wake: merchantId => keys.forget(merchantId),
  };
}
