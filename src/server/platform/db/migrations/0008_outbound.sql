-- Money that leaves, whatever its purpose and rail; and the treasury on Stellar: transactions, channel accounts,
-- balances and the signer's spending.

-- One row for each sum, sent once. Amounts are in the smallest unit of their asset or currency.
create table outbound_transfers (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  -- What the money is for: the module `purpose` queues it, and books how it ended. A resource is sent once per attempt.
  purpose text not null,
  resource_id text not null,
  attempt integer not null default 1 check (attempt > 0),
  -- `stellar`, or the id of a card or bank rail.
  rail text not null,
  -- Fields of the rail. Null: back to where original_reference, the rail's reference of a charge or credit, came from.
  destination jsonb,
  original_reference text,
  asset text not null,
  amount numeric(78, 0) not null check (amount > 0),
  -- What is given for it and at most how much; the asset and amount themselves where nothing is exchanged.
  source_asset text not null,
  source_max numeric(78, 0) not null check (source_max > 0),
  path text[] not null default '{}',
  -- What leaves the merchant's balance for it, in minor units.
  value numeric(78, 0) not null check (value > 0),
  value_currency text not null,
  state text not null default 'queued' check (state in ('queued', 'held', 'sending', 'completed', 'failed')),
  -- When it is looked at next, by the merchant's clock; the end of its lease while a sender holds it.
  due_at timestamptz,
  tries integer not null default 0,
  -- Whether its rail has accepted it. From then on it is only asked about, and never sent again.
  accepted boolean not null default false,
  -- The Stellar transaction that carries it, or was the last to.
  carrier_id text,
  -- What sent it: the transaction hash, or the rail's own reference.
  reference text,
  ledger integer,
  -- What left, of source_asset.
  sent_amount numeric(78, 0) check (sent_amount between 0 and source_max),
  failure_code text,
  failure_message text,
  -- Transactions that were given up with it through no fault of its own.
  rebuilds integer not null default 0,
  booked boolean not null default false,
  created_at timestamptz not null,
  -- By the database's clock.
  queued_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (merchant_id, id),
  unique (merchant_id, purpose, resource_id, attempt),
  check ((state = 'failed') = (failure_code is not null) or state = 'held'),
  check ((state = 'completed') = (reference is not null))
);
create index outbound_transfers_due on outbound_transfers (rail, due_at) where due_at is not null;
create index outbound_transfers_open on outbound_transfers (rail, state) where state in ('queued', 'held', 'sending');
create index outbound_transfers_unbooked on outbound_transfers (ended_at)
  where not booked and state in ('completed', 'failed');

-- Guards the way back: money that may have left is queued again only when its transaction is proven dead.
create function outbound_transfers_check_step() returns trigger language plpgsql as $$
declare
  carrier text;
begin
  if new.state = old.state then
    return new;
  end if;
  if old.state in ('completed', 'failed') then
    raise exception 'outbound transfer % has ended', old.id using errcode = 'check_violation';
  end if;
  if old.state = 'sending' and old.carrier_id is null and new.state in ('queued', 'held') then
    raise exception 'outbound transfer % may have left', old.id using errcode = 'check_violation';
  end if;
  if old.state = 'sending' and old.carrier_id is not null then
    select state into carrier from carriers where id = old.carrier_id;
    if coalesce(carrier, '') <> all (case when new.state = 'completed' then '{applied}' else '{failed,expired}' end::text[])
    then
      raise exception 'outbound transfer % cannot become %: its transaction is %', old.id, new.state, carrier
        using errcode = 'check_violation';
    end if;
  end if;
  return new;
end $$;
create trigger outbound_transfers_step before update of state on outbound_transfers
  for each row execute function outbound_transfers_check_step();

-- Something signed that carries transfers of a lane, such as a transaction. It is stored before it is submitted. It ends
-- when it is known to be in a block, or when no block can ever include it.
create table carriers (
  id text primary key,
  lane text not null,
  -- What the chain knows of it. Higher fees do not change it.
  detail jsonb not null,
  -- What is submitted, its hash and its highest fee. A higher fee changes all three.
  signed text not null,
  hash text not null unique,
  fee numeric(78, 0) not null check (fee > 0),
  -- Valid in blocks before this block, and until this time. Null: for ever.
  expires_block bigint,
  expires_at timestamptz,
  state text not null default 'built' check (state in ('built', 'submitted', 'applied', 'failed', 'expired')),
  -- The network's last result. If the network refused it, also the results of its parts.
  result_code text,
  part_codes text[] not null default '{}',
  -- Counted when an attempt begins. A worker may write its result only while its own attempt is the last.
  attempts integer not null default 0,
  -- When it is submitted or queried next. While a worker does that: the end of its lease.
  due_at timestamptz not null,
  -- The block that includes it. If it expired: the closed block that proves that none does.
  ended_block bigint,
  ended_block_at timestamptz,
  fee_charged numeric(78, 0),
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  check ((state in ('applied', 'failed', 'expired')) = (ended_block is not null)),
  check (state <> 'expired' or ended_block >= expires_block or ended_block_at > expires_at)
);
create index carriers_open on carriers (lane, due_at) where state in ('built', 'submitted');

create function carriers_check_step() returns trigger language plpgsql as $$
begin
  if old.state in ('applied', 'failed', 'expired') and new.state <> old.state then
    raise exception 'carrier % has ended', old.id using errcode = 'check_violation';
  end if;
  if new.detail <> old.detail then
    raise exception 'carrier % cannot be exchanged', old.id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger carriers_step before update on carriers for each row execute function carriers_check_step();

-- What only one carrier can use, such as a sequence number. An expired carrier gives it back.
create table carrier_claims (
  lane text not null,
  kind text not null,
  key text not null,
  carrier_id text not null,
  primary key (lane, kind, key)
);
create index carrier_claims_by_carrier on carrier_claims (carrier_id);

-- Every hash under which the network may know a carrier: with each of its fees.
create table carrier_hashes (
  hash text primary key,
  carrier_id text not null,
  fee numeric(78, 0) not null,
  created_at timestamptz not null default now()
);
create index carrier_hashes_by_carrier on carrier_hashes (carrier_id);

-- The transfers of each carrier. Never deleted, so that every attempt at a transfer can be shown.
create table carrier_transfers (
  merchant_id text not null,
  carrier_id text not null,
  position integer not null,
  transfer_id text not null,
  primary key (merchant_id, carrier_id, position)
);
create index carrier_transfers_by_carrier on carrier_transfers (carrier_id, position);
create index carrier_transfers_by_transfer on carrier_transfers (merchant_id, transfer_id);

-- The accounts whose sequence numbers carry the service's transactions, one at a time each. Their keys are derived from
-- the number.
create table channel_accounts (
  treasury text not null,
  number integer not null,
  address text not null unique,
  -- The last sequence number known to be used, and whether the network must be asked for a later one.
  sequence bigint not null default 0,
  must_read boolean not null default true,
  -- The last sequence number that a stored carrier explains.
  loaded bigint,
  -- The carrier that it carries; null while it is free.
  carrier_id text,
  -- When it may be taken for a transaction; the end of the lease while a worker prepares one.
  due_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  primary key (treasury, number)
);

-- What the treasury held of each asset at the last look, so that an alarm is raised once.
create table treasury_balances (
  treasury text not null,
  asset text not null,
  spendable bigint not null,
  authorized boolean not null,
  low boolean not null default false,
  seen_at timestamptz not null default now(),
  primary key (treasury, asset)
);

-- What issuers clawed back from the treasury, and how far the network was read for it.
create table treasury_clawbacks (
  treasury text not null,
  -- The network's id of the operation.
  reference text not null,
  asset text not null,
  amount bigint not null check (amount > 0),
  tx_hash text not null,
  created_at timestamptz not null,
  primary key (treasury, reference)
);

create table treasury_cursors (
  treasury text primary key,
  cursor text not null
);

-- What the signer has released from the treasury, a row for each transaction and asset, so that daily caps hold across
-- restarts and servers. Rows are deleted when they are too old to count.
create table signer_spend (
  treasury text not null,
  -- Of the signed transaction (the inner one of a fee bump).
  hash text not null,
  asset text not null,
  -- The most that may leave, in stroops.
  amount bigint not null check (amount > 0),
  signed_at timestamptz not null,
  primary key (treasury, asset, hash)
);
create index signer_spend_by_time on signer_spend (treasury, asset, signed_at);
