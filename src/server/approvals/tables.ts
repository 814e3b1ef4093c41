import type { Generated, Selectable } from 'kysely';
import type { ApprovalKind, ApprovalStatus } from '../../api/balance/approval.ts';
import type { SettlementDestination } from '../../api/payout.ts';
import type { JsonOrNull, Moment, MomentOrNull } from '../platform/db/tables.ts';

/** Of a change of the limit: the new limit in its currency's smallest unit, or null for none. */
interface LimitChange {
  readonly approval_above: { readonly amount: number; readonly currency: string } | null;
}

/** The terms of the approval that its object does not store. */
export type ApprovalDetails =
  | LimitChange
  | { readonly settlement_destination: SettlementDestination | null }
  | { readonly destination: Readonly<Record<string, string>> };

interface ApprovalsTable {
  merchant_id: string;
  id: string;
  livemode: boolean;
  kind: ApprovalKind;
  object_id: string;
  status: ApprovalStatus;
  summary: string;
  amount: bigint | null;
  currency: string | null;
  details: JsonOrNull<ApprovalDetails>;
  requested_by: string | null;
  decided_by: string | null;
  decided_at: MomentOrNull;
  event_sequence: Generated<number>;
  created_at: Moment;
}

export type ApprovalRow = Selectable<ApprovalsTable>;

declare module '../platform/db/tables.ts' {
  interface Tables {
    approvals: ApprovalsTable;
    approval_locks: { merchant_id: string; livemode: boolean };
  }
}
