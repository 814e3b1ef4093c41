import { isDeepStrictEqual } from 'node:util';
import type { Executor, Tx } from '../platform/db/database.ts';
import type { Caller } from '../platform/http/access/caller.ts';
import { approve, askPerson, cancelApprovals, isSamePerson } from './approval.service.ts';
import { findWaiting, lockLimit, lockWaiting } from './approval.store.ts';
import type { Asked } from './approval.ts';
import type { ApprovalDetails, ApprovalRow } from './tables.ts';

/** A setting of the account that decides where money goes. Null: not set. */
interface Setting<Value> {
  readonly kind: 'approval_limit' | 'settlement_destination';
  /** The object of the setting's approvals. */
  readonly objectOf: (merchantId: string) => string;
  readonly current: (tx: Tx, merchantId: string) => Promise<Value | null>;
  readonly detailsOf: (next: Value | null) => ApprovalDetails;
  /** The new value of a change. Undefined: the details are of another kind. */
  readonly valueIn: (details: ApprovalDetails) => Value | null | undefined;
  readonly summaryOf: (next: Value | null) => string;
}

/** Changes of a setting. One person sets the first value. Two people change or remove it. */
export function changesOf<Value>(setting: Setting<Value>) {
  const newValueOf = ({ details }: ApprovalRow): Value | null => {
    const value = details === null ? undefined : setting.valueIn(details);
    if (value === undefined) throw new Error(`an approval of ${setting.kind} has no value`);
    return value;
  };
  return {
    /** The change that waits for a second person, or null. */
    read: async (db: Executor, merchantId: string) => {
      const row = await findWaiting(db, merchantId, setting.objectOf(merchantId));
      if (row === null) return null;
      const { id, requested_by, livemode, created_at } = row;
      return { id, next: newValueOf(row), requested_by, livemode, created_at: created_at.toISOString() };
    },
    /**
     * Returns whether the new value applies now: none was set, or another person has asked for the same one. Otherwise
     * the change waits. The current value as new one withdraws a waiting change.
     */
    change: async (tx: Tx, caller: Caller, next: Value | null): Promise<boolean> => {
      const { merchant, livemode, keyId } = caller;
      const objectId = setting.objectOf(merchant.id);
      await lockLimit(tx, { merchantId: merchant.id, livemode });
      const current = await setting.current(tx, merchant.id);
      if (current === null) return next !== null;
      const waiting = await findWaiting(tx, merchant.id, objectId, 'lock');
      if (isDeepStrictEqual(next, current)) {
        if (waiting !== null) await cancelApprovals(tx, caller, [objectId]);
        return false;
      }
      if (waiting !== null && isDeepStrictEqual(newValueOf(waiting), next)) {
        if (await isSamePerson(tx, merchant.id, waiting.requested_by, keyId)) return false;
        await approve(tx, caller, waiting.id);
        return true;
      }
      const out = { kind: setting.kind, objectId, summary: setting.summaryOf(next), worth: null };
      await askPerson(tx, caller, { ...out, details: setting.detailsOf(next) });
      return false;
    },
    /** Records the approval of a change, and returns the new value. */
    approve: async (tx: Tx, caller: Caller, { id }: Asked): Promise<Value | null> => {
      await lockLimit(tx, { merchantId: caller.merchant.id, livemode: caller.livemode });
      return newValueOf(await approve(tx, caller, id));
    },
    /** Throws `illegal_state` if the change no longer waits. */
    cancel: async (tx: Tx, { merchant, livemode }: Caller, { id }: Asked): Promise<void> => {
      await lockLimit(tx, { merchantId: merchant.id, livemode });
      await lockWaiting(tx, merchant.id, id);
    },
  };
}
