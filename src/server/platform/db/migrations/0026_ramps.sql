-- Ramps: customers buy coins with money.

-- `balance`: the money of a completed payment stays in the balance for the payment's owner.
alter table payments
  drop constraint payments_settlement_mode_check,
  add constraint payments_settlement_mode_check check (settlement_mode in ('custodial', 'direct', 'balance')) not valid;

-- An account's rules for ramps.
create table ramp_terms (
  merchant_id text primary key,
  enabled boolean not null,
  assets text[] not null,
  methods text[] not null,
  fees jsonb not null,
  limits jsonb not null,
  late_money text not null check (late_money in ('market', 'refund', 'wait'))
);

-- Firm prices. `coins`: smallest units of the asset, which the treasury reserves until `expires_at`.
create table ramp_quotes (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  currency text not null,
  asset text not null,
  method text not null,
  gross bigint not null check (gross > 0),
  fee bigint not null check (fee >= 0 and fee <= gross),
  coins numeric(78, 0) not null check (coins > 0),
  fee_basis_points integer not null,
  fee_fixed bigint not null,
  rate_numerator numeric(78, 0) not null check (rate_numerator > 0),
  rate_denominator numeric(78, 0) not null check (rate_denominator > 0),
  customer_id text,
  ramp_id text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (merchant_id, id)
);
create index ramp_quotes_open on ramp_quotes (asset, livemode, expires_at) where ramp_id is null;

create table ramps (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  status text not null check (status in ('incomplete', 'pending_user_transfer_start', 'pending_anchor',
    'pending_stellar', 'pending_trust', 'on_hold', 'completed', 'refunded', 'expired')),
  currency text not null,
  asset text not null,
  method text not null,
  wallet jsonb not null,
  claimable boolean not null,
  customer_id text not null,
  customer_email text not null,
  customer_name text,
  country text,
  quote_id text,
  -- Minor units: what is to be paid, then what was received.
  amount_in bigint not null check (amount_in >= 0),
  amount_fee bigint not null check (amount_fee >= 0),
  amount_refunded bigint not null default 0 check (amount_refunded >= 0),
  amount_disputed bigint not null default 0 check (amount_disputed >= 0),
  -- Smallest units of the asset.
  amount_out numeric(78, 0) not null check (amount_out >= 0),
  fee_basis_points integer not null,
  fee_fixed bigint not null,
  rate_numerator numeric(78, 0) not null check (rate_numerator > 0),
  rate_denominator numeric(78, 0) not null check (rate_denominator > 0),
  price_expires_at timestamptz not null,
  -- The money came after the price had ended. It gets the market rate at the delivery.
  at_market boolean not null default false,
  -- The customer's identity check: its status, and the tier that the ramp waits for.
  kyc_status text not null,
  tier_needed text,
  payment_id text,
  -- Minor units, fee included: the money of the delivery that is on its way or done.
  amount_delivered bigint not null default 0 check (amount_delivered >= 0),
  -- Counts the transfers to the wallet.
  deliveries integer not null default 0,
  delivery text,
  tx_hash text,
  ledger integer,
  failure_code text,
  failure_message text,
  -- Attempts to plan the delivery in the current state.
  tries integer not null default 0,
  due_at timestamptz,
  return_url text,
  client_reference text,
  metadata jsonb not null,
  version integer not null default 1,
  event_sequence integer not null default 1,
  status_at timestamptz not null,
  created_at timestamptz not null,
  paid_at timestamptz,
  completed_at timestamptz,
  primary key (merchant_id, id),
  check (status <> 'completed' or tx_hash is not null),
  check (due_at is null or status not in ('pending_stellar', 'completed', 'refunded', 'expired'))
);
create unique index ramps_payment on ramps (merchant_id, payment_id) where payment_id is not null;
create index ramps_due on ramps (due_at) where due_at is not null;
create index ramps_listed on ramps (merchant_id, livemode, created_at desc, id desc);
create index ramps_by_status on ramps (merchant_id, livemode, status, created_at desc, id desc);
create index ramps_of_customer on ramps (merchant_id, customer_id, created_at);
-- The coins that open ramps will take from the treasury.
create index ramps_reserved on ramps (asset, livemode)
  where status in ('pending_user_transfer_start', 'pending_anchor', 'pending_stellar', 'pending_trust') and not at_market;

-- The first ramp of a customer makes the customer, whose identity may be checked before the payment begins.
create trigger ramps_customers after insert on ramps
  referencing new table as new_rows for each statement execute function payments_know_customers();

-- Open ramps show the identity check of their customer, and an approval lets waiting ones go on.
create function follow_kyc() returns trigger language plpgsql as $$
begin
  update ramps set kyc_status = new.status,
    due_at = case when status = 'incomplete' and new.tier is not null then least(due_at, new.decided_at) else due_at end
  where merchant_id = new.merchant_id and customer_id = new.customer_id
    and status not in ('completed', 'refunded', 'expired');
  return null;
end $$;
create trigger kyc_records_ramps after insert or update of status, tier on kyc_records
  for each row execute function follow_kyc();
