--! breaking-change
-- One row for each movement of money that a chain showed. Chains with a mempool and replaceable blocks show it before it
-- is final. A transfer is credited from it once, when it is final.
create table deposits (
  network text not null,
  -- `<transaction hash>:<place in the transaction>`.
  ref text not null,
  tx_hash text not null,
  -- The account or address that received it, and the account whose reading saw it.
  account text not null,
  watched text not null,
  -- Keys of the targets that it may name, the most reliable key first.
  keys text[] not null,
  asset text not null,
  amount numeric(78, 0) not null check (amount > 0),
  memo text,
  memo_type text,
  sender text,
  -- Null: no block contains the transaction.
  block_height bigint,
  block_hash text,
  -- The first time by which its price is judged.
  seen_at timestamptz not null,
  state text not null check (state in ('seen', 'final', 'dropped')),
  check (state <> 'final' or block_height is not null),
  primary key (network, ref)
);
create index deposits_open on deposits (network, watched) where state = 'seen';

-- Whether the account's reading has deposits that are not final yet.
alter table chain_cursors add column has_open boolean not null default false;

-- Tags of targets on chains that count them. One sequence for all networks: chains of one kind may share an extended
-- public key, and then one index must not belong to two payments.
create sequence deposit_tags;
