-- Merchants with their settings, API keys, host names, customers and approvals.

create table merchants (
  id text primary key,
  name text not null,
  support_email text,
  support_url text,
  branding jsonb not null default '{}',
  settlement_asset text not null default 'USDC',
  -- `manual` keeps completed payments in the available balance.
  settlement_schedule text not null default 'automatic' check (settlement_schedule in ('automatic', 'manual')),
  stellar_address text,
  allowed_origins text[] not null default '{}',
  redirect_origins text[] not null default '{}',
  client_amounts boolean not null default true,
  tolerance_basis_points integer not null default 50 check (tolerance_basis_points between 0 and 10000),
  tolerance_units bigint not null default 1 check (tolerance_units >= 0),
  quote_seconds integer not null default 900 check (quote_seconds > 0),
  -- Crypto that arrives after its quote: how long a quote still holds for money on its way, and what later crypto does.
  quote_grace_seconds integer not null default 600 check (quote_grace_seconds >= 0),
  late_money text not null default 'wait' check (late_money in ('wait', 'market')),
  -- Whether a bank credit without a reference may pay the only payment that waits for its amount.
  match_bank_credits_by_amount boolean not null default true,
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
  -- The entry in the commercial register, and the person whom buyers may ask.
  legal_registration text,
  invoice_contact jsonb,
  -- Whether payers of new payments get a receipt by mail.
  receipts boolean not null default false,
  -- The worth above which money that leaves needs a second person.
  payout_approval_amount bigint check (payout_approval_amount >= 0),
  payout_approval_currency text,
  test_clock_offset_ms bigint not null default 0 check (test_clock_offset_ms >= 0),
  created_at timestamptz not null default now(),
  constraint merchants_payout_approval check ((payout_approval_amount is null) = (payout_approval_currency is null))
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
  -- The version of the API that calls with the key get unless they name another one: the newest when the key was made.
  api_version text not null default '2026-11-01',
  -- The person who made the key, also by means of another key. Null: the machine or the account's owner made it.
  created_by text,
  created_at timestamptz not null,
  revoked_at timestamptz
);
comment on table api_keys is 'routing: names the merchant of a key';
create index api_keys_by_merchant on api_keys (merchant_id, created_at desc);

-- An active host name serves the hosted pages of its merchant.
create table domains (
  merchant_id text not null,
  id text not null,
  -- The mode in which the domain was added. Both modes use it.
  livemode boolean not null,
  name text not null,
  status text not null check (status in ('pending', 'active', 'failed')),
  -- Why the last check failed.
  failure text,
  -- Since when checks fail. A pending domain has failed since it was added.
  failing_since timestamptz,
  verified_at timestamptz,
  checked_at timestamptz,
  -- When the domain is checked next.
  check_at timestamptz,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
comment on table domains is 'routing: names the merchant of a host name';
create unique index domains_of_merchant on domains (merchant_id, name);
-- A host name serves one merchant only.
create unique index domains_active on domains (name) where status = 'active';
create index domains_due on domains (check_at) where check_at is not null;

-- One for each e-mail address of a merchant and mode. A payment or an invoice with a new address makes one.
create table customers (
  merchant_id text not null,
  -- Derived from the address, so that payments and invoices know the id without a look at this table.
  id text not null,
  livemode boolean not null,
  email text not null,
  name text,
  phone text,
  address jsonb,
  tax_id text,
  description text,
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create index customers_newest on customers (merchant_id, livemode, created_at desc, id desc);
-- The search finds customers by the beginning of their e-mail address, name or last name.
create index customers_by_email on customers (merchant_id, livemode, lower(email) text_pattern_ops);
create index customers_by_name on customers (merchant_id, livemode, lower(name) text_pattern_ops)
  where name is not null;
create index customers_by_last_name on customers
  (merchant_id, livemode, lower(regexp_replace(name, '^.*\s', '')) text_pattern_ops)
  where name is not null;

-- Money that leaves an account with a limit, and changes of the limit. A second person decides, whatever the way out.
-- 'released' counts towards the limit of 24 hours.
create table approvals (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  kind text not null check (kind in ('payout_batch', 'withdrawal', 'refund', 'return', 'conversion', 'approval_limit')),
  -- The object that waits or left: of a changed limit, the account.
  object_id text not null,
  status text not null check (status in ('released', 'awaiting_approval', 'approved', 'canceled')),
  -- What leaves, as text for people.
  summary text not null,
  -- Worth in the limit's currency, in its smallest unit. Null: no limit, or no rate.
  amount bigint,
  currency text,
  -- Of a changed limit: the new limit. Of a return: its destination.
  details jsonb,
  -- Ids of a key, or of a person in the dashboard.
  requested_by text,
  decided_by text,
  decided_at timestamptz,
  event_sequence integer not null default 1,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  check ((status in ('approved', 'canceled')) = (decided_at is not null))
);
create unique index approvals_waiting on approvals (merchant_id, object_id) where status = 'awaiting_approval';
create index approvals_by_status on approvals (merchant_id, livemode, status, created_at desc, id desc);
create index approvals_newest on approvals (merchant_id, livemode, created_at desc, id desc);
create index approvals_by_object on approvals (merchant_id, object_id);

-- One row for each account and mode. The transaction that locks it compares the sum of 24 hours with the limit.
create table approval_locks (
  merchant_id text not null,
  livemode boolean not null,
  primary key (merchant_id, livemode)
);
