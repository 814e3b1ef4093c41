import { type Static, Type } from 'typebox';
import { Closed, OneOf } from './schema.ts';

/**
 * One line of the order, for display. The lines' amounts sum to the payment's amount. `amount` is the line's total. A
 * discount's amount is zero or less.
 */
export const LineItem = Closed({
  name: Type.String({ minLength: 1, maxLength: 250 }),
  quantity: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  amount: Type.Integer({
    minimum: -Number.MAX_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The line’s total in the smallest unit of the currency. 0 or less for a discount, else 0 or more.',
  }),
  description: Type.Optional(
    Type.String({ minLength: 1, maxLength: 500, description: 'A second line below the name, such as the variant.' }),
  ),
  image: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'A picture of the item: an https address, in test mode also an address of this machine.',
    }),
  ),
  type: Type.Optional(
    OneOf(['item', 'discount', 'tax', 'shipping'], {
      description: 'Default `item`. The other types are rows between the subtotal of the items and the total.',
    }),
  ),
});
export type LineItem = Static<typeof LineItem>;
