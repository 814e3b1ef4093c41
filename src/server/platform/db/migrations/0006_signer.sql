-- What the signer has let leave the treasury, a row for each transaction and asset, so that the day's caps hold over
-- restarts and among servers. Rows are dropped once they are too old to count.
create table signer_spend (
  treasury text not null,
  -- Of the transaction that was signed (of its inner one, where it was wrapped).
  hash text not null,
  asset text not null,
  -- In stroops: the most that may leave.
  amount bigint not null check (amount > 0),
  signed_at timestamptz not null,
  primary key (treasury, asset, hash)
);
create index signer_spend_by_time on signer_spend (treasury, asset, signed_at);
