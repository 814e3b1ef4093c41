-- Received money: by bank and on chains, for payments and top-ups.

-- A row is never deleted; the rail's own reference makes it unique.
create table transfers (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  rail text not null,
  rail_reference text not null,
  payment_id text,
  top_up_id text,
  status text not null check (status in ('matched', 'unmatched', 'awaiting_approval', 'returning', 'returned')),
  amount numeric(78, 0) not null check (amount > 0),
  currency text not null,
  -- In the payment's currency: what counts towards the payment, and what is late or in excess.
  amount_applied bigint not null default 0 check (amount_applied >= 0),
  amount_excess bigint not null default 0 check (amount_excess >= 0),
  reference text,
  sender text,
  -- Set when the money came on a chain. There, rail_reference names the whole place of the deposit: the transaction and
  -- the index of its operation.
  chain text,
  tx_hash text,
  ledger bigint,
  account text,
  memo text,
  memo_type text,
  -- False: received in an account of the merchant's own (direct mode). It is listed, but not in the books.
  custodial boolean not null default true,
  -- How often it was sent back; again only after the return before has failed.
  return_count integer not null default 0,
  -- Why money that names a payment does not count towards it. `late`: crypto arrived for an open payment when none of
  -- its prices held any more.
  problem text check (problem in ('wrong_asset', 'late')),
  -- Whether an uncounted transfer is too small to need the merchant's decision. Each chain has its own limit for a wrong
  -- asset.
  is_dust boolean not null default false,
  -- Whether late crypto was counted at the market rate of its arrival, and not at a price of the payment.
  at_market boolean not null default false,
  -- Why the money could not be returned.
  failure_code text,
  failure_message text,
  -- When it reached the chain, by the merchant's clock.
  arrived_at timestamptz,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  unique (merchant_id, rail, rail_reference),
  constraint transfers_on_chain check ((chain is null) = (tx_hash is null))
);
create index transfers_by_payment on transfers (merchant_id, payment_id);
create index transfers_newest on transfers (merchant_id, livemode, created_at desc, id desc);
-- Nearly all transfers are matched, so the newest of all are read for that filter.
create index transfers_by_status on transfers (merchant_id, livemode, status, created_at desc, id desc)
  where status <> 'matched';
-- The search reads these two.
create index transfers_by_hash on transfers (merchant_id, tx_hash) where tx_hash is not null;
create index transfers_by_reference on transfers (merchant_id, reference) where reference is not null;

-- How far each rail's list of credits was read; moved in the transaction that books the credits.
create table rail_cursors (
  rail text primary key,
  cursor text not null
);

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

-- Where the payer of a payment sends to on a chain. A target never changes, so money sent there counts however late it
-- comes.
create table deposit_targets (
  merchant_id text not null,
  payment_id text not null,
  chain text not null,
  network text not null,
  account text not null,
  -- With the account, the tag makes the target: of Stellar a muxed id, of another chain for example an index.
  tag text not null,
  -- The account is the service's own; otherwise it is the merchant's (direct mode).
  custodial boolean not null,
  created_at timestamptz not null,
  primary key (merchant_id, payment_id, chain)
);

create table deposit_routes (
  network text not null,
  -- Names one target on its network: of Stellar `<account>:<tag>`, of another chain for example an address.
  key text not null,
  merchant_id text not null,
  -- A target belongs to a payment or to a top-up.
  payment_id text,
  top_up_id text,
  primary key (network, key),
  constraint deposit_routes_owner check ((payment_id is null) <> (top_up_id is null))
);
comment on table deposit_routes is 'routing: names the payment or top-up of a deposit by the key of its target';

-- Tags of targets on chains that count them. One sequence for all networks: chains of one kind may share an extended
-- public key, and then one index must not belong to two payments.
create sequence deposit_tags;

-- Crypto prices that a payer was given: `amount` of `asset` stands for `payment_amount` of the payment's currency. No
-- offer is withdrawn: a deposit is converted by the offer that held when it reached the chain.
create table crypto_offers (
  merchant_id text not null,
  payment_id text not null,
  number integer not null,
  chain text not null,
  asset text not null,
  amount numeric(78, 0) not null check (amount > 0),
  payment_amount bigint not null check (payment_amount > 0),
  quote_id text not null,
  -- Received under this offer, and the part already counted in the payment's currency. Both are sums, so that rounding
  -- happens once and several deposits never count for less than one.
  received numeric(78, 0) not null default 0 check (received >= 0),
  counted bigint not null default 0 check (counted >= 0),
  expires_at timestamptz not null,
  created_at timestamptz not null,
  primary key (merchant_id, payment_id, number)
);

-- Accounts that are read for deposits, and how far; moved in the transaction that books the deposits, never ahead of
-- it.
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
  -- Whether the account's reading has deposits that are not final yet.
  has_open boolean not null default false,
  primary key (network, account)
);
create index chain_cursors_due on chain_cursors (due_at);

-- One row for each movement of money that a chain showed. Chains with a mempool and replaceable blocks show it before it
-- is final. A transfer is credited from it once, when it is final.
create table deposits (
  network text not null,
  -- `<transaction hash>:<place in the transaction>`. One transaction may pay several accounts at the same place.
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
  primary key (network, account, ref)
);
create index deposits_open on deposits (network, watched) where state = 'seen';

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
  amount numeric(78, 0) not null check (amount > 0),
  amount_max numeric(78, 0) not null check (amount_max >= amount),
  destination_asset text not null,
  destination_amount numeric(78, 0) not null check (destination_amount > 0),
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

-- Instructions by which the merchant adds money to the balance; they never end. Amounts are in smallest units.
create table top_ups (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  -- An ISO 4217 code or the wire text of an asset.
  currency text not null,
  -- The bank rail or the chain.
  rail text not null,
  -- The remittance reference at a bank; the account and its tag on a chain.
  reference text,
  account text,
  tag text,
  -- The expected amount; null: any.
  amount numeric(78, 0) check (amount > 0),
  amount_received numeric(78, 0) not null default 0 check (amount_received >= 0),
  status text not null check (status in ('awaiting_funds', 'received')),
  metadata jsonb not null default '{}',
  event_sequence integer not null default 1,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  unique (merchant_id, rail, reference),
  check ((reference is null) = (account is not null) and (account is null) = (tag is null))
);
create index top_ups_newest on top_ups (merchant_id, livemode, created_at desc, id desc);
-- For the search.
create index top_ups_by_reference on top_ups (merchant_id, reference) where reference is not null;
