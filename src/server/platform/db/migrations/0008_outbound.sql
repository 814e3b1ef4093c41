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
    select state into carrier from stellar_envelopes where id = old.carrier_id;
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

-- A transaction, from its creation until it is known to be in a ledger or can be in none.
create table stellar_envelopes (
  id text primary key,
  channel text not null,
  sequence bigint not null,
  -- The signed transaction, and what is submitted: its newest fee bump.
  inner_hash text not null unique,
  inner_xdr text not null,
  xdr text not null,
  hash text not null unique,
  -- The highest fee of what is submitted, in stroops.
  fee bigint not null check (fee > 0),
  operations integer not null check (operations between 1 and 100),
  -- Valid in ledgers before max_ledger that close at max_time at the latest.
  max_ledger integer not null,
  max_time timestamptz not null,
  state text not null default 'built' check (state in ('built', 'submitted', 'applied', 'failed', 'expired')),
  -- The network's last result; of a refused transaction also the result of each operation.
  result_code text,
  operation_codes text[] not null default '{}',
  -- Counted when an attempt begins: a worker may write its result only while its own attempt is the last.
  attempts integer not null default 0,
  -- When it is submitted or asked after next; the end of the lease while a worker does that.
  due_at timestamptz not null,
  -- The ledger that holds it; of an expired one the closed ledger that proves that none does.
  ended_ledger integer,
  ended_closed_at timestamptz,
  fee_charged bigint,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  check ((state in ('applied', 'failed', 'expired')) = (ended_ledger is not null)),
  check (state <> 'expired' or ended_ledger >= max_ledger or ended_closed_at > max_time)
);
create index stellar_envelopes_open on stellar_envelopes (due_at) where state in ('built', 'submitted');
create unique index stellar_envelopes_one_open on stellar_envelopes (channel) where state in ('built', 'submitted');
create unique index stellar_envelopes_sequence on stellar_envelopes (channel, sequence) where state <> 'expired';

create function stellar_envelopes_check_step() returns trigger language plpgsql as $$
begin
  if old.state in ('applied', 'failed', 'expired') and new.state <> old.state then
    raise exception 'envelope % has ended', old.id using errcode = 'check_violation';
  end if;
  if new.inner_xdr <> old.inner_xdr or new.inner_hash <> old.inner_hash then
    raise exception 'envelope % cannot be exchanged', old.id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger stellar_envelopes_step before update on stellar_envelopes
  for each row execute function stellar_envelopes_check_step();

-- Every hash under which the network may know an envelope: its own and those of its fee bumps.
create table stellar_envelope_hashes (
  hash text primary key,
  envelope_id text not null,
  fee bigint not null,
  created_at timestamptz not null default now()
);
create index stellar_envelope_hashes_by_envelope on stellar_envelope_hashes (envelope_id);

-- The transfers of each envelope; never deleted, so that every attempt at a transfer can be shown.
create table stellar_envelope_transfers (
  merchant_id text not null,
  envelope_id text not null,
  position integer not null,
  transfer_id text not null,
  delivery text not null check (delivery in ('payment', 'claimable_balance')),
  -- Its operations in the transaction.
  first_operation integer not null,
  operations integer not null,
  primary key (merchant_id, envelope_id, position)
);
create index stellar_envelope_transfers_by_envelope on stellar_envelope_transfers (envelope_id, position);
create index stellar_envelope_transfers_by_transfer on stellar_envelope_transfers (merchant_id, transfer_id);

-- The accounts whose sequence numbers carry the service's transactions, one at a time each. Their keys are derived from
-- the number.
create table channel_accounts (
  treasury text not null,
  number integer not null,
  address text not null unique,
  -- The last sequence number known to be used, and whether the network must be asked for a later one.
  sequence bigint not null default 0,
  must_read boolean not null default true,
  -- The envelope it carries; null while it is free.
  envelope_id text,
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
