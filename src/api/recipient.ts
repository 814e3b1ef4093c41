import { type Static, Type } from 'typebox';
import { PayoutDestination, RowError } from './payout.ts';
import { Closed, Country, Email, Metadata, Nullable, OneOf, Timestamp } from './schema.ts';

const Name = Type.String({ minLength: 1, maxLength: 140 });
const RecipientType = OneOf(['individual', 'business']);

/** Body of `POST /v1/recipients`. The first destination is the default. */
export const CreateRecipient = Closed({
  name: Name,
  email: Type.Optional(Email),
  type: RecipientType,
  country: Type.Optional(Country),
  reference: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  destinations: Type.Optional(Type.Array(PayoutDestination, { maxItems: 20 })),
  metadata: Type.Optional(Metadata),
});
export type CreateRecipient = Static<typeof CreateRecipient>;

/**
 * Body of `PATCH /v1/recipients/:id`. `destinations` replaces the whole list. A destination that was in the old list
 * keeps its id and verification.
 */
export const UpdateRecipient = Closed({
  name: Type.Optional(Name),
  email: Type.Optional(Nullable(Email)),
  type: Type.Optional(RecipientType),
  country: Type.Optional(Nullable(Country)),
  reference: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 100 }))),
  destinations: Type.Optional(Type.Array(PayoutDestination, { maxItems: 20 })),
  default_destination: Type.Optional(Type.String({ maxLength: 64, description: 'Id of one of its destinations.' })),
  metadata: Type.Optional(Metadata),
});
export type UpdateRecipient = Static<typeof UpdateRecipient>;

/** A destination of a recipient. */
export const RecipientDestination = Type.Object({
  id: Type.String(),
  object: Type.Literal('recipient_destination'),
  destination: PayoutDestination,
  default: Type.Boolean(),
  verification: OneOf(['unverified', 'verified', 'failed'], {
    description: '`verified`: a payout has arrived there. `failed`: the last payout failed because of the account.',
  }),
});
export type RecipientDestination = Static<typeof RecipientDestination>;

/** A person or business that is paid. */
export const Recipient = Type.Object({
  id: Type.String(),
  object: Type.Literal('recipient'),
  name: Type.String(),
  email: Nullable(Type.String()),
  type: RecipientType,
  country: Nullable(Type.String()),
  reference: Nullable(Type.String()),
  destinations: Type.Array(RecipientDestination),
  metadata: Metadata,
  livemode: Type.Boolean(),
  created_at: Timestamp,
});
export type Recipient = Static<typeof Recipient>;

/** The answer of `POST /v1/recipients/import`. */
export const RecipientImport = Type.Object({
  object: Type.Literal('import'),
  created: Type.Integer({ minimum: 0 }),
  updated: Type.Integer({ minimum: 0, description: 'Rows with the `reference` of an existing recipient.' }),
  errors: Type.Array(RowError, { description: 'Rows that were skipped (`on_error=skip_invalid`).' }),
});
export type RecipientImport = Static<typeof RecipientImport>;
