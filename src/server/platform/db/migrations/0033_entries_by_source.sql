-- The entries of a payout, batch, top-up or withdrawal.
create index ledger_transactions_of_resource on ledger_transactions (merchant_id, resource_id)
  where resource_id is not null;
