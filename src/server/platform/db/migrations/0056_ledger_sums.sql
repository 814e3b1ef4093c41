-- Balances of merchants' own accounts, kept up by the statement of each posting. A reader no longer sums all entries.
--
-- A trigger appends what a statement posted to ledger_sum_changes, so that concurrent postings never wait for one row. A
-- sweep adds these rows to ledger_sums. A reader sums both tables in one statement, so it is always exact.
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

create function ledger_count_sums() returns trigger language plpgsql as $$
begin
  insert into ledger_sum_changes (merchant_id, livemode, account, currency, amount)
    select merchant_id, livemode, account, currency, sum(amount) from new_entries
    where account like 'merchant.%' group by 1, 2, 3, 4 having sum(amount) <> 0;
  return null;
end $$;
-- The trigger's lock also holds up postings until the entries that exist are summed.
create trigger ledger_entries_sums after insert on ledger_entries
  referencing new table as new_entries for each statement execute function ledger_count_sums();

insert into ledger_sums (merchant_id, livemode, account, currency, amount)
  select merchant_id, livemode, account, currency, sum(amount) from ledger_entries
  where account like 'merchant.%' group by 1, 2, 3, 4;
