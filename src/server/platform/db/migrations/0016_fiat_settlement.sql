-- Settlement in a currency: completed payments are paid out to the merchant's bank account or mobile-money wallet.
alter table merchants
  add column settlement_destination jsonb,
  add column settlement_batch text not null default 'payment' check (settlement_batch in ('payment', 'daily')),
  add column settlement_hour smallint not null default 0 check (settlement_hour between 0 and 23);

-- `settling_amount`: the part of `amount_settling`, in the settlement currency. `settlement_id`: the newest settlement
-- that contains money of the payment.
alter table payments
  add column settlement_in_fiat boolean not null default false,
  add column settlement_id text,
  add column settlement_payout text,
  add column settling_amount numeric(78, 0) not null default 0 check (settling_amount >= 0);

create index payments_of_settlement on payments (merchant_id, settlement_id, id) where settlement_id is not null;
-- Debts that the next settlement deducts.
create index payments_in_debt on payments (merchant_id, livemode, settlement_asset, completed_at)
  where settlement_in_fiat and amount_receivable > 0;

-- `amount` = `gross` - `deducted` + `carried`, in minor units. `due_at`: when the settlement closes, or when its ended
-- payments are marked next, by the merchant's clock. `marked_after`: the last marked payment.
create table settlements (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  status text not null check (status in ('open', 'paying', 'paid', 'failed', 'returned')),
  batch text not null check (batch in ('payment', 'daily')),
  currency text not null,
  gross numeric(78, 0) not null default 0 check (gross >= 0),
  deducted numeric(78, 0) not null default 0 check (deducted >= 0),
  carried numeric(78, 0) not null default 0,
  payments integer not null default 0,
  destination jsonb,
  payout_id text,
  failure_code text,
  failure_message text,
  scheduled_at timestamptz,
  due_at timestamptz,
  marked_after text,
  version integer not null default 0,
  created_at timestamptz not null,
  closed_at timestamptz,
  paid_at timestamptz,
  primary key (merchant_id, id),
  check (gross - deducted + carried >= 0)
);
create unique index settlements_open on settlements (merchant_id, livemode, currency) where status = 'open';
create index settlements_due on settlements (due_at) where due_at is not null;
create index settlements_to_send_again on settlements (merchant_id, livemode, status)
  where status in ('failed', 'returned');
create index settlements_listed on settlements (merchant_id, livemode, created_at desc, id desc);

alter table payouts add column settlement_id text;

alter table approvals drop constraint approvals_kind_check;
alter table approvals add constraint approvals_kind_check check (kind in
  ('payout_batch', 'withdrawal', 'refund', 'return', 'conversion', 'approval_limit', 'settlement_destination'));
