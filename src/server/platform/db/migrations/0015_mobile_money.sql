-- Mobile money: the orders that were given to M-Pesa, and the mobile-money operators of test mode.

-- M-Pesa answers later and to another address, so the connector remembers each order before it sends it. An order is
-- sent once; then only M-Pesa's transaction status decides.
create table mpesa_orders (
  merchant_id text not null,
  -- The outbound transfer.
  order_id text not null,
  -- The OriginatorConversationID, derived from order_id.
  reference text not null,
  -- Minor units of KES.
  amount bigint not null check (amount > 0),
  state text not null default 'sent' check (state in ('sent', 'accepted', 'completed', 'failed')),
  -- M-Pesa's ConversationID, once it has accepted the order.
  conversation_id text,
  -- When the status was asked for last; null: ask now.
  asked_at timestamptz,
  -- The ResultCode that a callback reported. It decides nothing; it names the reason of a failure that is confirmed.
  reported_code text,
  receipt text,
  failure_code text,
  failure_message text,
  created_at timestamptz not null,
  primary key (merchant_id, order_id),
  check ((state = 'failed') = (failure_code is not null))
);
create index mpesa_orders_by_order on mpesa_orders (order_id);

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
