-- Money that the service itself sends on Stellar: settlements and refunds.

-- One row for each sum that is to leave the treasury, sent once. Amounts are stroops, assets are wire texts.
create table outgoing_transfers (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  purpose text not null check (purpose in ('settlement', 'refund')),
  -- What it is for; a resource is sent once for a purpose, however often it is asked for. Only one that failed for good
  -- may be tried again, elsewhere: that is another attempt.
  resource_id text not null,
  attempt integer not null default 1 check (attempt > 0),
  -- How it is delivered: straight into the account, or put aside for it.
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
  -- The transaction that carries it, or was the last to.
  envelope_id text,
  tx_hash text,
  ledger integer,
  -- What really left the treasury, of source_asset.
  source_amount bigint check (source_amount between 0 and send_max),
  -- How many transactions were given up with it aboard through no fault of its own.
  rebuilds integer not null default 0,
  -- While it is prepared: whose it is, and until when by the database's clock.
  lease_token text,
  leased_until timestamptz,
  -- Held back until then, by the database's clock.
  held_until timestamptz,
  -- Whether those it was sent for know how it ended.
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

-- A transaction from its making until it is known to be in a ledger, or never to be in one.
create table stellar_envelopes (
  id text primary key,
  channel text not null,
  sequence bigint not null,
  -- The signed transaction, and what is handed in: its newest fee bump.
  inner_hash text not null unique,
  inner_xdr text not null,
  xdr text not null,
  hash text not null unique,
  -- The most that what is handed in may cost, in stroops.
  fee bigint not null check (fee > 0),
  operations integer not null check (operations between 1 and 100),
  -- Valid in ledgers before max_ledger that close at max_time at the latest.
  max_ledger integer not null,
  max_time timestamptz not null,
  state text not null default 'built' check (state in ('built', 'submitted', 'applied', 'failed', 'expired')),
  -- The last thing the network said of it; of a refusal also what it said of each operation.
  result_code text,
  operation_codes text[] not null default '{}',
  -- Counted when an attempt begins: a worker may write its result only while its own attempt is the last.
  attempts integer not null default 0,
  -- By the database's clock.
  next_at timestamptz not null default now(),
  leased_until timestamptz,
  -- The ledger it is in; of an expired one the closed ledger that proves that it is in none.
  ended_ledger integer,
  ended_closed_at timestamptz,
  fee_charged bigint,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  check ((state in ('applied', 'failed', 'expired')) = (ended_ledger is not null)),
  check (state <> 'expired' or ended_ledger >= max_ledger or ended_closed_at > max_time)
);
create index stellar_envelopes_open on stellar_envelopes (next_at) where state in ('built', 'submitted');
create unique index stellar_envelopes_one_open on stellar_envelopes (channel) where state in ('built', 'submitted');
create unique index stellar_envelopes_sequence on stellar_envelopes (channel, sequence) where state <> 'expired';

-- Every hash under which the network may know an envelope: its own and those of its fee bumps.
create table stellar_envelope_hashes (
  hash text primary key,
  envelope_id text not null,
  fee bigint not null,
  created_at timestamptz not null default now()
);
create index stellar_envelope_hashes_by_envelope on stellar_envelope_hashes (envelope_id);

-- What each envelope carries or carried; never deleted, so that every attempt at a transfer can be shown.
create table stellar_envelope_transfers (
  envelope_id text not null,
  position integer not null,
  merchant_id text not null,
  transfer_id text not null,
  -- Its operations in the transaction.
  first_operation integer not null,
  operations integer not null,
  primary key (envelope_id, position)
);
create index stellar_envelope_transfers_by_transfer on stellar_envelope_transfers (merchant_id, transfer_id);

-- The accounts whose sequence numbers carry our transactions, one at a time each. Their keys follow from the number.
create table channel_accounts (
  treasury text not null,
  number integer not null,
  address text not null unique,
  -- The last sequence number that is known to be used up, and whether the network is to be asked for a later one.
  sequence bigint not null default 0,
  must_read boolean not null default true,
  -- The envelope it carries; null while it is free.
  envelope_id text,
  leased_until timestamptz,
  lease_token text,
  created_at timestamptz not null default now(),
  primary key (treasury, number)
);

-- What the treasury held of each asset when it was last looked at, so that an alarm is raised once.
create table treasury_balances (
  treasury text not null,
  asset text not null,
  spendable bigint not null,
  authorized boolean not null,
  low boolean not null default false,
  seen_at timestamptz not null default now(),
  primary key (treasury, asset)
);

-- What issuers took back from the treasury, and how far the network has been read for it.
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

-- A settlement: what of a payment goes to the merchant at once. A further one follows when there is more to settle, or
-- when the one before could not be delivered.
create table settlements (
  merchant_id text not null,
  id text not null,
  payment_id text not null,
  livemode boolean not null,
  status text not null check (status in ('submitted', 'settled', 'failed')),
  -- What of the payment it settles, in minor units of the payment's currency.
  payment_amount bigint not null check (payment_amount > 0),
  payment_currency text not null,
  -- What the merchant gets, in stroops.
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

alter table payments
  -- In the payment's currency: what is on its way to the merchant, what has reached it, and what the merchant owes since
  -- more went back to the payer than was left unsettled.
  add column amount_settling bigint not null default 0 check (amount_settling >= 0),
  add column amount_settled bigint not null default 0 check (amount_settled >= 0),
  add column amount_receivable bigint not null default 0 check (amount_receivable >= 0),
  -- Delivered so far, in stroops of the settlement asset.
  add column settlement_amount bigint not null default 0 check (settlement_amount >= 0),
  add column settlement_delivery text check (settlement_delivery in ('payment', 'claimable_balance')),
  add column settlement_failure_code text,
  add column settlement_failure_message text,
  add column settlement_tries integer not null default 0,
  -- When to look at its settlement, by the merchant's clock; null: not before something changes.
  add column settlement_due_at timestamptz;
create index payments_to_settle on payments (settlement_due_at) where settlement_due_at is not null;
-- Those that wait for the merchant: to say where to, or to mend the account.
create index payments_waiting_for_merchant on payments (merchant_id)
  where settlement_status in ('pending', 'failed') and settlement_due_at is null;

-- How often somebody said anew where a refund is to go: the address before could not take it.
alter table refunds add column directions integer not null default 0;

create or replace view audit_payments as
  select id, status, amount, currency, settlement_tx_hash as settled_tx, phase, exception, amount_received,
         amount_refunded, merchant_id, livemode, settlement_status, amount_settled, amount_settling, amount_receivable
  from payments;
-- Attempts at taking money (payment_id) and at sending it (payout_id: what it was sent for). Two attempts of one payout
-- are valid at the same time only where they share `inner_hash`: the same transaction, bidding more.
create or replace view audit_attempts as
  select payment_id, id as attempt_id, rail, rail_reference, state, amount, created_at, merchant_id,
         null::text as payout_id, null::text as hash, null::text as inner_hash, null::integer as max_ledger,
         null::timestamptz as max_time, null::integer as ended_ledger, null::timestamptz as ended_at
  from payment_attempts
  union all
  select null, e.id, 'stellar', h.hash, e.state, t.amount, h.created_at, t.merchant_id,
         t.resource_id, h.hash, e.inner_hash, e.max_ledger, e.max_time, e.ended_ledger, e.ended_at
  from stellar_envelope_transfers c
  join outgoing_transfers t on t.merchant_id = c.merchant_id and t.id = c.transfer_id
  join stellar_envelopes e on e.id = c.envelope_id
  join stellar_envelope_hashes h on h.envelope_id = e.id;
