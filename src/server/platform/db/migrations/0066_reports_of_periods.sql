-- Reports of a period read the rows of the period, not all rows of the merchant.

-- Statements sum the entries of an account since a time. The time is part of the index of an account's entries.
create index ledger_entries_of_account on ledger_entries (merchant_id, livemode, account, currency, created_at)
  include (amount);
drop index ledger_entries_by_account;

-- The tax report reads the documents that were issued in a period.
create index invoices_by_issue_date on invoices (merchant_id, livemode, issue_date, id) where issue_date is not null;
create index credit_notes_by_issue_date on credit_notes (merchant_id, livemode, issue_date, invoice_id);
