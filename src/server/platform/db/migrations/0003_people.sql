-- People who use the dashboard: their roles at merchants, sessions, second factors, passkeys, known devices and limits
-- of sign-in; invitations and the audit log.

create table people (
  id text primary key,
  email text,
  -- The e-mail address in ASCII lower case, by which a person signs in.
  email_key text unique,
  -- When the person last proved to read the mails of the current address.
  email_verified_at timestamptz,
  name text,
  -- scrypt with its parameters; null until the person sets a password.
  password_hash text,
  -- The TOTP secret is sealed. It counts once a code has confirmed it. Codes up to `totp_last_step` are used.
  totp_secret bytea,
  totp_confirmed_at timestamptz,
  totp_last_step bigint,
  -- Operators create merchants. The first person is the operator.
  is_operator boolean not null default false,
  created_at timestamptz not null
);
comment on table people is 'routing: a person may belong to several merchants';

-- The roles of people at merchants.
create table memberships (
  merchant_id text not null,
  person_id text not null,
  role text not null check (role in ('owner', 'admin', 'developer', 'finance', 'viewer')),
  created_at timestamptz not null,
  last_seen_at timestamptz,
  primary key (merchant_id, person_id)
);
create index memberships_by_person on memberships (person_id);

create table invitations (
  merchant_id text not null,
  id text not null,
  email text not null,
  email_key text not null,
  role text not null check (role in ('owner', 'admin', 'developer', 'finance', 'viewer')),
  invited_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (merchant_id, id)
);

-- Sessions of the dashboard.
create table person_sessions (
  id text primary key,
  -- SHA-256 of the token in the cookie.
  hash bytea not null unique check (octet_length(hash) = 32),
  person_id text not null,
  network text not null,
  user_agent text not null,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  -- When the person last proved to be there, by signing in or by the password.
  confirmed_at timestamptz,
  expires_at timestamptz not null
);
comment on table person_sessions is 'routing: names the person of a cookie';
create index person_sessions_by_person on person_sessions (person_id);
create index person_sessions_by_end on person_sessions (expires_at);

-- Browsers in which a person has signed in before. Wrong passwords of others do not block them.
create table known_devices (
  hash bytea not null,
  person_id text not null,
  seen_at timestamptz not null,
  primary key (hash, person_id)
);

create table recovery_codes (
  person_id text not null,
  hash bytea not null,
  primary key (person_id, hash)
);

create table passkeys (
  id text primary key,
  person_id text not null,
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_by_person on passkeys (person_id);

-- Challenges and tokens that were used, until they would have expired anyway.
create table used_tokens (
  hash bytea primary key,
  expires_at timestamptz not null
);

-- Attempts to sign in by keyed hash of what is limited: a device, a network, an account.
create table sign_in_attempts (
  subject bytea primary key,
  count integer not null,
  ends_at timestamptz not null
);

-- Requests for a new password. The mail is queued later, so that the answer takes the same time for unknown addresses.
create table password_reset_requests (
  id text primary key,
  email text not null,
  created_at timestamptz not null
);

-- The audit log of a merchant: what people changed by means of the dashboard.
create table person_actions (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  person_id text not null,
  action text not null,
  method text not null,
  path text not null,
  -- The status of the answer; null while the call runs, and when the process ended meanwhile.
  status integer,
  network text not null,
  user_agent text not null,
  request_id text not null,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create index person_actions_by_time on person_actions (merchant_id, livemode, created_at desc, id desc);
