-- Since nothing more is to be paid: when its open payments are looked through, to end those that nobody has begun to pay.
alter table invoices add column closing_at timestamptz;
create index invoices_closing on invoices (closing_at) where closing_at is not null;

-- Whose credit it is: the customer's, or the invoice's where nobody knows who its customer is.
alter table customer_credits rename column customer_id to holder;

-- What a coin that came was worth at the market when it was counted: smallest units of `currency` for one smallest unit of
-- what came. Nothing is written where no rate was known at that moment.
create table transfer_rates (
  merchant_id text not null,
  transfer_id text not null,
  currency text not null,
  rate_numerator numeric(78, 0) not null check (rate_numerator > 0),
  rate_denominator numeric(78, 0) not null check (rate_denominator > 0),
  as_of timestamptz not null,
  primary key (merchant_id, transfer_id)
);
