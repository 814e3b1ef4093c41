-- Second factors, passkeys, known devices and limits of sign-in; invitations and the audit log of a merchant.

-- The TOTP secret is sealed. It counts once a code has confirmed it. Codes up to `totp_last_step` are used.
alter table people add column totp_secret bytea;
alter table people add column totp_confirmed_at timestamptz;
alter table people add column totp_last_step bigint;

-- When the person last proved to be there, by signing in or by the password.
alter table person_sessions add column confirmed_at timestamptz;

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

-- Browsers in which a person has signed in before. Wrong passwords of others do not block them.
create table known_devices (
  hash bytea not null,
  person_id text not null,
  seen_at timestamptz not null,
  primary key (hash, person_id)
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
