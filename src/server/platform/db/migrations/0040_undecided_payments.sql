-- Payments that wait for the merchant's decision: few among many, for the list and for the count of the dashboard's home.
create index payments_undecided on payments (merchant_id, livemode, created_at desc, id desc)
  where (status <> 'pending' or phase in ('partially_paid', 'authorized'))
    and (amount_suspense > 0 or (amount_direct > 0 and completed_at is null));
