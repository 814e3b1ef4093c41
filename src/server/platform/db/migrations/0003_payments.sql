-- Payments: what is asked for, how it is paid by card, bank and crypto, what arrived, refunds and disputes.

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
  -- Received, but not the merchant's yet: parts of an unfinished payment, late money and excess.
  amount_suspense bigint not null default 0 check (amount_suspense between 0 and amount_received),
  -- Received straight into an account of the merchant's own. The service never held it, so it neither settles nor
  -- refunds from it.
  amount_direct bigint not null default 0 check (amount_direct between 0 and amount_received),
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
  settlement_amount bigint not null default 0 check (settlement_amount >= 0),
  settlement_delivery text check (settlement_delivery in ('payment', 'claimable_balance')),
  settlement_failure_code text,
  settlement_failure_message text,
  -- Settlements that were begun.
  settlement_count integer not null default 0,
  settlement_tries integer not null default 0,
  -- When to look at the settlement next, by the merchant's clock; null: only after a change.
  settlement_due_at timestamptz,
  payment_methods text[] not null,
  customer_id text not null,
  customer_email text not null,
  customer_name text,
  metadata jsonb not null default '{}',
  redirect_url text,
  method text check (method in ('card', 'bank_transfer', 'crypto')),
  bank_rail text,
  -- The current quote: the settlement asset's amount in stroops, its rate and its end.
  quote_id text not null,
  quote_amount bigint not null check (quote_amount >= 0),
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
  disputed boolean not null default false,
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
  check ((status, phase) in (
    ('pending', 'awaiting_payer'), ('pending', 'requires_action'), ('pending', 'awaiting_funds'),
    ('pending', 'partially_paid'), ('pending', 'confirming'), ('pending', 'processing'),
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

-- The bank transfer that the payer was asked to make, one row for each rail and payment.
create table bank_instructions (
  merchant_id text not null,
  payment_id text not null,
  rail text not null,
  reference text not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  -- The value of `amount` in the payment's own currency: credits are converted by this ratio.
  payment_amount bigint not null check (payment_amount > 0),
  created_at timestamptz not null,
  primary key (merchant_id, payment_id, rail),
  unique (merchant_id, reference, rail)
);
create index bank_instructions_by_amount on bank_instructions (merchant_id, currency, amount);

-- Received money. A row is never deleted; the rail's own reference makes it unique.
create table transfers (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  rail text not null,
  rail_reference text not null,
  payment_id text,
  status text not null check (status in ('matched', 'unmatched', 'returning', 'returned')),
  amount bigint not null check (amount > 0),
  currency text not null,
  -- In the payment's currency: what counts towards the payment, and what is late or in excess.
  amount_applied bigint not null default 0 check (amount_applied >= 0),
  amount_excess bigint not null default 0 check (amount_excess >= 0),
  reference text,
  sender text,
  -- Set when the money came on a chain.
  chain text,
  tx_hash text,
  op_index integer,
  ledger bigint,
  account text,
  memo text,
  memo_type text,
  -- False: received in an account of the merchant's own (direct mode). It is listed, but not in the books.
  custodial boolean not null default true,
  -- How often it was sent back; again only after the return before has failed.
  return_count integer not null default 0,
  -- Why money that names a payment does not count towards it.
  problem text check (problem in ('wrong_asset')),
  -- Why the money could not be returned.
  failure_code text,
  failure_message text,
  -- When it reached the chain, by the merchant's clock.
  arrived_at timestamptz,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  unique (merchant_id, rail, rail_reference),
  constraint transfers_on_chain check ((chain is null) = (tx_hash is null) and (chain is null) = (op_index is null))
);
create index transfers_by_payment on transfers (merchant_id, payment_id);
create index transfers_newest on transfers (merchant_id, livemode, created_at desc, id desc);

-- How far each rail's list of credits was read; moved in the transaction that books the credits.
create table rail_cursors (
  rail text primary key,
  cursor text not null
);

-- Where the payer of a payment sends to on a chain: the account, and the tag (muxed id, memo) that names the payment. A
-- target never changes, so money sent there counts however late it comes.
create table deposit_targets (
  merchant_id text not null,
  payment_id text not null,
  chain text not null,
  network text not null,
  account text not null,
  tag bigint not null check (tag > 0),
  -- The account is the service's own; otherwise it is the merchant's (direct mode).
  custodial boolean not null,
  created_at timestamptz not null,
  primary key (merchant_id, payment_id, chain)
);

create table deposit_routes (
  network text not null,
  account text not null,
  tag bigint not null,
  merchant_id text not null,
  payment_id text not null,
  primary key (network, account, tag)
);
comment on table deposit_routes is 'routing: names the payment of a deposit by its tag';

-- Crypto prices that a payer was given: `amount` of `asset` stands for `payment_amount` of the payment's currency. No
-- offer is withdrawn: a deposit is converted by the offer that held when it reached the chain.
create table crypto_offers (
  merchant_id text not null,
  payment_id text not null,
  number integer not null,
  chain text not null,
  asset text not null,
  amount bigint not null check (amount > 0),
  payment_amount bigint not null check (payment_amount > 0),
  quote_id text not null,
  -- Received under this offer, and the part already counted in the payment's currency. Both are sums, so that rounding
  -- happens once and several deposits never count for less than one.
  received bigint not null default 0 check (received >= 0),
  counted bigint not null default 0 check (counted >= 0),
  expires_at timestamptz not null,
  created_at timestamptz not null,
  primary key (merchant_id, payment_id, number)
);

-- Accounts that are read for deposits, and how far; moved in the transaction that books the deposits, never ahead of it.
create table chain_cursors (
  network text not null,
  account text not null,
  chain text not null,
  -- Begins at the chain's position before the first payer was given the account.
  cursor text not null,
  custodial boolean not null,
  -- A merchant's account is read while a payer may still pay into it; null: always.
  watch_until timestamptz,
  -- When to read next, by the service's clock.
  due_at timestamptz not null,
  -- When the account was last read to the end, by the service's clock; null: never.
  read_at timestamptz,
  primary key (network, account)
);
create index chain_cursors_due on chain_cursors (due_at);

-- Transactions made for payers' wallets. A signed envelope is stored before it is submitted.
create table wallet_transactions (
  merchant_id text not null,
  payment_id text not null,
  id text not null,
  livemode boolean not null,
  chain text not null,
  network text not null,
  address text not null,
  asset text not null,
  amount bigint not null check (amount > 0),
  amount_max bigint not null check (amount_max >= amount),
  destination_asset text not null,
  destination_amount bigint not null check (destination_amount > 0),
  path text[] not null,
  envelope text not null,
  hash text not null,
  signed_envelope text,
  state text not null check (state in ('built', 'submitted', 'applied', 'failed')),
  failure_code text,
  failure_message text,
  -- When the network first refused a repeated submission; it may have taken an earlier one.
  refused_at timestamptz,
  -- The end of its time bound, by the network's clock.
  valid_until timestamptz not null,
  -- When to ask the network again about a submitted transaction, by the service's clock.
  due_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null,
  submitted_at timestamptz,
  primary key (merchant_id, payment_id, id),
  check ((state = 'built') = (signed_envelope is null))
);
create index wallet_transactions_due on wallet_transactions (due_at) where due_at is not null;

create table refunds (
  merchant_id text not null,
  id text not null,
  payment_id text not null,
  livemode boolean not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  status text not null check (status in ('pending', 'completed', 'failed')),
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
  event_sequence integer not null default 1,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create index refunds_by_payment on refunds (merchant_id, payment_id, created_at desc, id desc);

-- A refund goes back the way the money came: one part for each transfer.
create table refund_parts (
  merchant_id text not null,
  refund_id text not null,
  id text not null,
  transfer_id text not null,
  rail text not null,
  -- The same amount in the payment's currency and in the rail's.
  amount bigint not null check (amount > 0),
  rail_amount bigint not null check (rail_amount > 0),
  rail_currency text not null,
  state text not null check (state in ('pending', 'completed', 'failed')),
  -- It waits for a destination.
  requires_destination boolean not null default false,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create index refund_parts_by_refund on refund_parts (merchant_id, refund_id);
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
