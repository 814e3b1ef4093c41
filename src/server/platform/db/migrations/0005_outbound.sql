-- Money that leaves: one row for each sum, sent once, whatever its purpose and rail. Amounts are in the smallest unit of
-- their asset or currency.
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
  amount bigint not null check (amount > 0),
  -- What is given for it and at most how much; the asset and amount themselves where nothing is exchanged.
  source_asset text not null,
  source_max bigint not null check (source_max > 0),
  path text[] not null default '{}',
  -- What leaves the merchant's balance for it, in minor units.
  value bigint not null check (value > 0),
  value_currency text not null,
  state text not null default 'queued' check (state in ('queued', 'held', 'sending', 'completed', 'failed')),
  -- When it is looked at next, by the merchant's clock; the end of its lease while a sender holds it.
  due_at timestamptz,
  tries integer not null default 0,
  -- The Stellar transaction that carries it, or was the last to.
  envelope_id text,
  -- What sent it: the transaction hash, or the rail's own reference.
  reference text,
  ledger integer,
  -- What left, of source_asset.
  sent_amount bigint check (sent_amount between 0 and source_max),
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
  if old.state = 'sending' and old.envelope_id is null and new.state in ('queued', 'held') then
    raise exception 'outbound transfer % may have left', old.id using errcode = 'check_violation';
  end if;
  if old.state = 'sending' and old.envelope_id is not null then
    select state into carrier from stellar_envelopes where id = old.envelope_id;
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
