import { type Static, Type } from 'typebox';
import { Payment } from '../payment.ts';
import { Amount, Closed, Nullable, OneOf, Timestamp } from '../schema.ts';

/**
 * Body of `POST /v1/disputes/:id/evidence`. The cardholder's bank reads evidence only once, so send everything
 * together. Send files in the way that your acquirer requires, and name them in `file_names`.
 */
export const SubmitEvidence = Closed({
  explanation: Type.String({
    minLength: 1,
    maxLength: 5_000,
    description: 'Why the payment is right: what was ordered, delivered and agreed.',
  }),
  tracking_number: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Of the shipment.' })),
  customer_message: Type.Optional(
    Type.String({ minLength: 1, maxLength: 5_000, description: 'What the customer wrote about the order.' }),
  ),
  file_names: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      maxItems: 10,
      description: 'Names of the files that belong to the evidence.',
    }),
  ),
});
export type SubmitEvidence = Static<typeof SubmitEvidence>;

export const DisputeStatus = OneOf(['needs_response', 'under_review', 'closed']);
export type DisputeStatus = Static<typeof DisputeStatus>;

export const DisputeOutcome = OneOf(['won', 'lost', 'accepted']);
export type DisputeOutcome = Static<typeof DisputeOutcome>;

/** A payment that the cardholder disputes at the bank. The bank takes the amount back at once. */
export const Dispute = Type.Object({
  id: Type.String(),
  object: Type.Literal('dispute'),
  payment: Type.String(),
  amount: Amount,
  currency: Type.String(),
  reason: Type.String({ description: 'Why the cardholder disputes it: `fraudulent`, `product_not_received` …' }),
  status: DisputeStatus,
  outcome: Nullable(
    DisputeOutcome,
    '`won`: the amount came back. `lost`: it stays with the cardholder. `accepted`: you gave in. Null until it is closed.',
  ),
  evidence: Nullable(SubmitEvidence, 'What you answered.'),
  evidence_due_at: { ...Timestamp, description: 'Without evidence by then, the dispute is lost.' },
  evidence_submitted_at: Nullable(Timestamp, 'When the evidence went to the cardholder’s bank.'),
  livemode: Type.Boolean(),
  created_at: Timestamp,
  closed_at: Nullable(Timestamp, 'When the outcome was known.'),
});
export type Dispute = Static<typeof Dispute>;

/** The object of `payment.disputed`: the payment with its new dispute. */
export const DisputedPayment = Type.Object({
  ...Payment.properties,
  dispute: { ...Dispute, description: 'The new dispute.' },
});
export type DisputedPayment = Static<typeof DisputedPayment>;

/** Events of disputes, and the object that each carries. */
export interface DisputeEvents {
  'payment.disputed': DisputedPayment;
  'dispute.created': Dispute;
  'dispute.evidence_submitted': Dispute;
  'dispute.closed': Dispute;
}
