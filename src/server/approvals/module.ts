import * as approvalSchemas from '../../api/balance/approval.ts';
import { attentionIn } from '../platform/db/attention.ts';
import { accountants, everybody } from '../platform/http/access/roles.ts';
import { defineModule, schemasIn } from '../platform/module.ts';
import { type ApprovalDeps, registerApprovalRoutes } from './approval.routes.ts';
import { approvalErasure } from './approval.store.ts';
import type { ApprovalPurpose } from './approval.ts';
import { approvalEvents } from './approval.view.ts';
import { approvalLimit, limitApprovals } from './approval-limit.ts';
import { destinationApprovals, settlementDestination } from './settlement-destination.ts';

/** Approvals by a second person: of each way out of an account above its limit, and of changes of the limit. */
export const approvals = defineModule<
  ApprovalDeps & Parameters<typeof destinationApprovals>[0],
  {
    approvals: ApprovalPurpose;
    services: { approvalLimit: typeof approvalLimit; settlementDestination: typeof settlementDestination };
  }
>({
  name: 'approvals',
  provides: { approvalLimit: () => approvalLimit, settlementDestination: () => settlementDestination },
  tables: ['approvals', 'approval_locks'],
  schemas: schemasIn(approvalSchemas),
  events: approvalEvents,
  scopes: { approvals: { read: everybody, write: accountants } },
  tags: { Approvals: 'What needs a second person before money leaves.' },
  attention: {
    approvals: attentionIn(
      'approvals',
      // Batches have their own count, which came first.
      {
        status: ['awaiting_approval'],
        kind: ['withdrawal', 'refund', 'return', 'conversion', 'approval_limit', 'settlement_destination'],
      },
      '/v1/approvals?status=awaiting_approval',
    ),
  },
  routes: registerApprovalRoutes,
  erasures: () => [approvalErasure],
  approvals: deps => [limitApprovals(deps), destinationApprovals(deps)],
});
