-- Dollar prices of traded assets in units of 10^-18. A new price is compared with older ones, also after a restart.
create table rate_readings (
  asset text not null,
  -- The start of the minute.
  read_at timestamptz not null,
  low numeric(78, 0) not null check (low > 0),
  high numeric(78, 0) not null check (high >= low),
  primary key (asset, read_at)
);

-- The value of a conversion in US cents, for the merchant's hourly limit. Null: made before the limit existed.
alter table balance_quotes add column dollar_cents bigint check (dollar_cents >= 0);
alter table conversions add column dollar_cents bigint check (dollar_cents >= 0);
create index conversions_newest_value on conversions (merchant_id, livemode, created_at);
