-- The books, in double entry. A positive amount is owed to the account. Rows are only ever added, and a transaction whose
-- entries do not sum to zero in every currency is refused when it commits.

create table ledger_transactions (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  kind text not null,
  payment_id text,
  refund_id text,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);

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
create index ledger_entries_by_account on ledger_entries (merchant_id, livemode, account, currency) include (amount);

-- Entries of merchants' own accounts, each with the payment and refund of its transaction.
create view merchant_entries as
  select e.merchant_id, e.transaction_id || 'L' || e.line as id, e.livemode, e.account, t.kind, e.currency, e.amount,
         t.payment_id, t.refund_id, e.created_at
  from ledger_entries e join ledger_transactions t on t.merchant_id = e.merchant_id and t.id = e.transaction_id
  where e.account like 'merchant.%';

create function ledger_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'ledger rows are immutable' using errcode = 'insufficient_privilege';
end $$;
create trigger ledger_entries_immutable before update or delete or truncate on ledger_entries
  for each statement execute function ledger_refuse_change();
create trigger ledger_transactions_immutable before update or delete or truncate on ledger_transactions
  for each statement execute function ledger_refuse_change();

create function ledger_check_balance() returns trigger language plpgsql as $$
begin
  if exists (
    select from ledger_entries
    where merchant_id = new.merchant_id and transaction_id = new.transaction_id
    group by currency having sum(amount) <> 0
  ) then
    raise exception 'ledger transaction % does not sum to zero', new.transaction_id using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger ledger_entries_balance after insert on ledger_entries
  deferrable initially deferred for each row execute function ledger_check_balance();
