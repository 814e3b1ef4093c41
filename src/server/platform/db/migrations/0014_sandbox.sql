-- Test mode's card acquirer, banks, mobile-money operators and Stellar network. The service never reads these tables;
-- it asks the rails, and talks to the network over Horizon's HTTP. No card number and no security code is stored, only
-- the behavior that a test number stands for. On Stellar, amounts are stroops and XDR is base64.

create schema sandbox;

-- Test mode can have several card acquirers. Each knows only its own tokens and charges.
create table sandbox.card_tokens (
  token text primary key,
  brand text not null,
  last4 text not null check (last4 ~ '^[0-9]{4}$'),
  expiry_month integer not null check (expiry_month between 1 and 12),
  expiry_year integer not null,
  -- The behavior of the test number: a key of the table of test cards.
  behavior text not null,
  created_at timestamptz not null,
  rail text not null default 'sandbox_card'
);

create table sandbox.charges (
  id text primary key,
  -- The caller's idempotency key: the same attempt is charged once.
  attempt_id text not null unique,
  payment_id text,
  rail text not null default 'sandbox_card',
  merchant_id text not null,
  payee text not null,
  -- A token made from a card, which one attempt may charge; null for fixed test tokens and refused ones.
  token text unique,
  brand text not null,
  last4 text not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  state text not null check (state in
    ('requires_action', 'authorized', 'captured', 'declined', 'closed', 'canceled', 'released')),
  -- A charge may only authorize: the captured part, and how the card reacts to the capture.
  capture_method text not null default 'automatic' check (capture_method in ('automatic', 'manual')),
  captured_amount bigint check (captured_amount between 1 and amount),
  capture_behavior text not null default 'captured'
    check (capture_behavior in ('captured', 'delayed', 'unanswered', 'declined')),
  -- When the money counts as captured; null: at once.
  captures_at timestamptz,
  code text,
  refund_behavior text not null check (refund_behavior in ('completed', 'pending', 'failed')),
  -- The unguessable part of the 3-D Secure page's address.
  challenge text unique,
  return_url text not null,
  created_at timestamptz not null,
  check ((state = 'declined') = (code is not null))
);

create table sandbox.disputes (
  id text primary key,
  charge_id text not null unique references sandbox.charges,
  amount bigint not null check (amount > 0),
  currency text not null,
  reason text not null,
  evidence text,
  accepted_at timestamptz,
  submitted_at timestamptz,
  created_at timestamptz not null
);

-- The events of the card acquirers, in their order.
create table sandbox.card_events (
  rail text not null,
  position bigint not null,
  merchant_id text not null,
  about text not null check (about in ('charge', 'dispute')),
  reference text not null,
  payment_id text,
  -- Whether it was sent, by an acquirer that sends its events.
  is_sent boolean not null default false,
  primary key (rail, position)
);

-- The last position in each bank's list of credits. Taking the next one locks the row until the credit is committed, so
-- positions become visible in order: a reader of one position has seen all before it.
create table sandbox.bank_feeds (
  rail text primary key,
  position bigint not null
);

create table sandbox.bank_credits (
  rail text not null,
  position bigint not null,
  merchant_id text not null,
  -- The bank's own id of the entry: a repeated id is the same money.
  bank_reference text not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  reference text,
  sender text,
  created_at timestamptz not null,
  primary key (rail, position),
  unique (rail, merchant_id, bank_reference)
);

create table sandbox.refunds (
  rail text not null,
  -- The caller's idempotency key.
  refund_id text not null,
  id text not null unique,
  merchant_id text not null,
  -- The charge or credit that is refunded; null: the money goes to another account.
  original_reference text,
  amount bigint not null check (amount > 0),
  currency text not null,
  outcome text not null check (outcome in ('completed', 'failed')),
  -- When the outcome becomes known; null: at once.
  settles_at timestamptz,
  code text,
  created_at timestamptz not null,
  primary key (rail, refund_id),
  check ((outcome = 'failed') = (code is not null))
);
create index refunds_by_original on sandbox.refunds (rail, merchant_id, original_reference);

-- Test mode's bank: the files that it took, and its answers, which appear in the inbox when they are due.
create table sandbox.bank_files (
  name text primary key,
  -- The message's or file's own number: the bank refuses a repeated one.
  reference text not null unique,
  received_at timestamptz not null
);

create table sandbox.bank_answers (
  name text primary key,
  content text not null,
  due_at timestamptz not null,
  is_archived boolean not null default false
);
create index bank_answers_due on sandbox.bank_answers (due_at) where not is_archived;

create table sandbox.mobile_transfers (
  rail text not null,
  -- The caller's idempotency key.
  order_id text not null,
  id text not null unique,
  merchant_id text not null,
  number text not null,
  amount bigint not null,
  currency text not null,
  outcome text not null check (outcome in ('completed', 'failed')),
  -- When the outcome becomes known.
  settles_at timestamptz not null,
  code text,
  -- Whether the money comes back after it was paid.
  returns boolean not null,
  created_at timestamptz not null,
  primary key (rail, order_id),
  check ((outcome = 'failed') = (code is not null))
);

-- Money that came back. Its positions come from sandbox.bank_feeds, as those of credits.
create table sandbox.mobile_returns (
  rail text not null,
  position bigint not null,
  order_id text not null,
  amount bigint not null,
  primary key (rail, position),
  unique (rail, order_id)
);

-- The last closed ledger. Closing a ledger or queueing a transaction locks this row, so that servers which share the
-- database take turns.
create table sandbox.stellar_header (
  only_one boolean primary key default true check (only_one),
  sequence integer not null,
  hash text not null,
  header_xdr text not null,
  close_time bigint not null,
  base_fee integer not null,
  base_reserve integer not null,
  max_tx_set_size integer not null,
  fee_pool bigint not null,
  total_coins bigint not null,
  id_pool bigint not null,
  -- Deleted entries are kept from this ledger on; a server whose copy is older reads all entries anew.
  deletions_since integer not null,
  -- By the database's clock, which only paces the servers.
  closed_at timestamptz not null
);

-- Entries of the ledger: `LedgerKey` and `LedgerEntry`. A deleted entry keeps its key for a while, so that other
-- servers learn of it.
create table sandbox.stellar_entries (
  key text primary key,
  entry text,
  changed_in integer not null
);
create index stellar_entries_by_change on sandbox.stellar_entries (changed_in);

-- Transactions that wait for the next ledger.
create table sandbox.stellar_queue (
  position bigint generated always as identity primary key,
  hash text not null unique,
  envelope text not null,
  -- The first ledger that may include it; a fault can delay it.
  not_before integer not null default 0
);

-- Closed ledgers. Only the latest empty ones are kept.
create table sandbox.stellar_ledgers (
  sequence integer primary key,
  hash text not null,
  previous_hash text not null,
  header_xdr text not null,
  closed_at timestamptz not null,
  successful_transactions integer not null,
  failed_transactions integer not null,
  -- Of successful transactions, and of all transactions.
  operations integer not null,
  tx_set_operations integer not null,
  total_coins bigint not null,
  fee_pool bigint not null,
  base_fee integer not null,
  base_reserve integer not null,
  max_tx_set_size integer not null
);
create index stellar_ledgers_empty on sandbox.stellar_ledgers (sequence) where tx_set_operations = 0;

-- Ids are those of SEP-35: ledger, place in the ledger, operation.
create table sandbox.stellar_transactions (
  id bigint primary key,
  hash text not null unique,
  inner_hash text,
  ledger integer not null,
  closed_at timestamptz not null,
  successful boolean not null,
  operations integer not null,
  fee_charged bigint not null,
  max_fee bigint not null,
  envelope text not null,
  result text not null
);
create index stellar_transactions_by_inner_hash on sandbox.stellar_transactions (inner_hash)
  where inner_hash is not null;

-- The effect of an operation is in its transaction's envelope and result. `moved` adds amounts that these do not show:
-- into or out of a pool, and out of a claimable balance.
create table sandbox.stellar_operations (
  id bigint primary key,
  payment boolean not null,
  successful boolean not null,
  moved jsonb
);
create index stellar_operations_payments on sandbox.stellar_operations (id) where payment;

-- Accounts, pools and claimable balances of each transaction and operation.
create table sandbox.stellar_transaction_participants (
  participant text not null,
  id bigint not null,
  successful boolean not null,
  primary key (participant, id)
);

create table sandbox.stellar_operation_participants (
  participant text not null,
  id bigint not null,
  payment boolean not null,
  successful boolean not null,
  primary key (participant, id)
);
create index stellar_operation_participants_payments on sandbox.stellar_operation_participants (participant, id)
  where payment;

-- Active faults.
create table sandbox.stellar_faults (
  id integer generated always as identity primary key,
  definition jsonb not null,
  -- Remaining occurrences; null: until it is switched off.
  remaining integer check (remaining >= 0)
);
