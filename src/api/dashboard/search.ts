import { type Static, Type } from 'typebox';
import { Nullable } from '../schema.ts';

/** The query of `GET /v1/search`. */
export const SearchParameters = Type.Object({
  q: Type.String({
    minLength: 1,
    maxLength: 300,
    description:
      'An id, an e-mail address, a reference, an invoice number, a transaction hash, the beginning of a ' +
      'person’s first or last name, or the address of a hosted page.',
  }),
  type: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'Only objects of this type, at most 20 of them.',
      examples: ['recipient'],
    }),
  ),
});
export type SearchParameters = Static<typeof SearchParameters>;

/** An object that the search found. */
export const SearchResult = Type.Object({
  object: Type.Literal('search_result'),
  type: Type.String({ description: 'The `object` of what was found: `payment`, `invoice`, `customer` …' }),
  id: Type.String(),
  title: Type.String(),
  subtitle: Nullable(Type.String()),
  url: Nullable(Type.String(), 'The URL of the object in this API; null when only a list has it.'),
  parent: Nullable(
    Type.String(),
    'The id of the object that this one belongs to: the payment of a refund, the invoice of a credit note, the endpoint ' +
      'of a delivery.',
  ),
});
export type SearchResult = Static<typeof SearchResult>;
