-- Payouts: recipients with their destinations, batches and payouts.

create table recipients (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  name text not null,
  email text,
  type text not null check (type in ('individual', 'business')),
  country text,
  reference text,
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  -- A deleted recipient stays for the payouts that name it.
  deleted_at timestamptz,
  primary key (merchant_id, id)
);
create index recipients_newest on recipients (merchant_id, livemode, created_at desc, id desc) where deleted_at is null;
create unique index recipients_reference on recipients (merchant_id, livemode, lower(reference))
  where reference is not null and deleted_at is null;
-- The search finds recipients by the beginning of their name, last name or e-mail address.
create index recipients_by_name on recipients (merchant_id, lower(name) text_pattern_ops);
create index recipients_by_last_name on recipients
  (merchant_id, lower(regexp_replace(name, '^.*\s', '')) text_pattern_ops);
create index recipients_by_email on recipients (merchant_id, lower(email) text_pattern_ops) where email is not null;

-- Where a recipient may be paid.
create table recipient_destinations (
  merchant_id text not null,
  id text not null,
  recipient_id text not null,
  position integer not null,
  destination jsonb not null,
  is_default boolean not null,
  verification text not null default 'unverified' check (verification in ('unverified', 'verified', 'failed')),
  primary key (merchant_id, id)
);
create index recipient_destinations_by_recipient on recipient_destinations (merchant_id, recipient_id, position);
create unique index recipient_destinations_default on recipient_destinations (merchant_id, recipient_id)
  where is_default;

-- Payouts are made in batches, also a single one.
create table payout_batches (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  status text not null check (status in ('awaiting_approval', 'scheduled', 'processing', 'completed',
    'partially_completed', 'failed', 'canceled')),
  -- Rows of the request: all, accepted, refused; and the refused ones by index and field.
  total integer not null,
  accepted integer not null,
  rejected integer not null,
  errors jsonb not null default '[]',
  -- What is debited, by currency: [{currency, amount, fee, count}].
  totals jsonb not null default '[]',
  schedule jsonb not null,
  -- When its payouts become due, or the next run of a recurring batch; null once that is done. The merchant's clock.
  due_at timestamptz,
  -- The occurrence that a recurring batch makes next; due_at says when to try, and moves on after a fault.
  next_run_at timestamptz,
  -- The rows of a recurring batch, which holds no payouts itself; each run makes a batch that names it.
  template jsonb,
  recurring_batch text,
  occurrence_at timestamptz,
  approval jsonb,
  created_by text,
  approved_by text,
  approved_at timestamptz,
  description text,
  metadata jsonb not null default '{}',
  event_sequence integer not null default 0,
  version integer not null default 0,
  created_at timestamptz not null,
  completed_at timestamptz,
  primary key (merchant_id, id),
  unique (merchant_id, recurring_batch, occurrence_at)
);
create index payout_batches_newest on payout_batches (merchant_id, livemode, created_at desc, id desc);
create index payout_batches_due on payout_batches (due_at) where due_at is not null;

create table payouts (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  batch_id text not null,
  -- Index of its row in the request, from 0.
  position integer not null,
  status text not null check (status in ('scheduled', 'queued', 'on_hold', 'processing', 'sent', 'completed', 'failed',
    'returned', 'canceled')),
  recipient_id text,
  destination jsonb not null,
  -- The rail that pays it: `stellar`, or the id of a payout rail. Null: none is connected yet.
  rail text,
  amount numeric(78, 0) not null check (amount > 0),
  currency text not null,
  -- What is debited at most; the rest is released when the rate is known.
  source_amount numeric(78, 0) not null check (source_amount > 0),
  source_currency text not null,
  fee numeric(78, 0) not null default 0 check (fee >= 0),
  -- What the recipient is paid in: a currency or an asset; at least least_amount of it, and paid_amount once it is
  -- sent. The merchant accepted the bound; a worse rate puts the payout on hold. Null without a rail.
  unit text,
  least_amount numeric(78, 0) check (least_amount > 0),
  paid_amount numeric(78, 0) check (paid_amount > 0),
  -- What was credited again, in smallest units of source_currency. A payout whose money came back in part stays
  -- completed.
  returned_amount numeric(78, 0) not null default 0 check (returned_amount between 0 and source_amount),
  reference text,
  description text,
  metadata jsonb not null default '{}',
  failure_code text,
  failure_message text,
  hold_code text,
  hold_message text,
  -- The rail's own reference: a transaction hash, a bank file, a provider's number.
  trace text,
  attempt integer not null default 1 check (attempt > 0),
  -- When it is looked at next, by the merchant's clock; null while nothing is to be done.
  due_at timestamptz,
  scheduled_at timestamptz,
  eta_at timestamptz,
  event_sequence integer not null default 0,
  version integer not null default 0,
  created_at timestamptz not null,
  completed_at timestamptz,
  primary key (merchant_id, id),
  -- A completed payout tells why a part of its money came back.
  constraint payouts_failure check (
    case when status in ('failed', 'returned') then failure_code is not null
      else failure_code is null or returned_amount > 0 end),
  check ((status = 'on_hold') = (hold_code is not null))
);
create unique index payouts_reference on payouts (merchant_id, livemode, lower(reference)) where reference is not null;
-- A batch in the order of lists, and all its payouts.
create index payouts_by_batch on payouts (merchant_id, batch_id, position, id);
create index payouts_newest on payouts (merchant_id, livemode, created_at desc, id desc);
create index payouts_due on payouts (due_at) where due_at is not null;
create index payouts_by_status on payouts (merchant_id, livemode, status, created_at desc, id desc);
-- For the search.
create index payouts_by_trace on payouts (merchant_id, trace) where trace is not null;

-- Money that may have left never waits to be sent again.
create function payouts_check_step() returns trigger language plpgsql as $$
begin
  if old.status in ('processing', 'sent') and new.status in ('scheduled', 'queued', 'on_hold', 'canceled')
    or old.status = 'completed' and new.status not in ('completed', 'returned')
    or old.status in ('returned', 'canceled') and new.status <> old.status
  then
    raise exception 'payout % cannot become % from %', old.id, new.status, old.status using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger payouts_step before update of status on payouts for each row execute function payouts_check_step();

-- Money that came back after a rail had paid it out, entry by entry as the rail listed it.
create table payout_returns (
  merchant_id text not null,
  id text not null,
  rail text not null,
  -- The outbound transfer that had been paid out.
  order_id text not null,
  -- In what the recipient was paid; an order may come back in parts.
  amount numeric(78, 0) not null check (amount > 0),
  code text not null,
  message text not null,
  booked boolean not null default false,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create index payout_returns_open on payout_returns (created_at) where not booked;
create index payout_returns_by_order on payout_returns (merchant_id, order_id);

-- How far the returns of each rail are read.
create table payout_return_cursors (
  rail text primary key,
  cursor text
);
