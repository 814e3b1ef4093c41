-- Each filter of the lists of invoices and payment links finds its rows by an index.
create index invoices_by_currency on invoices (merchant_id, livemode, currency, created_at desc, id desc);
create index invoices_by_total on invoices (merchant_id, livemode, total);
create index invoices_by_metadata on invoices using gin (metadata jsonb_path_ops);
create index payment_links_by_currency on payment_links (merchant_id, livemode, currency, created_at desc, id desc);
create index payment_links_by_amount on payment_links (merchant_id, livemode, amount);
create index payment_links_by_metadata on payment_links using gin (metadata jsonb_path_ops);
