-- A name (an invoice number, the reference of a link) as `namesIn` finds it in the text of a bank transfer: ASCII letters
-- and digits in capitals. Null for names with other letters, which are not recognised.
create function plain_name(name text) returns text language sql immutable parallel safe
  return case when name ~ '^[ -~]*$' then regexp_replace(upper(name collate "C"), '[^A-Z0-9]', '', 'g') end;

create index invoices_by_plain_number on invoices (merchant_id, plain_name(number)) where number is not null;
create index payment_links_by_plain_reference on payment_links (merchant_id, plain_name(reference))
  where reference is not null;

-- Whether a bank credit without a reference may pay the only payment that waits for its amount.
alter table merchants add column match_bank_credits_by_amount boolean not null default true;
