-- Figures of payments for reports; and the stable audit contract: read-only views for operators and auditors, whose
-- columns do not change meaning.

-- Kept up by the transaction of each change of a payment.
--
-- A trigger appends what a statement changed to payment_figure_changes, so that concurrent payments never wait for one
-- row. A sweep adds these rows to payment_figures. A reader sums both tables in one statement, so it is always exact.
--
-- Counts, and amounts in minor units of `currency`. The half hours begin days in every time zone.
create table payment_figures (
  merchant_id text not null,
  livemode boolean not null,
  -- The half hour: of the creation for created … refunded, of the completion for paid … returned, and
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
create function payment_figures_of(created_at timestamptz, completed_at timestamptz, status text,
    amount_received bigint, amount_refunded bigint, settled bigint, available bigint, kept bigint)
  returns table (at timestamptz, created int, pending int, completed int, failed int, refunded int,
    paid int, received bigint, returned bigint, settled bigint, available bigint, waiting bigint)
  language sql immutable as $$
    select * from (values
      (date_bin('30 minutes', $1, '2000-01-01Z'), 1, ($3 = 'pending')::int, ($3 = 'completed')::int,
        ($3 = 'failed')::int, ($3 = 'refunded')::int, 0, 0::bigint, 0::bigint, 0::bigint, 0::bigint, 0::bigint),
      (date_bin('30 minutes', $2, '2000-01-01Z'), 0, 0, 0, 0, 0, 1, $4, $5, 0, 0, 0),
      ('-infinity', 0, 0, 0, 0, 0, 0, 0, 0, $6, $7, case when $2 is null then 0 else greatest($8 - $6 - $7, 0) end)
    ) f (at, created, pending, completed, failed, refunded, paid, received, returned, settled, available, waiting)
    where f.at is not null
  $$;

-- Payments that look the same to the figures are counted together, and changes that leave the figures as they are not
-- at all: a settlement that begins changes no figure. Disputed money is not on its way to the merchant.
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
create trigger payments_figures_of_new after insert on payments
  referencing new table as new_rows for each statement execute function payments_count_figures();
create trigger payments_figures_of_changed after update on payments
  referencing old table as old_rows new table as new_rows for each statement execute function payments_count_figures();

-- The audit contract.
create view audit_entries as
  select transaction_id as tx_id, account, currency, amount, merchant_id, livemode, created_at from ledger_entries;

create view audit_payments as
  select id, status, amount, currency, settlement_tx_hash as settled_tx, phase, exception, amount_received,
         amount_refunded, merchant_id, livemode, settlement_status, amount_settled, amount_settling, amount_receivable,
         capture_method
  from payments;

create view audit_transfers as
  select rail as chain, coalesce(tx_hash, rail_reference) as tx_hash,
         case when tx_hash is null then 0 else coalesce(substring(rail_reference from ':([0-9]+)$')::integer, 0) end
           as op_index,
         payment_id, amount, currency, status, merchant_id, livemode, account, sender, memo, custodial, problem
  from transfers;

create view audit_returns as
  select resource_id as transfer_id, id, rail, amount, asset as currency,
         case when state in ('completed', 'failed') then state else 'pending' end as state, reference as rail_reference,
         created_at, merchant_id
  from outbound_transfers where purpose = 'return';

create view audit_wallet_transactions as
  select payment_id, id, chain, hash, state, valid_until, created_at, submitted_at, merchant_id
  from wallet_transactions;

-- Attempts at taking money (payment_id) and at sending it (payout_id: the settlement or refund). Two attempts of one
-- payout are valid at the same time only when they share `inner_hash`: the same transaction with a higher fee.
create view audit_attempts as
  select payment_id, id as attempt_id, rail, rail_reference, state, amount, created_at, merchant_id,
         null::text as payout_id, null::text as hash, null::text as inner_hash, null::integer as max_ledger,
         null::timestamptz as max_time, null::integer as ended_ledger, null::timestamptz as ended_at
  from payment_attempts
  union all
  select null, e.id, e.lane, h.hash, e.state, t.amount, h.created_at, t.merchant_id,
         t.resource_id, h.hash, e.detail ->> 'inner_hash', e.expires_block::integer, e.expires_at, e.ended_block::integer,
         e.ended_at
  from carrier_transfers c
  join outbound_transfers t on t.merchant_id = c.merchant_id and t.id = c.transfer_id
  join carriers e on e.id = c.carrier_id
  join carrier_hashes h on h.carrier_id = e.id;

create view audit_transitions as
  select resource_id, seq, from_phase as "from", to_phase as "to", event_id, at, merchant_id from transitions;

create view audit_events as
  select id, resource_id, type, sequence, created_at, merchant_id from events;

create view audit_deliveries as
  select event_id, endpoint_id, attempts, delivered_at, status, merchant_id from webhook_deliveries;

create view audit_idempotency as
  select merchant_id as merchant, key, encode(fingerprint, 'hex') as request_hash, resource_id, path
  from idempotency_keys;

-- What was issued, paid, credited and kept.
create view audit_invoices as
  select id, number, status, currency, total, tax_total, amount_paid, amount_credited, amount_overpaid, amount_refunded,
         exchange_difference, issue_date, due_date, customer_id, merchant_id, livemode, created_at
  from invoices;

create view audit_invoice_transactions as
  select id, invoice_id, type, amount, amount_overpaid, currency, payment_id, credit_note_id, exchange_difference, paid_at,
         merchant_id, livemode, created_at
  from invoice_transactions;

create view audit_credit_notes as
  select id, number, invoice_id, currency, amount, tax_total, amount_to_credit, issue_date, merchant_id, livemode, created_at
  from credit_notes;

create view audit_customer_credits as
  select holder, currency, amount, merchant_id, livemode from customer_credits;

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
