-- Every filter of a list reads its rows in the order of the list, however rare its value is among a million rows.

create index payments_by_reference on payments (merchant_id, livemode, reference, created_at desc, id desc)
  where reference is not null;
create index payments_of_customer on payments (merchant_id, livemode, customer_id, created_at desc, id desc);
create index payments_by_status on payments (merchant_id, livemode, status, created_at desc, id desc);
create index payments_by_phase on payments (merchant_id, livemode, phase, created_at desc, id desc);
create index payments_by_method on payments (merchant_id, livemode, method, created_at desc, id desc)
  where method is not null;
create index payments_by_currency on payments (merchant_id, livemode, currency, created_at desc, id desc);
create index payments_with_exception on payments (merchant_id, livemode, exception, created_at desc, id desc)
  where exception is not null;
create index payments_by_amount on payments (merchant_id, livemode, amount);
create index payments_by_metadata on payments using gin (metadata jsonb_path_ops);

create index refunds_by_status on refunds (merchant_id, livemode, status, created_at desc, id desc);
create index refunds_by_currency on refunds (merchant_id, livemode, currency, created_at desc, id desc);
-- Nearly all transfers are matched, so the newest of all are read for that filter.
create index transfers_by_status on transfers (merchant_id, livemode, status, created_at desc, id desc)
  where status <> 'matched';
create index invoices_by_status on invoices (merchant_id, livemode, status, created_at desc, id desc);
create index events_by_type on events (merchant_id, livemode, type, created_at desc, id desc);
create index webhook_deliveries_by_status on webhook_deliveries
  (merchant_id, endpoint_id, status, created_at desc, id desc) where status <> 'delivered';
create index payouts_by_status on payouts (merchant_id, livemode, status, created_at desc, id desc);

create index ledger_transactions_of_payment on ledger_transactions (merchant_id, payment_id)
  where payment_id is not null;
-- The view merchant_entries in the order of lists.
create index ledger_entries_newest on ledger_entries (merchant_id, livemode, created_at desc)
  where account like 'merchant.%';
