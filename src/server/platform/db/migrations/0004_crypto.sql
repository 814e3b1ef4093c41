-- Paying on a chain: where payers send to, what they were asked for, what arrived, and how far each account has been
-- read. Amounts of assets are integers of the asset's smallest unit (stroops on Stellar).

alter table payments
  -- Received straight into an account of the merchant's own: never in custody, so neither settled nor refunded from
  -- there.
  add column amount_direct bigint not null default 0 check (amount_direct between 0 and amount_received),
  add column settlement_tx_hash text,
  add column settlement_ledger integer;

-- Where the payer of a payment sends to on a chain: the account, and the tag (muxed id, memo) that says for which
-- payment. It never changes, so whatever is sent there counts, however late.
create table deposit_targets (
  merchant_id text not null,
  payment_id text not null,
  chain text not null,
  network text not null,
  account text not null,
  tag bigint not null check (tag > 0),
  -- The account is the service's own; otherwise the merchant's (direct mode).
  custodial boolean not null,
  created_at timestamptz not null,
  primary key (merchant_id, payment_id, chain)
);

-- Which payment a tag means: what a deposit is found by. The small table that is read without knowing the merchant.
create table deposit_routes (
  network text not null,
  account text not null,
  tag bigint not null,
  merchant_id text not null,
  payment_id text not null,
  primary key (network, account, tag)
);

-- What a payer was asked for, one row a price that was given: `amount` of `asset` stands for `payment_amount` of the
-- payment's currency. None is ever taken back: a deposit is judged by the price that held when it reached the chain.
create table crypto_offers (
  merchant_id text not null,
  payment_id text not null,
  number integer not null,
  chain text not null,
  asset text not null,
  amount bigint not null check (amount > 0),
  payment_amount bigint not null check (payment_amount > 0),
  quote_id text not null,
  -- Arrived under this price, and what of it has been counted in the payment's currency: shares of one price are
  -- rounded together, so that parts never count for less than the whole.
  received bigint not null default 0 check (received >= 0),
  counted bigint not null default 0 check (counted >= 0),
  expires_at timestamptz not null,
  created_at timestamptz not null,
  primary key (merchant_id, payment_id, number)
);

-- Accounts that are read for deposits, and how far; moved by the transaction that books what was read, never ahead.
create table chain_cursors (
  network text not null,
  account text not null,
  chain text not null,
  -- Begins where the chain stood before anybody was told to pay into the account.
  cursor text not null,
  custodial boolean not null,
  -- An account of a merchant is read for as long as somebody may pay into it; null: for ever.
  watch_until timestamptz,
  -- When to look next, by the real time.
  due_at timestamptz not null,
  primary key (network, account)
);
create index chain_cursors_due on chain_cursors (due_at);

alter table transfers
  add column chain text,
  add column tx_hash text,
  add column op_index integer,
  add column ledger bigint,
  add column account text,
  add column memo text,
  add column memo_type text,
  -- Money in an account of the merchant's own (direct mode) is listed, but not on the books.
  add column custodial boolean not null default true,
  -- Why money that names a payment does not count towards it.
  add column problem text check (problem in ('wrong_asset')),
  -- Why it could not be sent back.
  add column failure_code text,
  add column failure_message text,
  -- When it reached the chain, by the merchant's clock.
  add column arrived_at timestamptz,
  drop constraint transfers_status_check,
  add constraint transfers_status_check check (status in ('matched', 'unmatched', 'returning', 'returned')),
  add constraint transfers_on_chain check ((chain is null) = (tx_hash is null) and (chain is null) = (op_index is null));

-- Money that belongs to no payment on its way back to its sender, once a transfer at a time.
create table transfer_returns (
  merchant_id text not null,
  id text not null,
  transfer_id text not null,
  livemode boolean not null,
  rail text not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  destination jsonb,
  state text not null check (state in ('pending', 'completed', 'failed')),
  rail_reference text,
  failure_code text,
  failure_message text,
  attempts integer not null default 0,
  due_at timestamptz,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create index transfer_returns_due on transfer_returns (due_at) where due_at is not null;
create unique index transfer_returns_one_open on transfer_returns (merchant_id, transfer_id) where state <> 'failed';

alter table refunds
  -- Nobody knows where the money is to go; the parts wait until somebody says so.
  add column requires_destination boolean not null default false;
alter table refund_parts add column livemode boolean not null default false;
alter table payment_attempts add column livemode boolean not null default false;

-- Transactions made for payers' wallets. What was handed in is kept before it is handed in.
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
  -- When the network first refused one that had been handed in before; it may have taken the earlier one.
  refused_at timestamptz,
  -- The end of its time bound, by the network's own time.
  valid_until timestamptz not null,
  -- When the network is asked again about one that was handed in, by the real time.
  due_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null,
  submitted_at timestamptz,
  primary key (merchant_id, payment_id, id),
  check ((state = 'built') = (signed_envelope is null))
);
create index wallet_transactions_due on wallet_transactions (due_at) where due_at is not null;

-- As before, with what a chain knows of a transfer.
create or replace view audit_transfers as
  select rail as chain, coalesce(tx_hash, rail_reference) as tx_hash, coalesce(op_index, 0) as op_index, payment_id,
         amount, currency, status, merchant_id, livemode, account, sender, memo, custodial, problem
  from transfers;
create view audit_returns as
  select transfer_id, id, rail, amount, currency, state, rail_reference, created_at, merchant_id from transfer_returns;
create view audit_wallet_transactions as
  select payment_id, id, chain, hash, state, valid_until, created_at, submitted_at, merchant_id
  from wallet_transactions;
