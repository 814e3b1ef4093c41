import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import { BalanceEntry } from '../balance/balance.ts';
import { Dispute } from '../disputes/dispute.ts';
import { Delivery, Event } from '../event.ts';
import { Payment } from '../payment.ts';
import { PaymentAttempt } from '../payments/attempt.ts';
import { Refund } from '../refund.ts';
import { Nullable, Timestamp } from '../schema.ts';
import { Transfer } from '../transfer.ts';

function entry<const Name extends string, Data extends TSchema, More extends TProperties>(
  type: Name,
  data: Data,
  more: More,
) {
  return Type.Object({
    object: Type.Literal('payment_history_entry'),
    type: Type.Literal(type, { description: 'What `data` is.' }),
    at: Timestamp,
    actor: Nullable(
      Type.String({ examples: ['key_7Hq2LmT9x'] }),
      'Id of the key that caused it. Null if it is not known.',
    ),
    data,
    ...more,
  });
}

/** A record of a payment's history, in the form of the call that reads such records alone. */
export const PaymentHistoryEntry = Type.Union([
  entry('event', Event, {}),
  entry('attempt', PaymentAttempt, {}),
  entry('transfer', Transfer, {}),
  entry('balance_entry', BalanceEntry, {}),
  entry('refund', Refund, {}),
  entry('dispute', Dispute, {}),
  entry('delivery', Delivery, {
    endpoint_url: Nullable(
      Type.String({ examples: ['https://shop.example/hooks'] }),
      'The address of the endpoint. Null if it was deleted.',
    ),
  }),
]);
export type PaymentHistoryEntry = Static<typeof PaymentHistoryEntry>;

/** A payment and what happened to it, oldest first. */
export const PaymentHistory = Type.Object({
  object: Type.Literal('payment_history'),
  url: Type.String({ examples: ['/v1/payments/pay_7Hq2LmT9x/history'] }),
  payment: Payment,
  has_more: Type.Boolean({
    description: 'Whether there are older entries of a type. The answer has the newest 100 of each type.',
  }),
  data: Type.Array(PaymentHistoryEntry, { description: 'The entries that the caller may read, oldest first.' }),
});
export type PaymentHistory = Static<typeof PaymentHistory>;
