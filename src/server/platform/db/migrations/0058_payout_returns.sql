-- Payouts whose money came back in part: they stay completed until all of it is back.

-- What was credited again, in smallest units of source_currency.
alter table payouts add column returned_amount bigint not null default 0
  check (returned_amount between 0 and source_amount);

-- Payouts that were returned before count as returned in whole where all of their money came back.
update payouts p set returned_amount = div(p.source_amount::numeric
    * coalesce((select least(sum(r.amount), coalesce(p.paid_amount, p.amount)) from payout_returns r
      join outbound_transfers o on o.merchant_id = r.merchant_id and o.id = r.order_id and o.attempt = p.attempt
      where r.merchant_id = p.merchant_id and r.booked and o.purpose = 'payout' and o.resource_id = p.id),
      coalesce(p.paid_amount, p.amount)), coalesce(p.paid_amount, p.amount))::bigint
  where p.status = 'returned';

do $$ declare name text; begin
  select conname into strict name from pg_constraint
    where conrelid = 'payouts'::regclass and contype = 'c' and pg_get_constraintdef(oid) like '%failure_code%';
  execute format('alter table payouts drop constraint %I', name);
end $$;
-- A completed payout tells why a part of its money came back.
alter table payouts add constraint payouts_failure check (
  case when status in ('failed', 'returned') then failure_code is not null
    else failure_code is null or returned_amount > 0 end);
