-- Money that leaves the service: refunds, returns and settlements, and the queue of transfers on Stellar.

-- A refund goes back the way the money came: one part for each transfer.
create table refund_parts (
  merchant_id text not null,
  refund_id text not null,
  id text not null,
  livemode boolean not null default false,
  transfer_id text not null,
  rail text not null,
  -- The same amount in the payment's currency and in the rail's.
  amount bigint not null check (amount > 0),
  rail_amount bigint not null check (rail_amount > 0),
  rail_currency text not null,
  state text not null check (state in ('pending', 'completed', 'failed')),
  rail_reference text,
  attempts integer not null default 0,
  due_at timestamptz,
  created_at timestamptz not null,
  primary key (merchant_id, refund_id, id)
);
create index refund_parts_due on refund_parts (due_at) where due_at is not null;
create index refund_parts_by_transfer on refund_parts (merchant_id, transfer_id);

-- Money that belongs to no payment, on its way back to its sender. A transfer has one open return at a time.
create table transfer_returns (
  merchant_id text not null,
  id text not null,
  transfer_id text not null,
  livemode boolean not null,
  rail text not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  destination jsonb,
  state text not null check (state in ('pending', 'completed', 'failed')),
  rail_reference text,
  failure_code text,
  failure_message text,
  attempts integer not null default 0,
  due_at timestamptz,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create index transfer_returns_due on transfer_returns (due_at) where due_at is not null;
create unique index transfer_returns_one_open on transfer_returns (merchant_id, transfer_id) where state <> 'failed';

-- A settlement: the part of a payment that goes to the merchant at once. Another follows when there is more to settle,
-- or when the one before could not be delivered.
create table settlements (
  merchant_id text not null,
  id text not null,
  payment_id text not null,
  livemode boolean not null,
  status text not null check (status in ('submitted', 'settled', 'failed')),
  -- The part of the payment that it settles, in minor units of the payment's currency.
  payment_amount bigint not null check (payment_amount > 0),
  payment_currency text not null,
  -- What the merchant receives, in stroops.
  asset text not null,
  amount bigint not null check (amount > 0),
  destination text not null,
  delivery text not null,
  tx_hash text,
  ledger integer,
  failure_code text,
  created_at timestamptz not null,
  ended_at timestamptz,
  primary key (merchant_id, id)
);
create index settlements_by_payment on settlements (merchant_id, payment_id, created_at);
create unique index settlements_one_open on settlements (merchant_id, payment_id) where status = 'submitted';

-- One row for each sum that leaves the treasury, sent once. Amounts are stroops, assets are wire texts.
create table outgoing_transfers (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  purpose text not null check (purpose in ('settlement', 'refund')),
  -- The settlement or refund. It is sent once for a purpose, however often that is requested. Only a transfer that
  -- failed for good may be tried again, to another destination: as another attempt.
  resource_id text not null,
  attempt integer not null default 1 check (attempt > 0),
  delivery text not null check (delivery in ('payment', 'claimable_balance')),
  destination text not null,
  memo_type text check (memo_type in ('text', 'id', 'hash', 'return')),
  memo text,
  asset text not null,
  amount bigint not null check (amount > 0),
  source_asset text not null,
  send_max bigint not null check (send_max > 0),
  path text[] not null default '{}',
  state text not null default 'queued'
    check (state in ('queued', 'assigned', 'submitted', 'applied', 'failed', 'held')),
  failure_code text,
  failure_message text,
  -- The current or last transaction that carries it.
  envelope_id text,
  tx_hash text,
  ledger integer,
  -- What really left the treasury, of source_asset.
  source_amount bigint check (source_amount between 0 and send_max),
  -- How many transactions that carried it were given up for reasons of their own.
  rebuilds integer not null default 0,
  -- The worker that prepares it, and until when by the database's clock.
  lease_token text,
  leased_until timestamptz,
  -- Not sent before this time, by the database's clock.
  held_until timestamptz,
  -- Whether its purpose was told how it ended.
  reported boolean not null default false,
  created_at timestamptz not null,
  queued_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (merchant_id, id),
  unique (merchant_id, purpose, resource_id, attempt),
  check ((memo is null) = (memo_type is null)),
  check ((state = 'failed') = (failure_code is not null) or state = 'held'),
  check ((state = 'applied') = (ledger is not null))
);
create index outgoing_transfers_by_resource on outgoing_transfers (resource_id, attempt);
create index outgoing_transfers_waiting on outgoing_transfers (queued_at, id) where state in ('queued', 'held');
create index outgoing_transfers_by_envelope on outgoing_transfers (envelope_id)
  where state in ('assigned', 'submitted');
create index outgoing_transfers_unreported on outgoing_transfers (purpose, ended_at)
  where not reported and state in ('applied', 'failed');

create function outgoing_transfers_check_step() returns trigger language plpgsql as $$
declare
  carrier text;
begin
  if new.state = old.state then
    return new;
  end if;
  if old.state in ('applied', 'failed') then
    raise exception 'transfer % has ended', old.id using errcode = 'check_violation';
  end if;
  if old.state in ('assigned', 'submitted') and new.state in ('queued', 'held', 'failed', 'applied') then
    select state into carrier from stellar_envelopes where id = old.envelope_id;
    if coalesce(carrier, '') <> all (case when new.state = 'applied' then '{applied}' else '{failed,expired}' end::text[])
    then
      raise exception 'transfer % cannot become %: its transaction is %', old.id, new.state, carrier
        using errcode = 'check_violation';
    end if;
  end if;
  return new;
end $$;
create trigger outgoing_transfers_step before update of state on outgoing_transfers
  for each row execute function outgoing_transfers_check_step();
