-- Search finds each text by an index.
create index payments_by_settlement_hash on payments (merchant_id, settlement_tx_hash) where settlement_tx_hash is not null;
create index transfers_by_hash on transfers (merchant_id, tx_hash) where tx_hash is not null;
create index transfers_by_reference on transfers (merchant_id, reference) where reference is not null;
create index payment_links_by_reference on payment_links (merchant_id, livemode, reference) where reference is not null;
create index invoices_by_reference on invoices (merchant_id, livemode, reference) where reference is not null;
create index payouts_by_trace on payouts (merchant_id, trace) where trace is not null;
create index recipients_by_email on recipients (merchant_id, lower(email)) where email is not null;
create index recipients_by_name on recipients (merchant_id, lower(name) text_pattern_ops);
create index top_ups_by_reference on top_ups (merchant_id, reference) where reference is not null;
create index withdrawals_by_hash on withdrawals (merchant_id, tx_hash) where tx_hash is not null;
