-- Every entry of the ledger with its transaction, for the export of a merchant's books.
create view ledger_lines as
  select e.merchant_id, e.transaction_id || 'L' || e.line::text as id, e.transaction_id, e.livemode, e.account, t.kind,
         e.currency, e.amount, t.payment_id, t.refund_id, t.resource_id, e.created_at
  from ledger_entries e join ledger_transactions t on t.merchant_id = e.merchant_id and t.id = e.transaction_id;

-- The view in the order of lists. The lines of many transactions may have the same time.
create index ledger_lines_newest on ledger_entries
  (merchant_id, livemode, created_at desc, (transaction_id || 'L' || line::text) desc);

-- The id of a line is computed and has no index. Its transaction has one.
create or replace view merchant_entries as
  select e.merchant_id, e.transaction_id || 'L' || e.line as id, e.livemode, e.account, t.kind, e.currency, e.amount,
         t.payment_id, t.refund_id, e.created_at, t.resource_id, e.transaction_id
  from ledger_entries e join ledger_transactions t on t.merchant_id = e.merchant_id and t.id = e.transaction_id
  where e.account like 'merchant.%';
