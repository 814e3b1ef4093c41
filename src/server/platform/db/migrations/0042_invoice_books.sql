--! breaking-change
-- Invoices, credit notes and customer credit in the ledger. Servers of older releases would change invoices without
-- postings, so they refuse the database.

-- What the ledger holds of each sent invoice, and what follows from the invoice's own rows. The two are equal.
create view audit_invoice_accounts as
  with notes as (
    select merchant_id, invoice_id, sum(amount) as amount, sum(tax_total) as tax, sum(amount_to_credit) as to_credit
    from credit_notes group by 1, 2
  ), moves as (
    select merchant_id, invoice_id,
      coalesce(sum(amount + amount_overpaid) filter (where type not in ('credit_note', 'credit_applied')), 0) as money,
      coalesce(sum(amount + amount_overpaid) filter (where type = 'recorded_payment'), 0) as recorded,
      sum(amount_overpaid) - coalesce(sum(amount) filter (where type = 'credit_applied'), 0) as credit,
      coalesce(sum(amount) filter (where type = 'refund'), 0) as refunded
    from invoice_transactions group by 1, 2
  ), kept as (
    select merchant_id, owner_id as invoice_id,
      sum(amount_received - amount_suspense - amount_refunded - amount_refunding - amount_disputed) as amount
    from payments where owner_type = 'invoice' and completed_at is not null group by 1, 2
  ), issued as (
    select i.merchant_id, i.id, i.livemode, i.currency, i.status, i.tax_total, i.total,
      i.total - i.amount_paid - i.amount_credited as remaining, i.amount_credited, i.exchange_difference,
      coalesce(n.amount, 0) as noted, coalesce(n.tax, 0) as noted_tax, coalesce(n.to_credit, 0) as to_credit,
      coalesce(m.money, 0) as money, coalesce(m.recorded, 0) + coalesce(k.amount, 0) as received,
      coalesce(m.credit, 0) as credit, coalesce(m.refunded, 0) as refunded
    from invoices i
    left join notes n on n.merchant_id = i.merchant_id and n.invoice_id = i.id
    left join moves m on m.merchant_id = i.merchant_id and m.invoice_id = i.id
    left join kept k on k.merchant_id = i.merchant_id and k.invoice_id = i.id
    where i.number is not null
  ), asked as (
    select i.merchant_id, i.id as invoice_id, i.livemode, i.currency, a.account, a.amount
    from issued i cross join lateral (values
      ('invoices.receivable', case when status in ('void', 'uncollectible') then 0 else -remaining end),
      ('invoices.losses', case status when 'uncollectible' then -remaining when 'void' then total - remaining - noted else 0 end),
      ('invoices.revenue', case status when 'void' then 0 else total - tax_total - noted + noted_tax end),
      ('invoices.tax', case status when 'void' then 0 else tax_total - noted_tax end),
      ('invoices.credit', credit),
      ('invoices.refunded', refunded + noted - to_credit - amount_credited),
      ('invoices.received', -received),
      ('invoices.tolerated', received - money),
      ('exchange_difference', coalesce(exchange_difference, 0))
    ) as a (account, amount)
  ), booked as (
    select e.merchant_id, coalesce(t.resource_id, p.owner_id) as invoice_id, e.livemode, e.currency, e.account,
      sum(e.amount) as amount
    from ledger_entries e
    join ledger_transactions t on t.merchant_id = e.merchant_id and t.id = e.transaction_id
    left join payments p on p.merchant_id = t.merchant_id and p.id = t.payment_id and t.resource_id is null
    where e.account like 'invoices.%' or e.account = 'exchange_difference'
    group by 1, 2, 3, 4, 5
  )
  select merchant_id, invoice_id, livemode, account, currency, coalesce(a.amount, 0) as invoice_amount,
    coalesce(b.amount, 0) as ledger_amount
  from asked a full join booked b using (merchant_id, invoice_id, livemode, account, currency);

create view audit_invoice_differences as
  select * from audit_invoice_accounts where invoice_amount <> ledger_amount;

-- Credit of customers that differs from the ledger's account `invoices.credit`.
create view audit_customer_credit_differences as
  select merchant_id, livemode, holder, currency, coalesce(kept.amount, 0) as credit_amount,
    coalesce(booked.amount, 0) as ledger_amount
  from (select merchant_id, livemode, holder, currency, amount from customer_credits) kept
  full join (
    select a.merchant_id, a.livemode, coalesce(i.customer_id, i.id) as holder, a.currency, sum(a.ledger_amount) as amount
    from audit_invoice_accounts a join invoices i on i.merchant_id = a.merchant_id and i.id = a.invoice_id
    where a.account = 'invoices.credit' group by 1, 2, 3, 4
  ) booked using (merchant_id, livemode, holder, currency)
  where coalesce(kept.amount, 0) <> coalesce(booked.amount, 0);

-- Posts what the ledger lacks of each invoice, as one transaction of the kind `invoice_opening`, and returns the number of
-- invoices. Repeated calls post nothing. An invoice whose rows contradict each other gets none and stays a difference.
create function post_invoice_openings() returns bigint language plpgsql as $$
declare
  posted bigint;
begin
  perform pg_advisory_xact_lock(hashtext('post_invoice_openings'));
  with missing as materialized (
    select *, invoice_amount - ledger_amount as amount from audit_invoice_differences where account like 'invoices.%'
  ), opened as materialized (
    select merchant_id, invoice_id, livemode, 'txn_' || left(replace(gen_random_uuid()::text, '-', ''), 22) as id
    from missing group by 1, 2, 3 having sum(amount) = 0
  ), heads as (
    insert into ledger_transactions (merchant_id, id, livemode, kind, resource_id, created_at)
    select merchant_id, id, livemode, 'invoice_opening', invoice_id, now() from opened returning 1
  ), lines as (
    insert into ledger_entries (merchant_id, transaction_id, line, livemode, account, currency, amount, created_at)
    select merchant_id, o.id, row_number() over (partition by merchant_id, o.id order by account), livemode, account, currency,
      amount, now()
    from opened o join missing using (merchant_id, invoice_id, livemode)
  )
  select count(*) into posted from heads;
  return posted;
end $$;

select post_invoice_openings();
