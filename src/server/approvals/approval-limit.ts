import { unitText } from '../../core/unit.ts';
import type { KeyDirectory } from '../merchants/key-directory.ts';
import { updateMerchant } from '../merchants/merchant.store.ts';
import type { Executor } from '../platform/db/database.ts';
import { changesOf } from './account-change.ts';
import { readLimit } from './approval.store.ts';
import type { ApprovalPurpose } from './approval.ts';

interface Limit {
  readonly amount: number;
  readonly currency: string;
}

const changes = changesOf<Limit>({
  kind: 'approval_limit',
  objectOf: merchantId => merchantId,
  current: async (tx, merchantId) => {
    const limit = await readLimit(tx, merchantId);
    return limit === null ? null : { amount: Number(limit.amount), currency: limit.currency };
  },
  detailsOf: approval_above => ({ approval_above }),
  valueIn: details => ('approval_above' in details ? details.approval_above : undefined),
  summaryOf: limit => {
    if (limit === null) return 'Remove the limit for approvals';
    const { amount, currency } = limit;
    return `Change the limit for approvals to ${unitText(BigInt(amount), currency)} ${currency}`;
  },
});

/** Changes of the account's limit, for the account. */
export const approvalLimit = {
  /** The change that waits for a second person, or null. */
  read: async (db: Executor, merchantId: string) => {
    const waiting = await changes.read(db, merchantId);
    if (waiting === null) return null;
    const { next: approval_above, ...others } = waiting;
    return { ...others, approval_above };
  },
  change: changes.change,
};

/** Applies a change of the limit once a second person has approved it. */
export function limitApprovals({ keys }: { readonly keys: Pick<KeyDirectory, 'forget'> }): ApprovalPurpose {
  return {
    kind: 'approval_limit',
    prepare: async (_, asked) => async (tx, caller) => {
      const next = await changes.approve(tx, caller, asked);
      await updateMerchant(tx, caller.merchant.id, {
        payoutApprovalAmount: next === null ? null : BigInt(next.amount),
        payoutApprovalCurrency: next?.currency ?? null,
      });
    },
    cancel: changes.cancel,
    wake: merchantId => keys.forget(merchantId),
  };
}
