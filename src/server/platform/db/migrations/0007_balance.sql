-- The balance as money to pay from: withdrawals and conversions, and the rates of these.

-- Money of the balance that is paid to an account of the merchant.
create table withdrawals (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  status text not null check (status in ('awaiting_approval', 'pending', 'completed', 'failed')),
  -- Debited from the balance, in minor units or stroops of `currency`.
  amount numeric(78, 0) not null check (amount > 0),
  currency text not null,
  -- Paid on Stellar, in stroops.
  paid_asset text not null,
  paid_amount numeric(78, 0) not null check (paid_amount > 0),
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
-- For the search.
create index withdrawals_by_hash on withdrawals (merchant_id, tx_hash) where tx_hash is not null;

-- Rates held for conversions inside the balance. A quote is used once.
create table balance_quotes (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  from_currency text not null,
  from_amount numeric(78, 0) not null check (from_amount > 0),
  to_currency text not null,
  to_amount numeric(78, 0) not null check (to_amount > 0),
  rate text not null,
  -- The value in US cents, for the merchant's hourly limit.
  dollar_cents bigint check (dollar_cents >= 0),
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
  status text not null default 'completed' check (status in ('awaiting_approval', 'completed', 'failed')),
  from_currency text not null,
  from_amount numeric(78, 0) not null check (from_amount > 0),
  to_currency text not null,
  to_amount numeric(78, 0) not null check (to_amount > 0),
  rate text not null,
  -- The value in US cents, for the merchant's hourly limit.
  dollar_cents bigint check (dollar_cents >= 0),
  event_sequence integer not null default 1,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create index conversions_newest on conversions (merchant_id, livemode, created_at desc, id desc);
create index conversions_newest_value on conversions (merchant_id, livemode, created_at);

-- Dollar prices of traded assets in units of 10^-18. A new price is compared with older ones, also after a restart.
create table rate_readings (
  asset text not null,
  -- The start of the minute.
  read_at timestamptz not null,
  low numeric(78, 0) not null check (low > 0),
  high numeric(78, 0) not null check (high >= low),
  primary key (asset, read_at)
);
