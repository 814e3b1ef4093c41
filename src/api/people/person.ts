import { type Static, Type } from 'typebox';
import { Closed, Email, ListOf, Nullable, OneOf, PasskeyResponse, Timestamp } from '../schema.ts';

/** The role of a person at a merchant. It decides which calls the person may make. */
export const Role = OneOf(['owner', 'admin', 'developer', 'finance', 'viewer'], {
  description:
    '`viewer` reads, `finance` also moves money, `developer` also has keys and webhooks, `admin` manages all but owners.',
});
export type Role = 'owner' | 'admin' | 'developer' | 'finance' | 'viewer';

/** A person who uses the dashboard. */
export const Person = Type.Object({
  id: Type.String(),
  object: Type.Literal('person'),
  email: Nullable(Type.String()),
  email_verified: Type.Boolean({ description: 'Whether the person has opened a mail that went to this address.' }),
  name: Nullable(Type.String()),
  has_password: Type.Boolean(),
  two_factor: Type.Boolean({ description: 'Whether sign-in with a password also takes a code.' }),
  passkeys: Type.Integer({ minimum: 0, description: 'Number of passkeys.' }),
});
export type Person = Static<typeof Person>;

const SessionMerchant = Type.Object({ id: Type.String(), name: Type.String() });

/** A dashboard session. The headers `Pay-Merchant` and `Pay-Mode` select the merchant and mode of each request. */
export const Session = Type.Object({
  id: Type.String(),
  object: Type.Literal('session'),
  person: Person,
  merchant: Type.Object({
    ...SessionMerchant.properties,
    is_operator: Type.Boolean({
      description: 'Whether it is the merchant of the operator, whose people see the treasury.',
    }),
  }),
  role: Role,
  merchants: Type.Array(Type.Object({ ...SessionMerchant.properties, role: Role }), {
    description: 'All merchants of the person.',
  }),
  livemode: Type.Boolean(),
  now: Timestamp,
  modes: Type.Array(OneOf(['test', 'live']), { description: 'The modes of the server, for `Pay-Mode`.' }),
  test_data_scopes: Type.Array(Type.String(), {
    description: 'Scopes of a key for all test data, which changes no settings and creates no keys.',
    examples: [['payments:write', 'account:read']],
  }),
  is_operator: Type.Boolean({ description: 'Whether the person may create merchants.' }),
  csrf_token: Type.String({ description: 'The header `X-CSRF-Token` of writes.' }),
  sandbox: Type.Boolean({ description: 'Whether anyone may sign in as owner, because no person has a password yet.' }),
  expires_at: Timestamp,
});
export type Session = Static<typeof Session>;

const Password = Type.String({ minLength: 1, maxLength: 200 });

/** Body of `POST /v1/session`: e-mail address and password, the token of the start link, or `sandbox`. */
export const CreateSession = Closed({
  email: Type.Optional(Email),
  password: Type.Optional(Password),
  code: Type.Optional(Type.String({ maxLength: 40, description: 'Of the authenticator app, or a recovery code.' })),
  start_token: Type.Optional(Type.String({ maxLength: 100, description: 'From the address in the start-up text.' })),
  sandbox: Type.Optional(
    Type.Literal(true, { description: 'Signs in as owner, in the sandbox, until a person has a password.' }),
  ),
});
export type CreateSession = Static<typeof CreateSession>;

/** Body of `POST /v1/session/confirm`: the password, or the response of a passkey. */
export const ConfirmSession = Closed({
  password: Type.Optional(Password),
  response: Type.Optional(PasskeyResponse),
});
export type ConfirmSession = Static<typeof ConfirmSession>;

/** One sign-in of the person, as an element of a list. */
export const PersonSession = Type.Object({
  id: Type.String(),
  object: Type.Literal('person_session'),
  is_current: Type.Boolean(),
  network: Type.String({ description: 'IPv4 address, or network of an IPv6 address.' }),
  user_agent: Type.String(),
  created_at: Timestamp,
  last_seen_at: Timestamp,
  expires_at: Timestamp,
});
export type PersonSession = Static<typeof PersonSession>;

/** The open sessions of a person. */
export const SessionsOfPerson = ListOf(PersonSession);

/** Body of `POST /v1/password-resets`. */
export const RequestPasswordReset = Closed({ email: Email });

/** Answer of `POST /v1/password-resets`. It is the same for unknown e-mail addresses. */
export const PasswordReset = Type.Object({ object: Type.Literal('password_reset'), email: Type.String() });

/** Body of `POST /v1/password-resets/confirm`. */
export const ConfirmPasswordReset = Closed({
  token: Type.String({ maxLength: 200 }),
  password: Password,
});

/** Body of `PATCH /v1/person`. */
export const UpdatePerson = Closed({
  name: Type.Optional(Nullable(Type.String({ maxLength: 100 }))),
  email: Type.Optional(Email),
  password: Type.Optional(Type.String({ maxLength: 200, description: 'At least 10 characters.' })),
  current_password: Type.Optional(Password),
});
export type UpdatePerson = Static<typeof UpdatePerson>;

/** How people may sign in to this server. */
export const SignInOptions = Type.Object({
  object: Type.Literal('sign_in_options'),
  sandbox: Type.Boolean({ description: 'Whether `{"sandbox": true}` signs in.' }),
});
export type SignInOptions = Static<typeof SignInOptions>;
