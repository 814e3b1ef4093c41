-- Settlements whose money stays in the merchant's balance.
alter table settlements
  add column event_sequence integer not null default 0,
  drop constraint settlements_status_check,
  add constraint settlements_status_check check (status in ('open', 'paying', 'paid', 'failed', 'returned', 'kept'));

-- All payouts of a settlement: one more for each time it was sent again.
create index payouts_of_settlement on payouts (merchant_id, settlement_id, created_at desc)
  where settlement_id is not null;
