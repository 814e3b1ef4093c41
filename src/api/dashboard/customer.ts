import { type Static, Type } from 'typebox';
import { Closed, Email, Metadata, Nullable, OneOf, PostalAddress, Timestamp } from '../schema.ts';

const Name = Type.String({ minLength: 1, maxLength: 250 });
const Phone = Type.String({ minLength: 3, maxLength: 40 });
const TaxId = Type.String({ minLength: 1, maxLength: 40 });
const Description = Type.String({ minLength: 1, maxLength: 500 });

/** Body of `POST /v1/customers`. */
export const CreateCustomer = Closed({
  email: Email,
  name: Type.Optional(Name),
  phone: Type.Optional(Phone),
  address: Type.Optional(PostalAddress),
  tax_id: Type.Optional(TaxId),
  description: Type.Optional(Description),
  metadata: Type.Optional(Metadata),
});
export type CreateCustomer = Static<typeof CreateCustomer>;

/** Body of `PATCH /v1/customers/:id`. The e-mail address cannot change, because it identifies the customer. */
export const UpdateCustomer = Closed({
  name: Type.Optional(Nullable(Name)),
  phone: Type.Optional(Nullable(Phone)),
  address: Type.Optional(Nullable(PostalAddress)),
  tax_id: Type.Optional(Nullable(TaxId)),
  description: Type.Optional(Nullable(Description)),
  metadata: Type.Optional(Metadata),
});
export type UpdateCustomer = Static<typeof UpdateCustomer>;

/** A person or company that pays. */
export const Customer = Type.Object({
  id: Type.String(),
  object: Type.Literal('customer'),
  email: Type.String(),
  name: Nullable(Type.String()),
  phone: Nullable(Type.String()),
  address: Nullable(PostalAddress),
  tax_id: Nullable(Type.String()),
  description: Nullable(Type.String()),
  payments_url: Type.String({ description: 'The list of the customer’s payments.' }),
  invoices_url: Type.String({ description: 'The list of the customer’s invoices.' }),
  credits_url: Type.String({ description: 'The customer’s unused credit, by currency.' }),
  metadata: Metadata,
  livemode: Type.Boolean(),
  created_at: Timestamp,
});
export type Customer = Static<typeof Customer>;

/** The answer of `DELETE /v1/customers/:id`. */
export const ErasedCustomer = Type.Object({
  id: Type.String({ description: 'Id of the customer.', examples: ['cus_3kTMd0PpC1hJ6nLq2uXs9B'] }),
  object: Type.Literal('customer'),
  deleted: Type.Literal(true),
  erased_at: Timestamp,
  kept: Type.Array(
    Type.Object({
      object: OneOf(['invoice', 'credit_note', 'bank_file'], { description: 'The kind of record.' }),
      count: Type.Integer({ minimum: 1, description: 'Number of kept records.' }),
    }),
    { description: 'Records that the law requires. They keep the customer’s name and address.' },
  ),
  livemode: Type.Boolean(),
});
export type ErasedCustomer = Static<typeof ErasedCustomer>;
