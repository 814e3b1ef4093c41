-- Test mode's Stellar network: its current ledger, the transactions that wait for the next ledger, and its history. The
-- service never reads these tables; it talks to the network over Horizon's HTTP. Amounts are stroops, XDR is base64.

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

-- Entries of the ledger: `LedgerKey` and `LedgerEntry`. A deleted entry keeps its key for a while, so that other servers
-- learn of it.
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
