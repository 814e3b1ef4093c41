import { type Static, Type } from 'typebox';
import { SettlementDestination } from '../payout.ts';
import { Amount, Nullable, OneOf, Sum, Timestamp } from '../schema.ts';

/** The ways out of an account, and the changes that need a second person. */
export const ApprovalKind = OneOf(
  ['payout_batch', 'withdrawal', 'refund', 'return', 'conversion', 'approval_limit', 'settlement_destination'],
  {
    description:
      'What waits or left. `refund`: to a destination that is not the sender’s. `return`: a received transfer, returned to ' +
      'a named destination. `approval_limit`: a change of the account’s limit. `settlement_destination`: a change of the ' +
      'account that receives settlements.',
  },
);
export type ApprovalKind = Static<typeof ApprovalKind>;

export const ApprovalStatus = OneOf(['awaiting_approval', 'approved', 'canceled', 'released'], {
  description:
    '`released`: within the limit of 24 hours, so it needed no second person. It counts towards that limit. `canceled`: ' +
    'the money is available again.',
});
export type ApprovalStatus = Static<typeof ApprovalStatus>;

/** A limit or a worth: a currency and its smallest unit. */
const Worth = Type.Object({ amount: Sum, currency: Type.String() });

/**
 * One use of a way out of an account that has the limit `payouts.approval_above`, or a change of this limit. Above the
 * limit it waits until another person approves it.
 */
export const Approval = Type.Object({
  id: Type.String({ description: 'appr_…' }),
  object: Type.Literal('approval'),
  kind: ApprovalKind,
  status: ApprovalStatus,
  subject: Type.String({
    description:
      'Id of the object that waits or left. Of a changed limit: the account. Of a changed settlement destination: `sdest_…`.',
  }),
  description: Type.String({ description: 'What leaves, in words.' }),
  worth: Nullable(
    Worth,
    'Worth at the market rate of the request, in the limit’s currency. Null: the account had no limit, or there is no rate.',
  ),
  change: Nullable(
    Type.Object({
      approval_above: Type.Optional(
        Nullable(Type.Object({ amount: Amount, currency: Type.String() }), 'The new limit; null removes it.'),
      ),
      settlement_destination: Type.Optional(
        Nullable(SettlementDestination, 'The new settlement destination; null removes it.'),
      ),
    }),
    'What changes, of a change of the account; null otherwise.',
  ),
  requested_by: Nullable(Type.String(), 'Id of the key, or of the person in the dashboard, that asked.'),
  decided_by: Nullable(Type.String(), 'Id of the key or person that approved or canceled it.'),
  decided_at: Nullable(Timestamp),
  livemode: Type.Boolean(),
  created_at: Timestamp,
});
export type Approval = Static<typeof Approval>;

/** Events of approvals. A use within the limit has no event. */
export interface ApprovalEvents {
  'approval.created': Approval;
  'approval.approved': Approval;
  'approval.canceled': Approval;
}
