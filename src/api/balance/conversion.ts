import { type Static, Type } from 'typebox';
import { Closed, Nullable, OneOf, Timestamp } from '../schema.ts';
import { balanceSum, balanceUnit, Money } from './balance.ts';

const From = Closed(balanceSum);
const To = Closed(balanceUnit);

/** Body of `POST /v1/balance/quotes`: the money to give, and the currency or asset to get. */
export const CreateBalanceQuote = Closed({ from: From, to: To });
export type CreateBalanceQuote = Static<typeof CreateBalanceQuote>;

const terms = {
  from: Money,
  to: Money,
  rate: Type.String({ description: 'Whole units of `to` for one whole unit of `from`, decimal text.' }),
};

/** A rate for one conversion, fixed until `expires_at`. */
export const BalanceQuote = Type.Object({
  id: Type.String({ description: 'quote_…' }),
  object: Type.Literal('balance_quote'),
  ...terms,
  conversion: Nullable(Type.String(), 'The conversion that used the quote.'),
  livemode: Type.Boolean(),
  created_at: Timestamp,
  expires_at: Timestamp,
});
export type BalanceQuote = Static<typeof BalanceQuote>;

/** Body of `POST /v1/balance/conversions`: a quote, or `from` and `to` for the current rate. */
export const CreateConversion = Closed({
  quote: Type.Optional(Type.String({ maxLength: 64, description: 'Id of a balance quote.' })),
  from: Type.Optional(From),
  to: Type.Optional(To),
});
export type CreateConversion = Static<typeof CreateConversion>;

/** Money that was exchanged inside the balance. */
export const Conversion = Type.Object({
  id: Type.String({ description: 'conv_…' }),
  object: Type.Literal('conversion'),
  status: OneOf(['awaiting_approval', 'completed', 'failed'], {
    description:
      '`awaiting_approval`: another person must approve it (`/v1/approvals`). `from` is reserved, and `to` is priced again ' +
      'at the approval if the quote has ended. `failed`: it was canceled, and the money is available again.',
  }),
  ...terms,
  quote: Type.String(),
  livemode: Type.Boolean(),
  created_at: Timestamp,
});
export type Conversion = Static<typeof Conversion>;

/** Events of conversions, and the object that each carries. */
export interface ConversionEvents {
  'conversion.created': Conversion;
  'conversion.completed': Conversion;
  'conversion.failed': Conversion;
}
