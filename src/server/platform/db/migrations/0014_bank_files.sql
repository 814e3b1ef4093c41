-- Payouts by bank: orders, the files that carry them to the bank, and the bank's answers; and the bank of test mode.

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
  file_id text,
  failure_code text,
  failure_message text,
  returned_amount bigint check (returned_amount between 1 and amount),
  -- Place among the returns of the rail; it grows in the order of commits.
  return_position bigint,
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
create index bank_orders_by_file on bank_orders (file_id) where state = 'filed';
create index bank_orders_settling on bank_orders (settles_at) where state = 'filed' and settles_at is not null;
create unique index bank_orders_returned on bank_orders (rail, return_position) where return_position is not null;

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
  content text not null,
  -- Reports of payments in the file.
  reports integer not null,
  -- Why it could not be read, or null.
  problem text,
  received_at timestamptz not null
);

-- The last position of each rail's list of returns. The row is locked until the commit, so readers see positions in order.
create table bank_return_positions (
  rail text primary key,
  position bigint not null
);

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
