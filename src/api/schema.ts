import { type Static, type TOptional, type TProperties, type TSchema, Type } from 'typebox';

/** An object without other fields. The service answers `parameter_unknown` to unknown fields of a request. */
export function Closed<P extends TProperties>(properties: P, options: { description?: string } = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** A value or null. Answers contain null instead of omitting the field. */
export function Nullable<S extends TSchema>(schema: S, description?: string) {
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
}

/** One of the given strings. Later versions may add values. */
export function OneOf<const V extends string[]>(
  values: readonly [...V],
  options: { description?: string; examples?: string[] } = {},
) {
  return Type.Enum([...values], options);
}

/** Amount in the smallest unit of its currency: a JSON integer, 1 … 2^53−1. */
export const Amount = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Integer in the smallest unit of the currency (USD 12.34 is 1234, JPY 500 is 500).',
});

/** Like `Amount`, but may be zero. */
export const Sum = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** ISO 4217 code. Requests may use upper or lower case; answers use capitals. */
export const Currency = Type.String({ minLength: 3, maxLength: 3, description: 'ISO 4217 code.' });

/** A time (RFC 3339). Answers are in UTC. */
export const Timestamp = Type.String({ format: 'date-time', description: 'RFC 3339, UTC.' });

/** Numbers beyond these limits are refused: JSON parsers would round their integers. */
const exact = { minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

/**
 * The merchant's data: at most 50 keys of 40 characters; values are numbers, booleans, or texts up to 500 characters.
 */
export const Metadata = Type.Record(
  Type.String(),
  Type.Union([Type.String({ maxLength: 500 }), Type.Number(exact), Type.Boolean()]),
  { maxProperties: 50, propertyNames: { type: 'string', maxLength: 40 } },
);
export type Metadata = Static<typeof Metadata>;

/** A day (`YYYY-MM-DD`), in the merchant's time zone unless the request names another. */
export const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'A day, YYYY-MM-DD.' });

/** An e-mail address. `core/email.ts` checks its form. */
export const Email = Type.String({ minLength: 3, maxLength: 254 });

/** A country: ISO 3166-1 alpha-2, in upper or lower case. */
export const Country = Type.String({ pattern: '^[A-Za-z]{2}$', description: 'ISO 3166-1 alpha-2.' });

/** A customer by e-mail address, for requests that take no `id`. */
export const PayingCustomer = Closed({ email: Email, name: Type.Optional(Type.String({ maxLength: 250 })) });

/** The customer of a new payment: any customer by `email` or, with a secret key, an existing one by `id`. */
export const CustomerOrId = Type.Unsafe<Static<typeof PayingCustomer> | KnownCustomer>(
  Closed({
    id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'A customer of the account, instead of `email`. Only with a secret key.',
      }),
    ),
    email: Type.Optional(Email),
    name: Type.Optional(Type.String({ maxLength: 250, description: 'Default with `id`: the customer’s name.' })),
  }),
);

/** An existing customer of `/v1/customers`, by its id. */
export interface KnownCustomer {
  readonly id: string;
  readonly email?: never;
  readonly name?: string;
}

export const PostalAddress = Closed({
  line1: Type.Optional(Type.String({ maxLength: 200 })),
  line2: Type.Optional(Type.String({ maxLength: 200 })),
  city: Type.Optional(Type.String({ maxLength: 100 })),
  state: Type.Optional(Type.String({ maxLength: 100 })),
  postal_code: Type.Optional(Type.String({ maxLength: 20 })),
  country: Type.Optional(Country),
});
export type PostalAddress = Static<typeof PostalAddress>;

const signs = { gt: '>', gte: '≥', lt: '<', lte: '≤' } as const;

/** The query parameters of a range: `amount[gt]`, `amount[gte]`, `amount[lt]` and `amount[lte]`. */
export function rangeParameters<Field extends string, S extends TSchema>(field: Field, schema: S) {
  const parameters = Object.entries(signs).map(([bound, sign]) => [
    `${field}[${bound}]`,
    Type.Optional({ ...schema, description: `${field} ${sign} this value.` }),
  ]);
  return Object.fromEntries(parameters) as Readonly<Record<`${Field}[${keyof typeof signs}]`, TOptional<S>>>;
}

/** The query of lists with pages. It may contain at most one cursor (`starting_after` or `ending_before`). */
export const ListQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 10 })),
  starting_after: Type.Optional(Type.String({ maxLength: 64 })),
  ending_before: Type.Optional(Type.String({ maxLength: 64 })),
  ...rangeParameters('created_at', Type.String({ format: 'date-time', maxLength: 40 })),
});

/** A page of a list. Most lists are newest first. Payouts of a batch are in the order of its rows. */
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
    errors: Type.Array(
      Type.Object({
        index: Type.Optional(Type.Integer({ minimum: 0, description: 'Index of the row of a bulk request, from 0.' })),
        param: Type.String(),
        code: Type.String(),
        message: Type.String(),
      }),
    ),
  }),
});
export type ErrorBody = Static<typeof ErrorBody>;

/** The answer to a deletion. */
export const Deleted = Type.Object({ id: Type.String(), object: Type.String(), deleted: Type.Literal(true) });

/** The response of the browser's WebAuthn API. */
export const PasskeyResponse = Type.Record(Type.String(), Type.Unknown(), {
  description: 'The answer of the WebAuthn API as JSON (`PublicKeyCredential.toJSON()`).',
});
