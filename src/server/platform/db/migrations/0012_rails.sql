-- Payouts by bank and by mobile money: orders, the files that carry them to a bank, and the bank's answers.

-- The orders that were given to a bank rail.
create table bank_orders (
  rail text not null,
  -- The caller's idempotency key.
  id text not null,
  merchant_id text not null,
  -- The order's name at the bank: EndToEndId in pain.001, individual identification in NACHA.
  reference text not null,
  -- Minor units.
  amount bigint not null,
  currency text not null,
  destination jsonb not null,
  text text,
  state text not null check (state in ('accepted', 'filed', 'completed', 'failed', 'returned')),
  -- Whether the order completed because its day of arrival passed, and not because the bank reported it as paid.
  completed_by_date boolean not null default false,
  file_id text,
  failure_code text,
  failure_message text,
  returned_amount bigint check (returned_amount between 1 and amount),
  -- When a filed order counts as completed unless the bank reports something else. Null: the bank has to report first.
  settles_at timestamptz,
  created_at timestamptz not null,
  primary key (rail, id),
  unique (rail, reference),
  check ((state in ('failed', 'returned')) = (failure_code is not null)),
  check ((state = 'returned') = (returned_amount is not null)),
  check (state not in ('filed', 'completed', 'returned') or file_id is not null)
);
comment on table bank_orders is 'routing: a bank names an order by its reference, before the merchant is known.';
create index bank_orders_accepted on bank_orders (rail, currency, created_at, id) where state = 'accepted';
create index bank_orders_settling on bank_orders (settles_at) where state = 'filed' and settles_at is not null;
-- A late answer about a whole file also concerns payments that have ended.
create index bank_orders_by_file on bank_orders (file_id) where file_id is not null;

-- A file is stored before it is handed over, and handed over by its name until the exchange has taken it.
create table bank_files (
  id text primary key,
  rail text not null,
  name text not null unique,
  content text not null,
  sha256 text not null,
  payments integer not null check (payments > 0),
  state text not null check (state in ('composed', 'sent')),
  -- When it is handed over next; null once the exchange has it.
  due_at timestamptz,
  created_at timestamptz not null,
  check ((state = 'composed') = (due_at is not null))
);
create index bank_files_due on bank_files (due_at) where due_at is not null;
create index bank_files_newest on bank_files (rail, created_at);

-- The answers of banks. The same bytes count once, whatever the name of the file.
create table bank_answers (
  sha256 text primary key,
  name text not null,
  -- Bytes, because an answer may be compressed or have any encoding. Null: it is too large to be stored.
  content bytea,
  -- Reports of payments in the file.
  reports integer not null,
  -- Why it could not be read, or null.
  problem text,
  received_at timestamptz not null
);

-- Each part of an order's money that came back. The parts add up to at most the order's amount.
create table bank_returns (
  rail text not null,
  order_id text not null,
  -- The bank's name of the return. The same return counts once, whatever the file that reports it.
  entry text not null,
  amount bigint not null check (amount > 0),
  code text not null,
  message text not null,
  -- Place among the returns of the rail; it grows in the order of commits. Null: the order had failed, and the return
  -- only confirms that.
  position bigint,
  received_at timestamptz not null,
  primary key (rail, order_id, entry)
);
create unique index bank_returns_feed on bank_returns (rail, position) where position is not null;

-- The last position of each rail's list of returns. The row is locked until the commit, so readers see positions in
-- order.
create table bank_return_positions (
  rail text primary key,
  position bigint not null
);

-- Answers, or parts of answers, that changed nothing or were not understood. Until an operator has handled one, the
-- payments of its files do not complete by date.
create table put_aside_answers (
  id text primary key,
  -- The answer in bank_answers. Null: its bytes could not be read.
  sha256 text,
  -- Name of the file in the inbox.
  name text not null,
  reason text not null check (reason in ('unreadable', 'unsupported', 'unclear', 'unrelated', 'unknown_payment',
    'unknown_file', 'other_currency', 'excess', 'contradiction', 'repeated')),
  message text not null,
  -- Our files, whose payments wait.
  file_ids text[] not null,
  -- The bank's reference of the payment, and the order that has it.
  reference text,
  order_id text,
  -- Decimal text and currency, as the bank wrote them.
  amount text,
  currency text,
  order_amount bigint,
  order_currency text,
  received_at timestamptz not null,
  handled_at timestamptz,
  handled_by text,
  check ((handled_at is null) = (handled_by is null))
);
create index put_aside_answers_open on put_aside_answers (received_at, id) where handled_at is null;
create index put_aside_answers_newest on put_aside_answers (received_at desc, id desc);

-- The orders that were given to M-Pesa. It answers later and to another address, so the connector remembers each order
-- before it sends it. An order is sent once; then only the transaction status of M-Pesa decides.
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
