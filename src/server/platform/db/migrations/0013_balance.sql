-- The balance as money to pay from: payments kept in it, top-ups, withdrawals and conversions.

-- `manual` keeps completed payments in the available balance.
alter table merchants add column settlement_schedule text not null default 'automatic'
  check (settlement_schedule in ('automatic', 'manual'));

-- The part of a payment that moved to the available balance, without what refunds and disputes took back from there.
alter table payments add column amount_available bigint not null default 0 check (amount_available >= 0);

-- A transfer or a deposit tag belongs to a payment or to a top-up.
alter table transfers add column top_up_id text;
alter table deposit_routes add column top_up_id text;
alter table deposit_routes alter column payment_id drop not null;
alter table deposit_routes add constraint deposit_routes_owner check ((payment_id is null) <> (top_up_id is null));

-- Instructions by which the merchant adds money to the balance; they never end. Amounts are in minor units or stroops.
create table top_ups (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  -- An ISO 4217 code or the wire text of an asset.
  currency text not null,
  -- The bank rail or the chain.
  rail text not null,
  -- The remittance reference at a bank; the account and its tag on a chain.
  reference text,
  account text,
  tag bigint check (tag > 0),
  -- The expected amount; null: any.
  amount bigint check (amount > 0),
  amount_received bigint not null default 0 check (amount_received >= 0),
  status text not null check (status in ('awaiting_funds', 'received')),
  metadata jsonb not null default '{}',
  event_sequence integer not null default 1,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  unique (merchant_id, rail, reference),
  check ((reference is null) = (account is not null) and (account is null) = (tag is null))
);
create index top_ups_newest on top_ups (merchant_id, livemode, created_at desc, id desc);

-- Money of the balance that is paid to an account of the merchant.
create table withdrawals (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  status text not null check (status in ('pending', 'completed', 'failed')),
  -- Debited from the balance, in minor units or stroops of `currency`.
  amount bigint not null check (amount > 0),
  currency text not null,
  -- Paid on Stellar, in stroops.
  paid_asset text not null,
  paid_amount bigint not null check (paid_amount > 0),
  destination jsonb not null,
  delivery text not null check (delivery in ('payment', 'claimable_balance')),
  tx_hash text,
  ledger integer,
  failure_code text,
  failure_message text,
  metadata jsonb not null default '{}',
  event_sequence integer not null default 1,
  created_at timestamptz not null,
  completed_at timestamptz,
  primary key (merchant_id, id),
  check ((status = 'failed') = (failure_code is not null)),
  check ((status = 'completed') = (tx_hash is not null))
);
create index withdrawals_newest on withdrawals (merchant_id, livemode, created_at desc, id desc);

-- Rates held for conversions inside the balance. A quote is used once.
create table balance_quotes (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  from_currency text not null,
  from_amount bigint not null check (from_amount > 0),
  to_currency text not null,
  to_amount bigint not null check (to_amount > 0),
  rate text not null,
  conversion_id text,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);

create table conversions (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  quote_id text not null,
  from_currency text not null,
  from_amount bigint not null check (from_amount > 0),
  to_currency text not null,
  to_amount bigint not null check (to_amount > 0),
  rate text not null,
  event_sequence integer not null default 1,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create index conversions_newest on conversions (merchant_id, livemode, created_at desc, id desc);
