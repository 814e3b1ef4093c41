-- What a payment was made for, where it was not made by itself.
alter table payments add column payment_link text;
alter table payments add column invoice text;
create index payments_of_link on payments (merchant_id, payment_link, created_at desc, id desc)
  where payment_link is not null;
create index payments_of_invoice on payments (merchant_id, invoice, created_at desc, id desc)
  where invoice is not null;
