-- The books, in double entry. A positive amount is owed to the account. Rows are only ever added, and a statement whose
-- entries do not sum to zero in every currency is refused.

create table ledger_transactions (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  kind text not null,
  payment_id text,
  refund_id text,
  -- Any other object that the transaction belongs to: a payout batch, a payout, a top-up …
  resource_id text,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create index ledger_transactions_of_payment on ledger_transactions (merchant_id, payment_id)
  where payment_id is not null;
-- The entries of a payout, batch, top-up or withdrawal.
create index ledger_transactions_of_resource on ledger_transactions (merchant_id, resource_id)
  where resource_id is not null;

create function ledger_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'ledger rows are immutable' using errcode = 'insufficient_privilege';
end $$;
create trigger ledger_transactions_immutable before update or delete or truncate on ledger_transactions
  for each statement execute function ledger_refuse_change();

create table ledger_entries (
  merchant_id text not null,
  transaction_id text not null,
  line integer not null,
  livemode boolean not null,
  account text not null,
  currency text not null,
  amount numeric(78, 0) not null check (amount <> 0),
  created_at timestamptz not null,
  primary key (merchant_id, transaction_id, line)
);
-- The view merchant_entries in the order of lists.
create index ledger_entries_newest on ledger_entries (merchant_id, livemode, created_at desc)
  where account like 'merchant.%';
-- The view ledger_lines in the order of lists. The lines of many transactions may have the same time.
create index ledger_lines_newest on ledger_entries
  (merchant_id, livemode, created_at desc, (transaction_id || 'L' || line::text) desc);
-- Statements sum the entries of an account since a time.
create index ledger_entries_of_account on ledger_entries (merchant_id, livemode, account, currency, created_at)
  include (amount);

create trigger ledger_entries_immutable before update or delete or truncate on ledger_entries
  for each statement execute function ledger_refuse_change();

-- Checks the lines of a statement together. One statement inserts all lines of a transaction, so each statement must
-- sum to zero by itself.
create function ledger_check_balance() returns trigger language plpgsql as $$
declare
  unbalanced text;
begin
  select transaction_id into unbalanced from new_entries
    group by merchant_id, transaction_id, currency having sum(amount) <> 0 limit 1;
  if found then
    raise exception 'ledger transaction % does not sum to zero', unbalanced using errcode = 'check_violation';
  end if;
  return null;
end $$;
create trigger ledger_entries_balance after insert on ledger_entries
  referencing new table as new_entries for each statement execute function ledger_check_balance();

create function ledger_count_sums() returns trigger language plpgsql as $$
begin
  insert into ledger_sum_changes (merchant_id, livemode, account, currency, amount)
    select merchant_id, livemode, account, currency, sum(amount) from new_entries
    where account like 'merchant.%' group by 1, 2, 3, 4 having sum(amount) <> 0;
  return null;
end $$;
create trigger ledger_entries_sums after insert on ledger_entries
  referencing new table as new_entries for each statement execute function ledger_count_sums();

-- Balances of merchants' own accounts, kept up by the statement of each posting. A reader does not sum all entries.
--
-- A trigger appends what a statement posted to ledger_sum_changes, so that concurrent postings never wait for one row.
-- A sweep adds these rows to ledger_sums. A reader sums both tables in one statement, so it is always exact.
create table ledger_sums (
  merchant_id text not null,
  livemode boolean not null,
  account text not null,
  currency text not null,
  amount numeric(78, 0) not null,
  primary key (merchant_id, livemode, account, currency)
);

create table ledger_sum_changes (like ledger_sums);
create index ledger_sum_changes_of_merchant on ledger_sum_changes (merchant_id, livemode);

-- Entries of merchants' own accounts, each with the payment and refund of its transaction. The id of a line is computed
-- and has no index. Its transaction has one.
create view merchant_entries as
  select e.merchant_id, e.transaction_id || 'L' || e.line as id, e.livemode, e.account, t.kind, e.currency, e.amount,
         t.payment_id, t.refund_id, e.created_at, t.resource_id, e.transaction_id
  from ledger_entries e join ledger_transactions t on t.merchant_id = e.merchant_id and t.id = e.transaction_id
  where e.account like 'merchant.%';

-- Every entry of the ledger with its transaction, for the export of a merchant's books.
create view ledger_lines as
  select e.merchant_id, e.transaction_id || 'L' || e.line::text as id, e.transaction_id, e.livemode, e.account, t.kind,
         e.currency, e.amount, t.payment_id, t.refund_id, t.resource_id, e.created_at
  from ledger_entries e join ledger_transactions t on t.merchant_id = e.merchant_id and t.id = e.transaction_id;

-- Who takes money out of a merchant's available balance locks its row here first, so that two cannot take the same
-- money.
create table balance_locks (
  merchant_id text not null,
  livemode boolean not null,
  currency text not null,
  taken_at timestamptz not null,
  primary key (merchant_id, livemode, currency)
);
