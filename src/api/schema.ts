import { type Static, type TProperties, type TSchema, Type } from 'typebox';

/** An object without other fields: the service answers `parameter_unknown` to unknown request fields. */
export function Closed<P extends TProperties>(properties: P, options: { description?: string } = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** A value or null. Null means "known to be absent"; wire objects never omit a documented field. */
export function Nullable<S extends TSchema>(schema: S, description?: string) {
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
}

/** One of the given strings. Readers must expect further values in later versions. */
export function OneOf<const V extends string[]>(values: readonly [...V], options: { description?: string } = {}) {
  return Type.Enum([...values], options);
}

/** Amount in the smallest unit of its currency: a JSON integer, 1 … 2^53−1. */
export const Amount = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Integer in the smallest unit of the currency (USD 12.34 is 1234, JPY 500 is 500).',
});

/** As `Amount`, but may be zero. */
export const Sum = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** ISO 4217 code, accepted in any case and answered in capitals. */
export const Currency = Type.String({ minLength: 3, maxLength: 3, description: 'ISO 4217 code.' });

/** A time, RFC 3339 in UTC. */
export const Timestamp = Type.String({ format: 'date-time', description: 'RFC 3339, UTC.' });

/** Free key-value pairs of the merchant: at most 50 keys of 40 characters; values are strings up to 500 characters, numbers or booleans. */
export const Metadata = Type.Record(
  Type.String(),
  Type.Union([Type.String({ maxLength: 500 }), Type.Number(), Type.Boolean()]),
  { maxProperties: 50, propertyNames: { type: 'string', maxLength: 40 } },
);
export type Metadata = Static<typeof Metadata>;

/** A postal address. */
export const PostalAddress = Closed({
  line1: Type.Optional(Type.String({ maxLength: 200 })),
  line2: Type.Optional(Type.String({ maxLength: 200 })),
  city: Type.Optional(Type.String({ maxLength: 100 })),
  state: Type.Optional(Type.String({ maxLength: 100 })),
  postal_code: Type.Optional(Type.String({ maxLength: 20 })),
  country: Type.Optional(Type.String({ pattern: '^[A-Za-z]{2}$', description: 'ISO 3166-1 alpha-2.' })),
});
export type PostalAddress = Static<typeof PostalAddress>;

/** The query of every list. At most one of the cursors may be given. */
export const ListQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
  starting_after: Type.Optional(Type.String({ maxLength: 64 })),
  ending_before: Type.Optional(Type.String({ maxLength: 64 })),
  'created_at[gte]': Type.Optional(
    Type.String({ maxLength: 40, description: 'RFC 3339: created at this time or later.' }),
  ),
  'created_at[lt]': Type.Optional(Type.String({ maxLength: 40, description: 'RFC 3339: created before this time.' })),
});

/** A page of a list, newest first. */
export function ListOf<S extends TSchema>(item: S) {
  return Type.Object({
    object: Type.Literal('list'),
    url: Type.String(),
    has_more: Type.Boolean(),
    data: Type.Array(item),
  });
}

/** The body of every error. */
export const ErrorBody = Type.Object({
  error: Type.Object({
    type: Type.String(),
    code: Type.String(),
    message: Type.String(),
    param: Nullable(Type.String()),
    request_id: Type.String(),
    doc_url: Type.String(),
    errors: Type.Array(Type.Object({ param: Type.String(), code: Type.String(), message: Type.String() })),
  }),
});
export type ErrorBody = Static<typeof ErrorBody>;

/** The answer to a deletion. */
export const Deleted = Type.Object({ id: Type.String(), object: Type.String(), deleted: Type.Literal(true) });
