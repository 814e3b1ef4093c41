-- Payment links, reservations of their uses, and their visits.

create table payment_links (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  status text not null check (status in ('active', 'disabled', 'expired', 'completed')),
  -- Null: the payer names the amount, within custom_amount.
  amount bigint check (amount between 1 and 9007199254740991),
  currency text not null,
  custom_amount jsonb,
  description text,
  reference text,
  line_items jsonb,
  payment_methods text[] not null,
  settlement_asset text not null,
  settlement_address text,
  redirect_url text,
  success_message text,
  locale text,
  metadata jsonb not null default '{}',
  allow_partial boolean not null,
  -- Null: any number.
  max_uses integer check (max_uses >= 1),
  uses integer not null default 0,
  opens integer not null default 0,
  -- Total time, in seconds, that a last reservation was held by payers who did not pay, since the last payment. When it
  -- is too long, reservations no longer block other payers.
  unpaid_reservation_seconds integer not null default 0,
  -- The sum of completed payments in the link's own currency, less what was refunded. A link paid in parts also counts
  -- a forgiven shortfall.
  collected bigint not null default 0,
  -- Received money by currency: minor units as text.
  received jsonb not null default '{}',
  starts_at timestamptz,
  expires_at timestamptz,
  completed_at timestamptz,
  -- Set when the link takes no more payers: when to close its open payments that no payer has begun to pay, and of a
  -- used link those of which a part was paid.
  closing_at timestamptz,
  event_sequence integer not null default 1,
  created_by_key text not null,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  check (not allow_partial or amount is not null)
);
create index payment_links_newest on payment_links (merchant_id, livemode, created_at desc, id desc);
create index payment_links_expiring on payment_links (expires_at) where status in ('active', 'disabled');
create index payment_links_closing on payment_links (closing_at) where closing_at is not null;
-- The search reads the first. The second finds a link by the text of a bank transfer.
create index payment_links_by_reference on payment_links (merchant_id, livemode, reference) where reference is not null;
create index payment_links_by_plain_reference on payment_links (merchant_id, plain_name(reference))
  where reference is not null;
-- Each filter of the list finds its rows by an index.
create index payment_links_by_currency on payment_links (merchant_id, livemode, currency, created_at desc, id desc);
create index payment_links_by_amount on payment_links (merchant_id, livemode, amount);
create index payment_links_by_metadata on payment_links using gin (metadata jsonb_path_ops);

create table payment_link_routes (
  link_id text primary key,
  merchant_id text not null
);
comment on table payment_link_routes is 'routing: names the merchant of a link''s public address';

-- Reservations on links with a limited number of payments. A payment reserves from the moment its money is on its way.
create table payment_link_reservations (
  merchant_id text not null,
  payment_id text not null,
  link_id text not null,
  livemode boolean not null,
  amount bigint not null,
  -- lost: no use was left; money received for the payment is returned.
  state text not null check (state in ('reserved', 'lost')),
  -- reserved: when the payer's reservation ends unless the payer is active. lost: when to return received money.
  due_at timestamptz,
  reserved_at timestamptz,
  primary key (merchant_id, payment_id)
);
create index payment_link_reservations_of_link on payment_link_reservations (merchant_id, link_id)
  where state = 'reserved';
create index payment_link_reservations_due on payment_link_reservations (due_at) where due_at is not null;

-- Visitors of a link as keyed hashes, to count each once a day.
create table payment_link_visits (
  merchant_id text not null,
  link_id text not null,
  visitor bytea not null,
  -- Keyed hash of the visitor's network; only a few visitors of one network are counted separately.
  network bytea,
  -- False: the sweep still has to count the visit on the link, so that visitors do not wait for the link's row.
  told boolean not null default true,
  seen_at timestamptz not null,
  primary key (merchant_id, link_id, visitor)
);
create index payment_link_visits_old on payment_link_visits (seen_at);
create index payment_link_visits_of_network on payment_link_visits (merchant_id, link_id, network, seen_at);
create index payment_link_visits_untold on payment_link_visits (merchant_id, link_id) where not told;
