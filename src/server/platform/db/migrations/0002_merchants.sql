-- Merchants with their settings, and their API keys.

create table merchants (
  id text primary key,
  name text not null,
  support_email text,
  support_url text,
  branding jsonb not null default '{}',
  settlement_asset text not null default 'USDC',
  stellar_address text,
  allowed_origins text[] not null default '{}',
  redirect_origins text[] not null default '{}',
  client_amounts boolean not null default true,
  tolerance_basis_points integer not null default 50 check (tolerance_basis_points between 0 and 10000),
  tolerance_units bigint not null default 1 check (tolerance_units >= 0),
  quote_seconds integer not null default 900 check (quote_seconds > 0),
  session_seconds integer not null default 86400 check (session_seconds > 0),
  locale text not null default 'en',
  -- The time zone in which the merchant's days begin.
  timezone text not null default 'UTC',
  -- Printed on the merchant's invoices.
  address jsonb,
  tax_id text,
  iban text,
  bic text,
  invoice_prefix text not null default 'INV',
  test_clock_offset_ms bigint not null default 0 check (test_clock_offset_ms >= 0),
  created_at timestamptz not null default now()
);
comment on table merchants is 'routing: joined by every module for the merchant''s clock and settings';
create index merchants_with_moved_clock on merchants (id) where test_clock_offset_ms > 0;

create table api_keys (
  id text primary key,
  merchant_id text not null,
  hash bytea not null unique check (octet_length(hash) = 32),
  type text not null check (type in ('secret', 'publishable')),
  livemode boolean not null,
  name text,
  hint text not null,
  scopes text[] not null default '{*}',
  created_at timestamptz not null,
  revoked_at timestamptz
);
comment on table api_keys is 'routing: names the merchant of a key';
create index api_keys_by_merchant on api_keys (merchant_id, created_at desc);
