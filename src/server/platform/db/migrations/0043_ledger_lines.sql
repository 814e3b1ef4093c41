-- Every entry of the ledger with its transaction, for the export of a merchant's books.
create view ledger_lines as
  select e.merchant_id, e.transaction_id || 'L' || e.line as id, e.transaction_id, e.livemode, e.account, t.kind, e.currency,
         e.amount, t.payment_id, t.refund_id, t.resource_id, e.created_at
  from ledger_entries e join ledger_transactions t on t.merchant_id = e.merchant_id and t.id = e.transaction_id;

-- Both views in the order of lists.
drop index ledger_entries_newest;
create index ledger_entries_newest on ledger_entries (merchant_id, livemode, created_at desc);
