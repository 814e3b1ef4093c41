-- Test mode's card acquirer and banks. The service never reads these tables; it asks the rails. No card number and no
-- security code is stored, only the behavior that a test number stands for.

create schema sandbox;

create table sandbox.card_tokens (
  token text primary key,
  brand text not null,
  last4 text not null check (last4 ~ '^[0-9]{4}$'),
  expiry_month integer not null check (expiry_month between 1 and 12),
  expiry_year integer not null,
  -- The behavior of the test number: a key of the table of test cards.
  behavior text not null,
  created_at timestamptz not null
);

create table sandbox.charges (
  id text primary key,
  -- The caller's idempotency key: the same attempt is charged once.
  attempt_id text not null unique,
  merchant_id text not null,
  payee text not null,
  -- A token made from a card, which one attempt may charge; null for fixed test tokens and refused ones.
  token text unique,
  brand text not null,
  last4 text not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  state text not null check (state in ('requires_action', 'captured', 'declined', 'closed', 'canceled')),
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
  created_at timestamptz not null
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
