import { type Static, Type } from 'typebox';
import { Amount, Closed, Nullable, OneOf, Timestamp } from '../schema.ts';

/** One attempt to charge a card, or to collect from a phone, for a payment. */
export const PaymentAttempt = Type.Object({
  id: Type.String(),
  object: Type.Literal('payment_attempt'),
  payment: Type.String(),
  method: OneOf(['card', 'mobile_money']),
  rail: Type.String({ description: 'The acquirer or the mobile-money operator.' }),
  amount: Amount,
  currency: Type.String(),
  status: OneOf(
    ['started', 'requires_action', 'authorized', 'capturing', 'captured', 'declined', 'abandoned', 'unknown'],
    {
      description: '`abandoned`: the payer or the merchant ended it. `unknown`: the acquirer has not answered yet.',
    },
  ),
  card: Nullable(Type.Object({ brand: Nullable(Type.String()), last4: Type.String() })),
  number: Nullable(Type.String(), 'The phone of the prompt (E.164); null for cards.'),
  code: Nullable(Type.String(), 'Why it was declined, for example `insufficient_funds`.'),
  message: Nullable(Type.String()),
  livemode: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type PaymentAttempt = Static<typeof PaymentAttempt>;

/** Body of `POST /v1/payments/:id/confirm`. */
export const ConfirmPayment = Type.Union([
  Closed({
    method: Type.Literal('card'),
    token: Type.String({ minLength: 1, maxLength: 200 }),
    return_url: Type.Optional(
      Type.String({ maxLength: 2048, description: 'URL to which a 3-D Secure page returns the payer.' }),
    ),
  }),
  Closed({
    method: Type.Literal('bank_transfer'),
    rail: Type.String({
      minLength: 1,
      maxLength: 40,
      description: 'A rail of the payment’s options, for example `sepa` or `ach`.',
    }),
  }),
  Closed({
    method: Type.Literal('crypto'),
    chain: Type.String({ maxLength: 40 }),
    asset: Type.String({ maxLength: 80 }),
    payer_address: Type.Optional(Type.String({ maxLength: 120 })),
  }),
  Closed({
    method: Type.Literal('mobile_money'),
    provider: Type.String({ minLength: 1, maxLength: 40, description: 'An operator of the payment’s options.' }),
    number: Type.String({
      minLength: 1,
      maxLength: 30,
      description: 'Phone number in international format (E.164), of a country of the operator.',
    }),
    amount: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'The amount that the payer was shown, in minor units of the operator’s currency. If the prompt would ask for ' +
          'another amount now, the answer is 409 `price_changed`, and no prompt is sent.',
      }),
    ),
  }),
]);
export type ConfirmPayment = Static<typeof ConfirmPayment>;
