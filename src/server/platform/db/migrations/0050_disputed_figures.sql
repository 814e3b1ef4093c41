--! breaking-change
-- Disputed money is not on its way to the merchant, so `waiting` no longer counts it. Drops payments.disputed, which
-- amount_disputed replaces. Servers of older releases still write that column, so they refuse the database.

-- Payments can be neither read nor written until the end. Only disputed payments are read, so this is short.
lock table payments in access exclusive mode;

create or replace function payments_count_figures() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into payment_figure_changes
      select p.merchant_id, p.livemode, f.at, p.currency, coalesce(p.method, 'none'), p.settlement_asset, sum(f.created),
        sum(f.pending), sum(f.completed), sum(f.failed), sum(f.refunded), sum(f.paid), sum(f.received), sum(f.returned),
        sum(f.settled), sum(f.available), sum(f.waiting)
      from new_rows p
      cross join lateral payment_figures_of(p.created_at, p.completed_at, p.status, p.amount_received, p.amount_refunded,
        p.amount_settled + p.amount_direct, p.amount_available,
        p.amount_received - p.amount_suspense - p.amount_refunded - p.amount_refunding - p.amount_disputed) f
      group by 1, 2, 3, 4, 5, 6
      having f.at > '-infinity' or sum(f.settled) <> 0 or sum(f.available) <> 0 or sum(f.waiting) <> 0;
  else
    insert into payment_figure_changes
      select p.merchant_id, p.livemode, f.at, p.currency, p.method, p.settlement_asset,
        sum(p.added * f.created), sum(p.added * f.pending), sum(p.added * f.completed), sum(p.added * f.failed),
        sum(p.added * f.refunded), sum(p.added * f.paid), sum(p.added * f.received), sum(p.added * f.returned),
        sum(p.added * f.settled), sum(p.added * f.available), sum(p.added * f.waiting)
      from (
        -- How many more payments of each kind there are after the statement.
        select merchant_id, livemode, currency, coalesce(method, 'none') as method, settlement_asset, status,
          date_bin('30 minutes', created_at, '2000-01-01Z') as created_at,
          date_bin('30 minutes', completed_at, '2000-01-01Z') as completed_at,
          amount_received, amount_refunded, amount_settled + amount_direct as settled, amount_available as available,
          amount_received - amount_suspense - amount_refunded - amount_refunding - amount_disputed as kept,
          sum(sign) as added
        from (select 1 as sign, * from new_rows union all select -1, * from old_rows) rows
        group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
        having sum(sign) <> 0
      ) p
      cross join lateral payment_figures_of(p.created_at, p.completed_at, p.status, p.amount_received, p.amount_refunded,
        p.settled, p.available, p.kept) f
      group by 1, 2, 3, 4, 5, 6
      having sum(p.added * f.created) <> 0 or sum(p.added * f.pending) <> 0 or sum(p.added * f.completed) <> 0
        or sum(p.added * f.failed) <> 0 or sum(p.added * f.refunded) <> 0 or sum(p.added * f.paid) <> 0
        or sum(p.added * f.received) <> 0 or sum(p.added * f.returned) <> 0 or sum(p.added * f.settled) <> 0
        or sum(p.added * f.available) <> 0 or sum(p.added * f.waiting) <> 0;
  end if;
  return null;
end $$;

-- What earlier disputes leave too much in the figures.
insert into payment_figure_changes
  select p.merchant_id, p.livemode, '-infinity', p.currency, coalesce(p.method, 'none'), p.settlement_asset,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, sum(greatest(c.waiting - p.amount_disputed, 0) - c.waiting)
  from payments p
  cross join lateral (select greatest(p.amount_received - p.amount_suspense - p.amount_refunded - p.amount_refunding
    - p.amount_settled - p.amount_direct - p.amount_available, 0) as waiting) c
  where (p.merchant_id, p.id) in (select merchant_id, payment_id from disputes)
    and p.amount_disputed > 0 and p.completed_at is not null and c.waiting > 0
  group by 1, 2, 4, 5, 6;

alter table payments drop column disputed;
