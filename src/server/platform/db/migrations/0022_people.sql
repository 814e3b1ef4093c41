-- People who use the dashboard, their roles at merchants, and their sessions.

create table people (
  id text primary key,
  email text,
  -- The e-mail address in ASCII lower case, by which a person signs in.
  email_key text unique,
  name text,
  -- scrypt with its parameters; null until the person sets a password.
  password_hash text,
  -- Operators create merchants. The first person is the operator.
  is_operator boolean not null default false,
  created_at timestamptz not null
);
comment on table people is 'routing: a person may belong to several merchants';

create table memberships (
  merchant_id text not null,
  person_id text not null,
  role text not null check (role in ('owner', 'admin', 'developer', 'finance', 'viewer')),
  created_at timestamptz not null,
  last_seen_at timestamptz,
  primary key (merchant_id, person_id)
);
create index memberships_by_person on memberships (person_id);

create table person_sessions (
  id text primary key,
  -- SHA-256 of the token in the cookie.
  hash bytea not null unique check (octet_length(hash) = 32),
  person_id text not null,
  network text not null,
  user_agent text not null,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null
);
comment on table person_sessions is 'routing: names the person of a cookie';
create index person_sessions_by_person on person_sessions (person_id);
create index person_sessions_by_end on person_sessions (expires_at);
