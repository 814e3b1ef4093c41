-- Identity checks of customers.
alter table merchants
  add column kyc text not null default 'service' check (kyc in ('service', 'platform'));

-- One row for each customer with data or a decision. `id`: 'kyc_' and the body of the customer's id.
create table kyc_records (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  customer_id text not null,
  type text not null check (type in ('person', 'organization')),
  status text not null check (status in ('not_started', 'incomplete', 'under_review', 'approved', 'rejected')),
  -- The approved tier; null without a valid approval. It stays while a higher tier is checked.
  tier text,
  requested_tier text not null,
  -- Names of the given fields. The values are sealed, as JSON.
  provided text[] not null default '{}',
  sealed bytea,
  -- Given fields that a reviewer asked for again.
  asked_again text[] not null default '{}',
  rejection_reasons jsonb not null default '[]',
  -- What screens reported, such as a hit on a sanctions list.
  flags jsonb not null default '[]',
  -- The provider's name for the customer. Null: the provider does not know the customer.
  provider text,
  provider_reference text,
  -- Counts the submissions to the provider. `submitted`: the provider has the newest data, and may decide.
  attempt integer not null default 0,
  submitted boolean not null default false,
  -- The last callback. Older ones and repetitions are ignored.
  callback_id text,
  callback_at timestamptz,
  -- When the provider is asked next, by the merchant's clock, and how often it was asked without a decision.
  due_at timestamptz,
  asked integer not null default 0,
  -- The key or person that decided. Null: the provider did.
  decided_by text,
  decided_at timestamptz,
  version integer not null default 0,
  event_sequence integer not null default 0,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  check (tier is null or status <> 'rejected'),
  check (status <> 'approved' or tier is not null),
  check (due_at is null or status = 'under_review')
);
create index kyc_records_due on kyc_records (due_at) where due_at is not null;
create index kyc_records_listed on kyc_records (merchant_id, livemode, created_at desc, id desc);
create index kyc_records_by_status on kyc_records (merchant_id, livemode, status, created_at desc, id desc);

-- Checks of the simulated identity provider. It keeps the outcome, and no personal data.
create table sandbox.kyc_checks (
  subject text primary key,
  attempt integer not null,
  state text not null check (state in ('pending', 'approved', 'more_needed', 'rejected')),
  fields text[] not null default '{}',
  reasons text[] not null default '{}'
);
