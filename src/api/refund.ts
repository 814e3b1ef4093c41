import { type Static, Type } from 'typebox';
import { Amount, Closed, Metadata, Nullable, OneOf, Timestamp } from './schema.ts';

/** Body of `POST /v1/payments/:id/refunds`. Default of `amount`: the remaining amount. */
export const CreateRefund = Closed({
  amount: Type.Optional(Amount),
  reason: Type.Optional(
    OneOf(['duplicate', 'fraudulent', 'requested_by_customer', 'overpayment', 'underpayment', 'paid_late']),
  ),
  destination: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: 200 }), {
      maxProperties: 10,
      propertyNames: { type: 'string', maxLength: 40 },
    }),
  ),
  metadata: Type.Optional(Metadata),
});
export type CreateRefund = Static<typeof CreateRefund>;

/** A refund to the payer. */
export const Refund = Type.Object({
  id: Type.String(),
  object: Type.Literal('refund'),
  payment: Type.String(),
  amount: Amount,
  currency: Type.String(),
  status: OneOf(['awaiting_approval', 'pending', 'completed', 'failed'], {
    description:
      '`awaiting_approval`: it goes to a destination that is not the sender’s, and another person must approve it ' +
      '(`/v1/approvals`). Its money is reserved.',
  }),
  reason: Nullable(Type.String()),
  failure: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  requires_destination: Type.Boolean({
    description: 'The destination of the refund is unknown. The refund waits until the payer enters one.',
  }),
  claim_url: Nullable(
    Type.String(),
    'Page on which the payer enters the destination, while the refund waits for one. Send it to the payer.',
  ),
  tx_hash: Nullable(
    Type.String(),
    'Hash of the transaction that sent the refund on a chain; null before, and for cards and bank transfers. Of several ' +
      'transactions, the last one.',
  ),
  metadata: Metadata,
  livemode: Type.Boolean(),
  created_at: Timestamp,
});
export type Refund = Static<typeof Refund>;

/** Events of refunds, and the object that each carries. */
export interface RefundEvents {
  'refund.created': Refund;
  'refund.approved': Refund;
  'refund.completed': Refund;
  'refund.failed': Refund;
  'refund.requires_destination': Refund;
}
