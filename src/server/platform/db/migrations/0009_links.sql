-- What a payment was made for, where it was not made by itself.
alter table payments add column owner_type text;
alter table payments add column owner_id text;
create index payments_of_owner on payments (merchant_id, owner_type, owner_id, created_at desc, id desc)
  where owner_id is not null;

create table payment_links (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  status text not null check (status in ('active', 'disabled', 'expired', 'completed')),
  -- Null: the payer names the amount, within custom_amount.
  amount bigint check (amount between 1 and 9007199254740991),
  currency text not null,
  custom_amount jsonb,
  description text,
  reference text,
  line_items jsonb,
  payment_methods text[] not null,
  settlement_asset text not null,
  settlement_address text,
  redirect_url text,
  success_message text,
  locale text,
  metadata jsonb not null default '{}',
  allow_partial boolean not null,
  -- Null: any number.
  max_uses integer check (max_uses >= 1),
  uses integer not null default 0,
  opens integer not null default 0,
  -- What the amounts of completed payments in the link's own currency sum to: what counts towards one paid in parts.
  collected bigint not null default 0,
  -- What came in, by currency: minor units as text.
  received jsonb not null default '{}',
  starts_at timestamptz,
  expires_at timestamptz,
  completed_at timestamptz,
  -- Since it takes no more payers: when its open payments are looked through, to end those that nobody has begun to pay.
  closing_at timestamptz,
  event_sequence integer not null default 1,
  created_by_key text not null,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  check (not allow_partial or amount is not null)
);
create index payment_links_newest on payment_links (merchant_id, livemode, created_at desc, id desc);
create index payment_links_expiring on payment_links (expires_at) where status in ('active', 'disabled');
create index payment_links_closing on payment_links (closing_at) where closing_at is not null;

-- Whose a link is that is known by its address alone.
create table payment_link_routes (
  link_id text primary key,
  merchant_id text not null
);

-- Places on links that are for a number of payments. One is held from the moment a payer's money is on its way.
create table payment_link_claims (
  merchant_id text not null,
  payment_id text not null,
  link_id text not null,
  livemode boolean not null,
  amount bigint not null,
  -- lost: there was no place left; what came for the payment goes back.
  state text not null check (state in ('held', 'lost')),
  -- held: when it is asked whether the payer is still at the bank's page; lost: when money is there to be sent back.
  due_at timestamptz,
  primary key (merchant_id, payment_id)
);
create index payment_link_claims_held on payment_link_claims (merchant_id, link_id) where state = 'held';
create index payment_link_claims_due on payment_link_claims (due_at) where due_at is not null;

-- Who has opened a link, as a keyed hash, to count each once a day.
create table payment_link_visits (
  merchant_id text not null,
  link_id text not null,
  visitor bytea not null,
  seen_at timestamptz not null,
  primary key (merchant_id, link_id, visitor)
);
create index payment_link_visits_old on payment_link_visits (seen_at);
