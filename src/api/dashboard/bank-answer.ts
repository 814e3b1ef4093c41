import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp } from '../schema.ts';

/**
 * An answer of a bank, or a part of it, that changed nothing. Until it is dismissed, payments of its files do not
 * complete by date.
 */
export const BankAnswer = Type.Object({
  id: Type.String({ examples: ['ba_8GKYqrTwjUPD8ILPZIo2La'] }),
  object: Type.Literal('bank_answer'),
  reason: OneOf(
    [
      ...(['unreadable', 'unsupported', 'unclear', 'unrelated', 'unknown_payment', 'unknown_file'] as const),
      ...(['other_currency', 'excess', 'contradiction', 'repeated'] as const),
    ],
    {
      description:
        '`unreadable`: damaged, or of an unknown form; `unsupported`: a kind of file that is not read; `unclear`: not ' +
        'understood; `unrelated`: about no payment of the service; `unknown_payment`, `unknown_file`: names one that is ' +
        'not the service’s; `other_currency`, `excess`: returned money that was not credited; `contradiction`: against ' +
        'what the bank reported before; `repeated`: the bank says that it has the payment, or the return came twice.',
    },
  ),
  message: Type.String({
    description: 'What the bank reported, and what was not done.',
    examples: ['The bank returned USD 400.00 of a payment of EUR 400.00. Nothing was credited.'],
  }),
  file_name: Type.String({ description: 'Name of the file in the inbox.', examples: ['camt054-1128.xml'] }),
  bank_files: Type.Array(Type.String(), {
    description: 'The service’s own files whose payments wait; a payout shows its file in `trace.file_id`.',
    examples: [['bf_8GKYqrTwjUPD8ILPZIo2La']],
  }),
  reference: Nullable(
    Type.String({ examples: ['ot-8GKYqrTwjUPD8ILPZIo2La'] }),
    'The payment’s reference at the bank; null: the answer names no payment.',
  ),
  amount: Nullable(
    Type.String({ examples: ['400.00'] }),
    'The amount that was not credited, as decimal text; null: the answer states none.',
  ),
  currency: Nullable(Type.String({ examples: ['USD'] }), 'Currency of `amount`.'),
  payment_amount: Nullable(Type.String({ examples: ['400.00'] }), 'Amount of the payment, as decimal text.'),
  payment_currency: Nullable(Type.String({ examples: ['EUR'] }), 'Currency of the payment.'),
  received_at: { ...Timestamp, description: 'When the answer was read.' },
  handled_at: Nullable(Timestamp, 'When the operator dismissed it; null: it waits.'),
  handled_by: Nullable(Type.String({ examples: ['person_8GKYqrTwjUPD8ILPZIo2La'] }), 'The key or person that did.'),
});
export type BankAnswer = Static<typeof BankAnswer>;
