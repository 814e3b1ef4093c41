-- Customers: one for each e-mail address of a merchant and mode. A payment or an invoice with a new address makes one.

create table customers (
  merchant_id text not null,
  -- Derived from the address, so that payments and invoices know the id without a look at this table.
  id text not null,
  livemode boolean not null,
  email text not null,
  name text,
  phone text,
  address jsonb,
  tax_id text,
  description text,
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create index customers_newest on customers (merchant_id, livemode, created_at desc, id desc);
create index customers_by_email on customers (merchant_id, livemode, lower(email) text_pattern_ops);
create index customers_by_name on customers (merchant_id, livemode, lower(name) text_pattern_ops) where name is not null;

-- One statement for many payments. The order of ids keeps concurrent statements from waiting for each other in a circle.
create function payments_know_customers() returns trigger language plpgsql as $$
begin
  insert into customers (merchant_id, id, livemode, email, name, created_at)
    select distinct on (merchant_id, customer_id)
      merchant_id, customer_id, livemode, customer_email, customer_name, created_at
    from new_rows order by merchant_id, customer_id, created_at
    on conflict (merchant_id, id) do nothing;
  return null;
end $$;
create trigger payments_customers after insert on payments
  referencing new table as new_rows for each statement execute function payments_know_customers();

create function invoices_know_customer() returns trigger language plpgsql as $$
begin
  insert into customers (merchant_id, id, livemode, email, name, address, tax_id, created_at)
    values (new.merchant_id, new.customer_id, new.livemode, new.customer ->> 'email', new.customer ->> 'name',
      case when jsonb_typeof(new.customer -> 'address') = 'object' then new.customer -> 'address' end,
      new.customer ->> 'tax_id', new.created_at)
    on conflict (merchant_id, id) do nothing;
  return null;
end $$;
create trigger invoices_customer after insert or update of customer_id on invoices
  for each row when (new.customer_id is not null) execute function invoices_know_customer();

insert into customers (merchant_id, id, livemode, email, name, created_at)
  select distinct on (merchant_id, customer_id)
    merchant_id, customer_id, livemode, customer_email, customer_name, created_at
  from payments order by merchant_id, customer_id, created_at;
insert into customers (merchant_id, id, livemode, email, name, created_at)
  select distinct on (merchant_id, customer_id)
    merchant_id, customer_id, livemode, customer ->> 'email', customer ->> 'name', created_at
  from invoices where customer_id is not null order by merchant_id, customer_id, created_at
  on conflict (merchant_id, id) do nothing;
