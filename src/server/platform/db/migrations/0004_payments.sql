-- Payments: what is asked for, card charges, disputes and refunds.

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
  -- Refunds that are pending.
  amount_refunding bigint not null default 0 check (amount_refunding >= 0),
  amount_disputed bigint not null default 0 check (amount_disputed >= 0),
  -- Received, but not the merchant's yet: parts of an unfinished payment, late money and excess.
  amount_suspense bigint not null default 0 check (amount_suspense between 0 and amount_received),
  -- Received straight into an account of the merchant's own. The service never held it, so it neither settles nor
  -- refunds from it.
  amount_direct bigint not null default 0 check (amount_direct between 0 and amount_received),
  -- The part that moved to the available balance, without what refunds and disputes took back from there.
  amount_available bigint not null default 0 check (amount_available >= 0),
  -- Each part of the received money, in order of arrival: [{method, rail, chain, currency, amount, credited, card,
  -- tx_hash, at}]. Amounts are text: `amount` in smallest units of the currency or asset, `credited` in the payment's
  -- currency.
  received jsonb,
  description text,
  reference text,
  line_items jsonb,
  locale text,
  settlement_asset text not null,
  settlement_address text,
  settlement_mode text not null check (settlement_mode in ('custodial', 'direct')),
  settlement_status text not null default 'none'
    check (settlement_status in ('none', 'pending', 'submitted', 'settled', 'failed')),
  settlement_tx_hash text,
  settlement_ledger integer,
  -- In the payment's currency: on its way to the merchant; delivered; and owed by the merchant, because more was
  -- refunded than was left unsettled.
  amount_settling bigint not null default 0 check (amount_settling >= 0),
  amount_settled bigint not null default 0 check (amount_settled >= 0),
  amount_receivable bigint not null default 0 check (amount_receivable >= 0),
  -- Delivered so far, in stroops of the settlement asset.
  settlement_amount numeric(78, 0) not null default 0 check (settlement_amount >= 0),
  settlement_delivery text check (settlement_delivery in ('payment', 'claimable_balance')),
  settlement_failure_code text,
  settlement_failure_message text,
  -- Settlements that were begun.
  settlement_count integer not null default 0,
  settlement_tries integer not null default 0,
  -- When to look at the settlement next, by the merchant's clock; null: only after a change.
  settlement_due_at timestamptz,
  payment_methods text[] not null,
  -- `manual`: a card is authorized first, and the merchant takes all or a part of the money later.
  capture_method text not null default 'automatic' check (capture_method in ('automatic', 'manual')),
  customer_id text not null,
  customer_email text not null,
  customer_name text,
  metadata jsonb not null default '{}',
  redirect_url text,
  -- Where the payer goes back to before paying.
  cancel_url text,
  -- Whether the payer gets a receipt by mail once the payment is completed.
  receipts boolean not null default false,
  method text check (method in ('card', 'bank_transfer', 'crypto')),
  bank_rail text,
  -- The card that paid: brand, last four digits and the result of 3-D Secure. Never more of the card.
  card jsonb,
  -- The current quote: the settlement asset's amount in stroops, its rate and its end.
  quote_id text not null,
  quote_amount numeric(78, 0) not null check (quote_amount >= 0),
  quote_rate_numerator numeric(78, 0) not null check (quote_rate_numerator > 0),
  quote_rate_denominator numeric(78, 0) not null check (quote_rate_denominator > 0),
  -- When the current quote was made; null while it is the one of the creation.
  quoted_at timestamptz,
  expires_at timestamptz not null,
  session_expires_at timestamptz not null,
  next_action jsonb,
  last_attempt jsonb,
  declined_attempts integer not null default 0,
  failure_code text,
  failure_message text,
  -- The object that the payment was made for, of a registered purpose; both null for a payment of its own.
  owner_type text,
  owner_id text,
  created_via text not null check (created_via in ('server', 'client')),
  created_by_key text not null,
  -- Counts every change, so that a stream can be resumed; event_sequence counts the events alone.
  version integer not null default 1,
  event_sequence integer not null default 1,
  created_at timestamptz not null,
  completed_at timestamptz,
  primary key (merchant_id, id),
  check (amount_refunded + amount_refunding <= amount_received),
  constraint payments_status_of_phase check ((status, phase) in (
    ('pending', 'awaiting_payer'), ('pending', 'requires_action'), ('pending', 'awaiting_funds'),
    ('pending', 'partially_paid'), ('pending', 'confirming'), ('pending', 'processing'), ('pending', 'authorized'),
    ('completed', 'paid'), ('completed', 'partially_refunded'),
    ('failed', 'declined'), ('failed', 'expired'), ('failed', 'canceled'),
    ('refunded', 'refunded')))
);
create index payments_newest on payments (merchant_id, livemode, created_at desc, id desc);
create index payments_open on payments (session_expires_at) where status = 'pending';
create index payments_of_owner on payments (merchant_id, owner_type, owner_id, created_at desc, id desc)
  where owner_id is not null;
create index payments_to_settle on payments (settlement_due_at) where settlement_due_at is not null;
-- Payments that wait for the merchant: for a settlement address, or for a repaired account.
create index payments_waiting_for_merchant on payments (merchant_id)
  where settlement_status in ('pending', 'failed') and settlement_due_at is null;
-- Every filter of a list reads its rows in the order of the list, however rare its value is among a million rows.
create index payments_by_reference on payments (merchant_id, livemode, reference, created_at desc, id desc)
  where reference is not null;
create index payments_of_customer on payments (merchant_id, livemode, customer_id, created_at desc, id desc);
create index payments_by_status on payments (merchant_id, livemode, status, created_at desc, id desc);
create index payments_by_phase on payments (merchant_id, livemode, phase, created_at desc, id desc);
create index payments_by_method on payments (merchant_id, livemode, method, created_at desc, id desc)
  where method is not null;
create index payments_by_currency on payments (merchant_id, livemode, currency, created_at desc, id desc);
create index payments_with_exception on payments (merchant_id, livemode, exception, created_at desc, id desc)
  where exception is not null;
create index payments_by_amount on payments (merchant_id, livemode, amount);
create index payments_by_metadata on payments using gin (metadata jsonb_path_ops);
-- For the search.
create index payments_by_settlement_hash on payments (merchant_id, settlement_tx_hash)
  where settlement_tx_hash is not null;
-- Payments whose money the merchant accepts or returns have an exception.
create index payments_to_decide on payments (merchant_id, livemode, created_at desc, id desc)
  where exception in ('underpaid', 'overpaid', 'paid_late');
-- An unpaid payment is not in it, so creation costs the same.
create index payments_by_settlement on payments (merchant_id, livemode, settlement_status, created_at desc, id desc)
  where settlement_status <> 'none';

-- The first payment of a customer makes the customer. One statement for many payments. The order of ids keeps
-- concurrent statements from waiting for each other in a circle.
create function payments_know_customers() returns trigger language plpgsql as $$
begin
  insert into customers (merchant_id, id, livemode, email, name, created_at)
    select distinct on (merchant_id, customer_id)
      merchant_id, customer_id, livemode, customer_email, customer_name, created_at
    from new_rows order by merchant_id, customer_id, created_at
    on conflict (merchant_id, id) do nothing;
  return null;
end $$;
create trigger payments_customers after insert on payments
  referencing new table as new_rows for each statement execute function payments_know_customers();

-- Each change of a resource's phase after its creation, written in the transaction of the change.
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

-- Attempts to charge a card.
create table payment_attempts (
  merchant_id text not null,
  payment_id text not null,
  id text not null,
  livemode boolean not null default false,
  method text not null,
  rail text not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  -- The amount that the merchant captures; null before, and when the charge itself takes the money. It is stored before
  -- the acquirer is asked, and never changes.
  capture_amount bigint check (capture_amount between 1 and amount),
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
create unique index payment_attempts_by_rail on payment_attempts (merchant_id, rail, rail_reference)
  where rail_reference is not null;
create index payment_attempts_due on payment_attempts (due_at) where due_at is not null;
-- A payment has at most one open attempt.
create unique index payment_attempts_one_open on payment_attempts (merchant_id, payment_id)
  where state in ('started', 'requires_action', 'authorized', 'capturing', 'unknown');

-- Disputes by the cardholder, with a deadline, evidence and an outcome.
create table disputes (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  payment_id text not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  reason text not null,
  rail text not null,
  rail_reference text not null,
  status text not null check (status in ('needs_response', 'under_review', 'closed')),
  outcome text check (outcome in ('won', 'lost', 'accepted')),
  evidence jsonb,
  evidence_due_at timestamptz not null,
  evidence_submitted_at timestamptz,
  -- When the rail is asked for the outcome.
  due_at timestamptz,
  event_sequence integer not null default 1,
  version integer not null default 0,
  created_at timestamptz not null,
  closed_at timestamptz,
  primary key (merchant_id, id),
  -- Two acquirers may give two disputes the same reference.
  constraint disputes_by_rail unique (merchant_id, rail, rail_reference),
  check ((status = 'closed') = (outcome is not null)),
  check ((status = 'closed') = (closed_at is not null))
);
-- Each settlement reads the disputes of its payment.
create index disputes_by_payment on disputes (merchant_id, payment_id);
create index disputes_newest on disputes (merchant_id, livemode, created_at desc, id desc);
create index disputes_to_answer on disputes (merchant_id, livemode) where status = 'needs_response';
create index disputes_due on disputes (due_at) where due_at is not null;

-- Events of card acquirers that were not handled yet. Each is a hint to ask the acquirer about one object.
create table card_events (
  merchant_id text not null,
  rail text not null,
  -- The acquirer's own id of the event.
  id text not null,
  about text not null check (about in ('charge', 'refund', 'dispute')),
  -- The attempt, the order of the refund, or the acquirer's reference of the dispute.
  reference text not null,
  payment_id text,
  received_at timestamptz not null,
  due_at timestamptz not null,
  primary key (merchant_id, rail, id),
  check ((about = 'charge') = (payment_id is not null))
);
create index card_events_due on card_events (due_at);

create table refunds (
  merchant_id text not null,
  id text not null,
  payment_id text not null,
  livemode boolean not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  status text not null check (status in ('awaiting_approval', 'pending', 'completed', 'failed')),
  -- The part taken from suspense (late money, excess); the rest comes from the merchant's balance.
  amount_from_suspense bigint not null check (amount_from_suspense between 0 and amount),
  reason text,
  destination jsonb,
  -- No destination is known yet; the parts wait until one is given.
  requires_destination boolean not null default false,
  -- How often a destination was given anew because the one before could not receive the money.
  directions integer not null default 0,
  metadata jsonb not null default '{}',
  failure_code text,
  failure_message text,
  -- Of the last part on a chain; a copy from its outbound transfer.
  tx_hash text,
  event_sequence integer not null default 1,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create index refunds_by_payment on refunds (merchant_id, payment_id, created_at desc, id desc);
create index refunds_newest on refunds (merchant_id, livemode, created_at desc, id desc);
create index refunds_by_status on refunds (merchant_id, livemode, status, created_at desc, id desc);
create index refunds_by_currency on refunds (merchant_id, livemode, currency, created_at desc, id desc);
create index refunds_without_destination on refunds (merchant_id, livemode)
  where requires_destination and status = 'pending';

-- A refund goes back the way the money came: one part for each transfer.
create table refund_parts (
  merchant_id text not null,
  refund_id text not null,
  id text not null,
  transfer_id text not null,
  rail text not null,
  -- The same amount in the payment's currency and in the rail's.
  amount bigint not null check (amount > 0),
  rail_amount numeric(78, 0) not null check (rail_amount > 0),
  rail_currency text not null,
  state text not null check (state in ('pending', 'completed', 'failed')),
  -- The transaction of a part on a chain; a copy from its outbound transfer.
  tx_hash text,
  -- It waits for a destination.
  requires_destination boolean not null default false,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create index refund_parts_by_refund on refund_parts (merchant_id, refund_id);
create index refund_parts_by_transfer on refund_parts (merchant_id, transfer_id);
create index refund_parts_by_hash on refund_parts (merchant_id, tx_hash) where tx_hash is not null;
