-- Figures of payments for reports, kept up by the transaction of each change.
--
-- A trigger appends what a statement changed to payment_figure_changes, so that concurrent payments never wait for one
-- row. A sweep adds these rows to payment_figures. A reader sums both tables in one statement, so it is always exact.

-- Counts, and amounts in minor units of `currency`. The quarters of an hour begin days in every time zone.
create table payment_figures (
  merchant_id text not null,
  livemode boolean not null,
  -- The quarter of an hour: of the creation for created … refunded, of the completion for paid … returned, and
  -- '-infinity' for the amounts of all times.
  at timestamptz not null,
  currency text not null,
  -- 'none' before the payer has chosen.
  method text not null,
  settlement_asset text not null,
  -- Created payments, and how many of them have each status now.
  created bigint not null,
  pending bigint not null,
  completed bigint not null,
  failed bigint not null,
  refunded bigint not null,
  -- Completed payments, what they received and what was refunded of it.
  paid bigint not null,
  received bigint not null,
  returned bigint not null,
  -- Of all times: delivered to the merchant, kept in the balance, and on its way to either.
  settled bigint not null,
  available bigint not null,
  waiting bigint not null,
  primary key (merchant_id, livemode, at, currency, method, settlement_asset)
);

create table payment_figure_changes (like payment_figures);
create index payment_figure_changes_of_merchant on payment_figure_changes (merchant_id, livemode, at);

-- What one payment adds to the figures.
create function payment_figures_of(created_at timestamptz, completed_at timestamptz, status text, amount_received bigint,
    amount_refunded bigint, settled bigint, available bigint, kept bigint)
  returns table (at timestamptz, created int, pending int, completed int, failed int, refunded int,
    paid int, received bigint, returned bigint, settled bigint, available bigint, waiting bigint)
  language sql immutable as $$
    select * from (values
      (date_bin('15 minutes', $1, '2000-01-01Z'), 1, ($3 = 'pending')::int, ($3 = 'completed')::int,
        ($3 = 'failed')::int, ($3 = 'refunded')::int, 0, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint),
      (date_bin('15 minutes', $2, '2000-01-01Z'), 0, 0, 0, 0, 0, 1, $4, $5, 0, 0, 0),
      ('-infinity', 0, 0, 0, 0, 0, 0, 0, 0, $6, $7, case when $2 is null then 0 else greatest($8 - $6 - $7, 0) end)
    ) f (at, created, pending, completed, failed, refunded, paid, received, returned, settled, available, waiting)
    where f.at is not null
  $$;

create function payments_count_figures() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into payment_figure_changes
      select p.merchant_id, p.livemode, f.at, p.currency, coalesce(p.method, 'none'), p.settlement_asset, sum(f.created),
        sum(f.pending), sum(f.completed), sum(f.failed), sum(f.refunded), sum(f.paid), sum(f.received), sum(f.returned),
        sum(f.settled), sum(f.available), sum(f.waiting)
      from new_rows p
      cross join lateral payment_figures_of(p.created_at, p.completed_at, p.status, p.amount_received, p.amount_refunded,
        p.amount_settled + p.amount_direct, p.amount_available,
        p.amount_received - p.amount_suspense - p.amount_refunded - p.amount_refunding) f
      group by 1, 2, 3, 4, 5, 6
      having f.at > '-infinity' or sum(f.settled) <> 0 or sum(f.available) <> 0 or sum(f.waiting) <> 0;
  else
    insert into payment_figure_changes
      select p.merchant_id, p.livemode, f.at, p.currency, coalesce(p.method, 'none'), p.settlement_asset,
        sum(p.sign * f.created), sum(p.sign * f.pending), sum(p.sign * f.completed), sum(p.sign * f.failed),
        sum(p.sign * f.refunded), sum(p.sign * f.paid), sum(p.sign * f.received), sum(p.sign * f.returned),
        sum(p.sign * f.settled), sum(p.sign * f.available), sum(p.sign * f.waiting)
      from (select 1 as sign, * from new_rows union all select -1, * from old_rows) p
      cross join lateral payment_figures_of(p.created_at, p.completed_at, p.status, p.amount_received, p.amount_refunded,
        p.amount_settled + p.amount_direct, p.amount_available,
        p.amount_received - p.amount_suspense - p.amount_refunded - p.amount_refunding) f
      group by 1, 2, 3, 4, 5, 6
      having sum(p.sign * f.created) <> 0 or sum(p.sign * f.pending) <> 0 or sum(p.sign * f.completed) <> 0
        or sum(p.sign * f.failed) <> 0 or sum(p.sign * f.refunded) <> 0 or sum(p.sign * f.paid) <> 0
        or sum(p.sign * f.received) <> 0 or sum(p.sign * f.returned) <> 0 or sum(p.sign * f.settled) <> 0
        or sum(p.sign * f.available) <> 0 or sum(p.sign * f.waiting) <> 0;
  end if;
  return null;
end $$;
create trigger payments_figures_of_new after insert on payments
  referencing new table as new_rows for each statement execute function payments_count_figures();
create trigger payments_figures_of_changed after update on payments
  referencing old table as old_rows new table as new_rows for each statement execute function payments_count_figures();

-- The payments that were there before.
insert into payment_figures
  select p.merchant_id, p.livemode, f.at, p.currency, coalesce(p.method, 'none'), p.settlement_asset, sum(f.created),
    sum(f.pending), sum(f.completed), sum(f.failed), sum(f.refunded), sum(f.paid), sum(f.received), sum(f.returned),
    sum(f.settled), sum(f.available), sum(f.waiting)
  from payments p
  cross join lateral payment_figures_of(p.created_at, p.completed_at, p.status, p.amount_received, p.amount_refunded,
    p.amount_settled + p.amount_direct, p.amount_available,
    p.amount_received - p.amount_suspense - p.amount_refunded - p.amount_refunding) f
  group by 1, 2, 3, 4, 5, 6;

-- What waits for a decision of the merchant.
create index payments_by_settlement on payments (merchant_id, livemode, settlement_status, created_at desc, id desc)
  where settlement_status in ('submitted', 'failed');
create index refunds_without_destination on refunds (merchant_id, livemode) where requires_destination and status = 'pending';
