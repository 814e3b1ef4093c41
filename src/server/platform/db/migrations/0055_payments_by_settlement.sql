-- The filter by settlement status also finds rare pending and settled payments by the index. An unpaid payment is not in
-- it, so creation costs the same. Payments cannot be changed while the index is built: one scan of the table.
drop index payments_by_settlement;
create index payments_by_settlement on payments (merchant_id, livemode, settlement_status, created_at desc, id desc)
  where settlement_status <> 'none';
