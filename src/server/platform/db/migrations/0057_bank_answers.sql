--! breaking-change
-- The bank's answers: bytes of any encoding, returns in parts, and answers that an operator must look at.

-- Bytes, because an answer may be compressed or have any encoding. Null: it is too large to be stored.
alter table bank_answers alter column content type bytea using convert_to(content, 'UTF8');
alter table bank_answers alter column content drop not null;

-- Whether the order completed because its day of arrival passed, and not because the bank reported it as paid.
alter table bank_orders add column completed_by_date boolean not null default false;
-- A late answer about a whole file also concerns payments that have ended.
drop index bank_orders_by_file;
create index bank_orders_by_file on bank_orders (file_id) where file_id is not null;

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

insert into bank_returns (rail, order_id, entry, amount, code, message, position, received_at)
  select rail, id, '', returned_amount, failure_code, coalesce(failure_message, ''), return_position, created_at
  from bank_orders where state = 'returned';
alter table bank_orders drop column return_position;

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
