import { type Static, Type } from 'typebox';
import { Closed, Email, Nullable, OneOf, Timestamp } from '../schema.ts';
import { Role, Session } from './person.ts';

/** A person with a role at the merchant. */
export const TeamMember = Type.Object({
  id: Type.String({ description: 'The id of the person.' }),
  object: Type.Literal('team_member'),
  email: Nullable(Type.String()),
  name: Nullable(Type.String()),
  role: Role,
  two_factor: Type.Boolean({ description: 'Whether the person uses codes or a passkey.' }),
  created_at: Timestamp,
  last_seen_at: Nullable(Timestamp),
});
export type TeamMember = Static<typeof TeamMember>;

/** Body of `PATCH /v1/team/:id`. */
export const UpdateTeamMember = Closed({ role: Role });

/** An invitation that is not accepted yet. */
export const Invitation = Type.Object({
  id: Type.String(),
  object: Type.Literal('invitation'),
  email: Type.String(),
  role: Role,
  created_at: Timestamp,
  expires_at: Timestamp,
});
export type Invitation = Static<typeof Invitation>;

/** Body of `POST /v1/invitations`. */
export const CreateInvitation = Closed({ email: Email, role: Role });

const Token = Type.String({ maxLength: 100, description: 'From the address in the mail.' });

/** Body of `POST /v1/invitations/open`. */
export const OpenInvitation = Closed({ token: Token });

const Merchant = Type.Object({ id: Type.String(), name: Type.String() });

/** An invitation in the invited person's view. */
export const OpenedInvitation = Type.Object({
  object: Type.Literal('opened_invitation'),
  email: Type.String(),
  role: Role,
  merchant: Merchant,
  has_account: Type.Boolean({ description: 'Whether the person has a password here already, and gives none.' }),
});
export type OpenedInvitation = Static<typeof OpenedInvitation>;

/** Body of `POST /v1/invitations/accept`. New people choose a name and a password. */
export const AcceptInvitation = Closed({
  token: Token,
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  password: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
});

/** The answer to an acceptance. `session` is null for people with an account, who must sign in themselves. */
export const AcceptedInvitation = Type.Object({
  object: Type.Literal('accepted_invitation'),
  merchant: Merchant,
  role: Role,
  session: Nullable(Session),
});

/** One write of a person, in the audit log. */
export const AuditEntry = Type.Object({
  id: Type.String(),
  object: Type.Literal('audit_entry'),
  person: Type.Object({ id: Type.String(), name: Nullable(Type.String()), email: Nullable(Type.String()) }),
  action: Type.String({ description: 'What the call does, in words.' }),
  method: OneOf(['POST', 'PATCH', 'PUT', 'DELETE']),
  path: Type.String(),
  status: Nullable(Type.Integer({ description: 'HTTP status of the answer. Null: the server stopped meanwhile.' })),
  network: Type.String({ description: 'IPv4 address, or network of an IPv6 address.' }),
  user_agent: Type.String(),
  request_id: Type.String(),
  livemode: Type.Boolean(),
  created_at: Timestamp,
});
export type AuditEntry = Static<typeof AuditEntry>;

/** Body of `POST /v1/merchants`. */
export const CreateMerchant = Closed({ name: Type.String({ minLength: 1, maxLength: 100 }) });

/** A merchant that the operator created. */
export const NewMerchant = Type.Object({
  id: Type.String(),
  object: Type.Literal('merchant'),
  name: Type.String(),
  role: Role,
  created_at: Timestamp,
});
