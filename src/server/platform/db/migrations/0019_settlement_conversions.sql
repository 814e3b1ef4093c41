-- Conversions of crypto whose payments are settled in a currency: the treasury exchanges the received asset for the
-- currency's stablecoin, once. `value` is the converted part of the payment, in minor units of its currency. `amount` is
-- bought, and `sent_amount` was spent, both in the assets' smallest units. `due_at`: when the conversion is tried next,
-- by the merchant's clock.
create table settlement_conversions (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  payment_id text not null,
  -- A later part of the payment in the same asset has the next number.
  number integer not null check (number > 0),
  status text not null check (status in ('waiting', 'sending', 'completed', 'failed')),
  source_asset text not null,
  asset text not null,
  currency text not null,
  value bigint not null check (value > 0),
  amount numeric(78, 0) not null check (amount > 0),
  sent_amount numeric(78, 0),
  tries integer not null default 0,
  failure_code text,
  failure_message text,
  tx_hash text,
  ledger integer,
  due_at timestamptz,
  version integer not null default 0,
  created_at timestamptz not null,
  ended_at timestamptz,
  primary key (merchant_id, id),
  unique (merchant_id, payment_id, source_asset, number),
  check ((status = 'completed') = (tx_hash is not null)),
  check ((status = 'waiting') = (due_at is not null))
);
create index settlement_conversions_due on settlement_conversions (due_at) where due_at is not null;
-- The operator's report counts these.
create index settlement_conversions_troubled on settlement_conversions (status, failure_code)
  where failure_code is not null and status <> 'completed';
