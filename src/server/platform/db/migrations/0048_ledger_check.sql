-- Checks the lines of a statement together, instead of the transaction of each line at the commit. One statement inserts
-- all lines of a transaction, so each statement must sum to zero by itself.
drop trigger ledger_entries_balance on ledger_entries;

create or replace function ledger_check_balance() returns trigger language plpgsql as $$
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
