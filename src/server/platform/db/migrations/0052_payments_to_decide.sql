-- Payments whose money the merchant accepts or returns have an exception. Dust has none, so it is no longer listed.
-- Payments cannot be changed while the index is built: one scan of the table.
drop index payments_undecided;
create index payments_to_decide on payments (merchant_id, livemode, created_at desc, id desc)
  where exception in ('underpaid', 'overpaid', 'paid_late');
