-- Merchants, keys, payments, money and events.
-- Every merchant-owned table carries merchant_id first in its key, and no foreign key crosses merchants,
-- so that the database can be spread by merchant. Amounts are integers of the smallest unit.

create table server_keys (
  id integer primary key check (id = 1),
  root bytea not null check (octet_length(root) = 32),
  created_at timestamptz not null default now()
);

create table merchants (
  id text primary key,
  name text not null,
  support_email text,
  support_url text,
  branding jsonb not null default '{}',
  settlement_asset text not null default 'USDC',
  stellar_address text,
  allowed_origins text[] not null default '{}',
  redirect_origins text[] not null default '{}',
  client_amounts boolean not null default true,
  tolerance_basis_points integer not null default 50 check (tolerance_basis_points between 0 and 10000),
  tolerance_units bigint not null default 1 check (tolerance_units >= 0),
  quote_seconds integer not null default 900 check (quote_seconds > 0),
  session_seconds integer not null default 86400 check (session_seconds > 0),
  locale text not null default 'en',
  test_clock_offset_ms bigint not null default 0 check (test_clock_offset_ms >= 0),
  created_at timestamptz not null default now()
);

create index merchants_with_moved_clock on merchants (id) where test_clock_offset_ms > 0;

create table api_keys (
  id text primary key,
  merchant_id text not null,
  hash bytea not null unique check (octet_length(hash) = 32),
  type text not null check (type in ('secret', 'publishable')),
  livemode boolean not null,
  name text,
  hint text not null,
  scopes text[] not null default '{*}',
  created_at timestamptz not null,
  revoked_at timestamptz
);
create index api_keys_by_merchant on api_keys (merchant_id, created_at desc);

create table payments (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  -- The status follows from the phase; the database refuses any other pair.
  status text not null,
  phase text not null,
  exception text check (exception in ('underpaid', 'overpaid', 'paid_late', 'wrong_asset', 'wrong_network')),
  amount bigint not null check (amount between 1 and 9007199254740991),
  currency text not null,
  amount_received bigint not null default 0 check (amount_received >= 0),
  amount_refunded bigint not null default 0 check (amount_refunded >= 0),
  -- Refunds on their way.
  amount_refunding bigint not null default 0 check (amount_refunding >= 0),
  -- Received, but not the merchant's yet: parts of an unfinished payment, money that came late or on top.
  amount_suspense bigint not null default 0 check (amount_suspense between 0 and amount_received),
  description text,
  reference text,
  line_items jsonb,
  locale text,
  settlement_asset text not null,
  settlement_address text,
  settlement_mode text not null check (settlement_mode in ('custodial', 'direct')),
  settlement_status text not null default 'none'
    check (settlement_status in ('none', 'pending', 'submitted', 'settled', 'failed')),
  payment_methods text[] not null,
  customer_id text not null,
  customer_email text not null,
  customer_name text,
  metadata jsonb not null default '{}',
  redirect_url text,
  method text check (method in ('card', 'bank_transfer', 'crypto')),
  bank_rail text,
  quote_id text not null,
  quote_amount bigint not null check (quote_amount >= 0),
  quote_rate_numerator numeric(78, 0) not null check (quote_rate_numerator > 0),
  quote_rate_denominator numeric(78, 0) not null check (quote_rate_denominator > 0),
  expires_at timestamptz not null,
  session_expires_at timestamptz not null,
  next_action jsonb,
  last_attempt jsonb,
  declined_attempts integer not null default 0,
  failure_code text,
  failure_message text,
  disputed boolean not null default false,
  created_via text not null check (created_via in ('server', 'client')),
  created_by_key text not null,
  -- Counts every change, so that a stream can be resumed; event_sequence counts the events alone.
  version integer not null default 1,
  event_sequence integer not null default 1,
  created_at timestamptz not null,
  completed_at timestamptz,
  primary key (merchant_id, id),
  check (amount_refunded + amount_refunding <= amount_received),
  check ((status, phase) in (
    ('pending', 'awaiting_payer'), ('pending', 'requires_action'), ('pending', 'awaiting_funds'),
    ('pending', 'partially_paid'), ('pending', 'confirming'), ('pending', 'processing'),
    ('completed', 'paid'), ('completed', 'partially_refunded'),
    ('failed', 'declined'), ('failed', 'expired'), ('failed', 'canceled'),
    ('refunded', 'refunded')))
);
create index payments_newest on payments (merchant_id, livemode, created_at desc, id desc);
create index payments_open on payments (session_expires_at) where status = 'pending';

create table quotes (
  merchant_id text not null,
  id text not null,
  payment_id text not null,
  settlement_asset text not null,
  settlement_amount bigint not null,
  rate_numerator numeric(78, 0) not null,
  rate_denominator numeric(78, 0) not null,
  source text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  primary key (merchant_id, payment_id, id)
);

-- Each change of a payment's phase after its creation, written by the statement that makes the change.
create table transitions (
  merchant_id text not null,
  resource_id text not null,
  seq integer not null,
  from_phase text not null,
  to_phase text not null,
  event_id text,
  at timestamptz not null,
  primary key (merchant_id, resource_id, seq)
);

create table payment_attempts (
  merchant_id text not null,
  payment_id text not null,
  id text not null,
  method text not null,
  rail text not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  state text not null check (state in
    ('started', 'requires_action', 'authorized', 'capturing', 'captured', 'declined', 'abandoned', 'unknown')),
  rail_reference text,
  brand text,
  last4 text,
  code text,
  message text,
  return_url text,
  due_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, payment_id, id)
);
create unique index payment_attempts_by_rail on payment_attempts (rail, rail_reference) where rail_reference is not null;
create index payment_attempts_due on payment_attempts (due_at) where due_at is not null;
-- A payment has at most one attempt under way.
create unique index payment_attempts_one_open on payment_attempts (merchant_id, payment_id)
  where state in ('started', 'requires_action', 'authorized', 'capturing', 'unknown');

-- What the payer was told to transfer, one row a rail and payment.
create table bank_instructions (
  merchant_id text not null,
  payment_id text not null,
  rail text not null,
  reference text not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  -- What `amount` stands for in the payment's own currency: credits are judged by this ratio.
  payment_amount bigint not null check (payment_amount > 0),
  created_at timestamptz not null,
  primary key (merchant_id, payment_id, rail),
  unique (merchant_id, reference, rail)
);
create index bank_instructions_by_amount on bank_instructions (merchant_id, currency, amount);

-- Money that was seen. A row is never deleted; the rail's own reference makes it unique.
create table transfers (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  rail text not null,
  rail_reference text not null,
  payment_id text,
  status text not null check (status in ('matched', 'unmatched', 'returned')),
  amount bigint not null check (amount > 0),
  currency text not null,
  -- In the payment's currency: what counts towards the payment, and what came on top or late.
  amount_applied bigint not null default 0 check (amount_applied >= 0),
  amount_excess bigint not null default 0 check (amount_excess >= 0),
  reference text,
  sender text,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  unique (merchant_id, rail, rail_reference)
);
-- How far each rail's list of credits has been read; moved by the transaction that books the credits.
create table rail_cursors (
  rail text primary key,
  cursor text not null
);
create index transfers_by_payment on transfers (merchant_id, payment_id);
create index transfers_newest on transfers (merchant_id, livemode, created_at desc, id desc);

create table refunds (
  merchant_id text not null,
  id text not null,
  payment_id text not null,
  livemode boolean not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  status text not null check (status in ('pending', 'completed', 'failed')),
  -- What of it is taken from money kept in suspense (late, over); the rest is from the merchant's balance.
  amount_from_suspense bigint not null check (amount_from_suspense between 0 and amount),
  reason text,
  destination jsonb,
  metadata jsonb not null default '{}',
  failure_code text,
  failure_message text,
  event_sequence integer not null default 1,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create index refunds_by_payment on refunds (merchant_id, payment_id, created_at desc, id desc);

-- A refund goes back the way the money came: one part a transfer.
create table refund_parts (
  merchant_id text not null,
  refund_id text not null,
  id text not null,
  transfer_id text not null,
  rail text not null,
  -- In the payment's currency, and the same in the rail's.
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

create table disputes (
  merchant_id text not null,
  id text not null,
  payment_id text not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  reason text not null,
  rail_reference text not null,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  unique (merchant_id, rail_reference)
);

-- Double entry. Positive: owed to the account. Rows are only ever added, and a transaction that does not sum to zero
-- in every currency is refused when it commits.
create table ledger_transactions (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  kind text not null,
  payment_id text,
  refund_id text,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);

create table ledger_entries (
  merchant_id text not null,
  transaction_id text not null,
  line integer not null,
  livemode boolean not null,
  account text not null,
  currency text not null,
  amount numeric(78, 0) not null check (amount <> 0),
  created_at timestamptz not null,
  primary key (merchant_id, transaction_id, line)
);
create index ledger_entries_by_account on ledger_entries (merchant_id, livemode, account, currency) include (amount);

-- The lines of merchants' own accounts, each with what it belongs to.
create view merchant_entries as
  select e.merchant_id, e.transaction_id || 'L' || e.line as id, e.livemode, e.account, t.kind, e.currency, e.amount,
         t.payment_id, t.refund_id, e.created_at
  from ledger_entries e join ledger_transactions t on t.merchant_id = e.merchant_id and t.id = e.transaction_id
  where e.account like 'merchant.%';

create function ledger_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'ledger rows are immutable' using errcode = 'insufficient_privilege';
end $$;
create trigger ledger_entries_immutable before update or delete or truncate on ledger_entries
  for each statement execute function ledger_refuse_change();
create trigger ledger_transactions_immutable before update or delete or truncate on ledger_transactions
  for each statement execute function ledger_refuse_change();

create function ledger_check_balance() returns trigger language plpgsql as $$
begin
  if exists (
    select from ledger_entries
    where merchant_id = new.merchant_id and transaction_id = new.transaction_id
    group by currency having sum(amount) <> 0
  ) then
    raise exception 'ledger transaction % does not sum to zero', new.transaction_id using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger ledger_entries_balance after insert on ledger_entries
  deferrable initially deferred for each row execute function ledger_check_balance();

-- Events are the outbox: written with the change they tell of, dispatched afterwards. Split by the database's own
-- time, never the test clock's, in milliseconds so that the service can hold it. ensure_event_partitions() keeps months
-- ahead ready.
create table events (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  type text not null,
  resource_id text not null,
  sequence integer not null,
  -- json, not jsonb: nobody looks inside, and the fields keep the order the API gives them.
  object json not null,
  previous json,
  api_version text not null,
  -- Asked for to try a webhook; it tells of nothing that happened.
  sample boolean not null default false,
  created_at timestamptz not null,
  recorded_at timestamptz(3) not null default now(),
  dispatched boolean not null default false,
  primary key (merchant_id, id, recorded_at)
) partition by range (recorded_at);
create index events_newest on events (merchant_id, livemode, created_at desc, id desc);
create index events_by_resource on events (merchant_id, resource_id, sequence);
create index events_waiting on events (recorded_at) where not dispatched;

create table webhook_endpoints (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  url text not null,
  events text[] not null,
  description text,
  status text not null check (status in ('enabled', 'disabled')),
  -- Null where the merchant disabled it.
  disabled_reason text check (disabled_reason in ('gone', 'failing')),
  secret bytea not null,
  previous_secret bytea,
  previous_secret_until timestamptz,
  failing_since timestamptz,
  -- When to look for due deliveries next, by the merchant's clock; null while none waits. Workers go through the
  -- endpoints in this order, so that a long queue of one costs the others nothing.
  look_at timestamptz,
  -- Counts what may call for an earlier look, so that no worker puts off a look for what it could not see yet.
  wakes bigint not null default 0,
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create index webhook_endpoints_to_look on webhook_endpoints (look_at) where look_at is not null;

create table webhook_deliveries (
  merchant_id text not null,
  id text not null,
  endpoint_id text not null,
  event_id text not null,
  event_type text not null,
  event_recorded_at timestamptz(3) not null,
  livemode boolean not null,
  status text not null check (status in ('pending', 'delivered', 'failed', 'canceled')),
  -- Counted when an attempt begins: a worker may write its result only while its own attempt is the last.
  attempts integer not null default 0,
  response_status integer,
  last_error text,
  -- By the merchant's clock.
  next_attempt_at timestamptz,
  -- By the database's clock.
  leased_until timestamptz,
  delivered_at timestamptz,
  created_at timestamptz not null,
  recorded_at timestamptz(3) not null default now(),
  primary key (merchant_id, endpoint_id, id, recorded_at)
) partition by range (recorded_at);
create index webhook_deliveries_due on webhook_deliveries (merchant_id, endpoint_id, next_attempt_at)
  where status = 'pending';
create index webhook_deliveries_newest on webhook_deliveries (merchant_id, endpoint_id, created_at desc, id desc);

create function ensure_event_partitions() returns void language plpgsql as $$
declare
  parent text;
  month date;
begin
  perform pg_advisory_xact_lock(hashtext('ensure_event_partitions'));
  foreach parent in array array['events', 'webhook_deliveries'] loop
    for month in select generate_series(date_trunc('month', now() at time zone 'utc'),
                                        date_trunc('month', now() at time zone 'utc') + interval '2 months',
                                        interval '1 month')::date loop
      execute format('create table if not exists %I partition of %I for values from (%L) to (%L)',
        parent || to_char(month, '_YYYY_MM'), parent,
        to_char(month, 'YYYY-MM-DD') || ' 00:00:00+00',
        to_char(month + interval '1 month', 'YYYY-MM-DD') || ' 00:00:00+00');
    end loop;
  end loop;
end $$;
select ensure_event_partitions();

create table idempotency_keys (
  merchant_id text not null,
  livemode boolean not null,
  path text not null,
  key text not null,
  fingerprint bytea not null,
  -- Null while the first call runs.
  answer_status integer,
  answer_location text,
  answer_body bytea,
  resource_id text,
  locked_until timestamptz not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (merchant_id, livemode, path, key)
);
create index idempotency_keys_expired on idempotency_keys (expires_at);

-- The stable audit contract: read-only views an operator or auditor may query; their columns do not change meaning.
create view audit_entries as
  select transaction_id as tx_id, account, currency, amount, merchant_id, livemode, created_at from ledger_entries;
create view audit_payments as
  select id, status, amount, currency, null::text as settled_tx, phase, exception, amount_received, amount_refunded,
         merchant_id, livemode
  from payments;
create view audit_transfers as
  select rail as chain, rail_reference as tx_hash, 0 as op_index, payment_id, amount, currency, status, merchant_id
  from transfers;
create view audit_attempts as
  select payment_id, id as attempt_id, rail, rail_reference, state, amount, created_at, merchant_id from payment_attempts;
create view audit_transitions as
  select resource_id, seq, from_phase as "from", to_phase as "to", event_id, at, merchant_id from transitions;
create view audit_events as
  select id, resource_id, type, sequence, created_at, merchant_id from events;
create view audit_deliveries as
  select event_id, endpoint_id, attempts, delivered_at, status, merchant_id from webhook_deliveries;
create view audit_idempotency as
  select merchant_id as merchant, key, encode(fingerprint, 'hex') as request_hash, resource_id, path from idempotency_keys;
