-- The search finds people by the beginning of their last name, and recipients by the beginning of their e-mail address.
create index recipients_by_last_name on recipients (merchant_id, lower(regexp_replace(name, '^.*\s', '')) text_pattern_ops);
create index customers_by_last_name on customers (merchant_id, livemode, lower(regexp_replace(name, '^.*\s', '')) text_pattern_ops)
  where name is not null;
drop index recipients_by_email;
create index recipients_by_email on recipients (merchant_id, lower(email) text_pattern_ops) where email is not null;
