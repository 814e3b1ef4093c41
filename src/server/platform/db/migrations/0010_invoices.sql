-- Invoices, what was paid and credited on them, reminders and recurring invoices.

create table invoices (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  status text not null check (status in
    ('draft', 'sent', 'viewed', 'partially_paid', 'paid', 'overdue', 'void', 'uncollectible')),
  -- Given on sending, from the counter of the prefix.
  number text,
  number_prefix text not null,
  customer_id text,
  customer jsonb not null,
  currency text not null,
  -- Computed lines, tax rates and discounts, as the API returns them.
  lines jsonb not null,
  taxes jsonb not null,
  discount jsonb,
  subtotal bigint not null check (subtotal >= 0),
  discount_total bigint not null check (discount_total >= 0),
  tax_total bigint not null check (tax_total >= 0),
  tax_included bigint not null check (tax_included >= 0),
  total bigint not null check (total between 0 and 9007199254740991),
  -- amount_paid: by payments, recorded payments and credit. amount_credited: by credit notes. Together at most the
  -- total.
  amount_paid bigint not null default 0 check (amount_paid >= 0),
  amount_credited bigint not null default 0 check (amount_credited >= 0),
  -- Excess money, which became the customer's credit.
  amount_overpaid bigint not null default 0 check (amount_overpaid >= 0),
  amount_refunded bigint not null default 0 check (amount_refunded >= 0),
  exchange_difference bigint,
  due_date text,
  days_until_due integer,
  issue_date text,
  deposit jsonb,
  -- The requested instalments, and the amounts that follow from them.
  installments jsonb not null default '[]',
  plan jsonb not null default '[]',
  allow_partial boolean not null,
  payment_methods text[] not null,
  settlement_asset text not null,
  reference text,
  exchange jsonb,
  memo text,
  -- What e-invoices say beyond the printed details: references of the buyer, delivery day or service period.
  details jsonb not null default '{}',
  footer text,
  reminders jsonb not null,
  locale text not null,
  metadata jsonb not null default '{}',
  -- The merchant's details as they were on sending.
  seller jsonb,
  sent_to text,
  -- The first moment at which a part becomes overdue; null when none can.
  overdue_at timestamptz,
  -- Set when nothing more is to be paid: when to close its open payments that no payer has begun to pay.
  closing_at timestamptz,
  views integer not null default 0,
  sent_at timestamptz,
  viewed_at timestamptz,
  paid_at timestamptz,
  voided_at timestamptz,
  event_sequence integer not null default 1,
  version integer not null default 1,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  check ((status = 'draft') = (number is null)),
  check (amount_paid + amount_credited <= total),
  check (subtotal - discount_total + tax_total - tax_included = total)
)
-- An invoice changes several times after its creation. Free room on its page lets such a change skip the indexes.
with (fillfactor = 60);
create unique index invoices_by_number on invoices (merchant_id, livemode, number) where number is not null;
create index invoices_newest on invoices (merchant_id, livemode, created_at desc, id desc);
create index invoices_of_customer on invoices (merchant_id, customer_id, created_at desc, id desc);
create index invoices_overdue on invoices (overdue_at) where overdue_at is not null;
create index invoices_closing on invoices (closing_at) where closing_at is not null;
create index invoices_by_status on invoices (merchant_id, livemode, status, created_at desc, id desc);
-- The search reads the first. The second finds an invoice by the text of a bank transfer.
create index invoices_by_reference on invoices (merchant_id, livemode, reference) where reference is not null;
create index invoices_by_plain_number on invoices (merchant_id, plain_name(number)) where number is not null;
-- Each filter of the list finds its rows by an index.
create index invoices_by_currency on invoices (merchant_id, livemode, currency, created_at desc, id desc);
create index invoices_by_total on invoices (merchant_id, livemode, total);
create index invoices_by_metadata on invoices using gin (metadata jsonb_path_ops);
-- The tax report reads the documents that were issued in a period.
create index invoices_by_issue_date on invoices (merchant_id, livemode, issue_date, id) where issue_date is not null;

-- A sent invoice is immutable: the database refuses to delete it or to change its content. Its status, recipient and
-- amounts paid still change.
create function invoice_refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or
    (old.number, old.number_prefix, old.livemode, old.currency, old.lines, old.taxes, old.discount, old.subtotal,
     old.discount_total, old.tax_total, old.tax_included, old.total, old.due_date, old.issue_date, old.deposit, old.plan,
     old.reference, old.exchange, old.memo, old.footer, old.locale, old.seller, old.sent_at)
    is distinct from
    (new.number, new.number_prefix, new.livemode, new.currency, new.lines, new.taxes, new.discount, new.subtotal,
     new.discount_total, new.tax_total, new.tax_included, new.total, new.due_date, new.issue_date, new.deposit, new.plan,
     new.reference, new.exchange, new.memo, new.footer, new.locale, new.seller, new.sent_at)
  then
    raise exception 'invoice % was sent and stays as it is', old.number using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
-- Only for statements that name one of these columns: others cannot change them, and need no check of each row.
create trigger invoices_immutable before update of number, number_prefix, livemode, currency, lines, taxes, discount,
    subtotal, discount_total, tax_total, tax_included, total, due_date, issue_date, deposit, plan, reference, exchange, memo,
    footer, locale, seller, sent_at on invoices
  for each row when (old.number is not null) execute function invoice_refuse_change();
create trigger invoices_kept before delete on invoices
  for each row when (old.number is not null) execute function invoice_refuse_change();

-- The first invoice to a customer makes the customer. An invoice of a customer without an address may be mailed to one
-- after it was issued. That address does not enter the issued document, so the new customer takes it from sent_to.
create function invoices_know_customer() returns trigger language plpgsql as $$
begin
  insert into customers (merchant_id, id, livemode, email, name, address, tax_id, created_at)
    values (new.merchant_id, new.customer_id, new.livemode, coalesce(new.customer ->> 'email', new.sent_to),
      new.customer ->> 'name', case when jsonb_typeof(new.customer -> 'address') = 'object' then new.customer -> 'address' end,
      new.customer ->> 'tax_id', new.created_at)
    on conflict (merchant_id, id) do nothing;
  return null;
end $$;
create trigger invoices_customer after insert or update of customer_id on invoices
  for each row when (new.customer_id is not null) execute function invoices_know_customer();

create function invoice_refuse_details() returns trigger language plpgsql as $$
begin
  raise exception 'invoice % was sent and stays as it is', old.number using errcode = 'insufficient_privilege';
end $$;
create trigger invoices_details_immutable before update of details on invoices
  for each row when (old.number is not null and old.details is distinct from new.details)
  execute function invoice_refuse_details();

-- The last number of each prefix. Its row is locked until the invoice commits, so numbers have no gap.
create table invoice_counters (
  merchant_id text not null,
  livemode boolean not null,
  prefix text not null,
  last integer not null,
  primary key (merchant_id, livemode, prefix)
);

-- Every change of the amount owed. Rows are only added; exchange_* are set once the value of received crypto is known.
create table invoice_transactions (
  merchant_id text not null,
  id text not null,
  invoice_id text not null,
  livemode boolean not null,
  type text not null check (type in ('payment', 'recorded_payment', 'credit_note', 'credit_applied', 'refund', 'dispute')),
  -- The part that reduces the amount owed (a refund is negative), and the excess.
  amount bigint not null,
  amount_overpaid bigint not null default 0,
  currency text not null,
  payment_id text,
  credit_note_id text,
  method text,
  reference text,
  exchange_due_at timestamptz,
  exchange_difference bigint,
  paid_at timestamptz not null,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create index invoice_transactions_of_invoice on invoice_transactions
  (merchant_id, invoice_id, created_at desc, id desc);
create index invoice_transactions_of_payment on invoice_transactions (merchant_id, payment_id)
  where payment_id is not null;
create index invoice_transactions_exchange on invoice_transactions (exchange_due_at) where exchange_due_at is not null;

-- Credit notes over lines or amounts of sent invoices. They never change.
create table credit_notes (
  merchant_id text not null,
  id text not null,
  invoice_id text not null,
  livemode boolean not null,
  number text not null,
  currency text not null,
  amount bigint not null check (amount > 0),
  taxes jsonb not null,
  tax_total bigint not null,
  -- The lines that the note names, with the credited part of each. Null for a note over an amount of the invoice.
  lines jsonb,
  amount_to_credit bigint not null check (amount_to_credit between 0 and amount),
  reason text,
  memo text,
  metadata jsonb not null default '{}',
  issue_date text not null,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  unique (merchant_id, livemode, number)
);
create index credit_notes_of_invoice on credit_notes (merchant_id, invoice_id, created_at desc, id desc);
create index credit_notes_by_issue_date on credit_notes (merchant_id, livemode, issue_date, invoice_id);

create function credit_note_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'credit notes are immutable' using errcode = 'insufficient_privilege';
end $$;
create trigger credit_notes_immutable before update or delete on credit_notes
  for each statement execute function credit_note_refuse_change();

-- Open credit. The holder is the customer, or the invoice itself when it has no customer.
create table customer_credits (
  merchant_id text not null,
  livemode boolean not null,
  holder text not null,
  currency text not null,
  amount bigint not null check (amount >= 0),
  primary key (merchant_id, livemode, holder, currency)
);

-- E-invoices as they were issued: read once, an XML never changes. Credit notes have their own.
create table issued_xml (
  merchant_id text not null,
  -- The invoice or the credit note.
  document_id text not null,
  format text not null check (format in ('en16931', 'xrechnung')),
  xml text not null,
  created_at timestamptz not null,
  primary key (merchant_id, document_id, format)
);

-- Viewers of an invoice as keyed hashes of an id that their browser keeps.
create table invoice_views (
  merchant_id text not null,
  invoice_id text not null,
  viewer bytea not null,
  viewed_at timestamptz not null,
  primary key (merchant_id, invoice_id, viewer)
);

-- The market value of received crypto when it was counted: smallest units of `currency` for one smallest unit of the
-- coin. There is no row when no rate was known at that moment.
create table transfer_rates (
  merchant_id text not null,
  transfer_id text not null,
  currency text not null,
  rate_numerator numeric(78, 0) not null check (rate_numerator > 0),
  rate_denominator numeric(78, 0) not null check (rate_denominator > 0),
  as_of timestamptz not null,
  primary key (merchant_id, transfer_id)
);

-- Reminders of the parts of invoices that become due.
create table invoice_reminders (
  merchant_id text not null,
  id text not null,
  invoice_id text not null,
  livemode boolean not null,
  -- The part of the invoice that is due on this day. A scheduled reminder is unique by day and offset; a null offset is
  -- a reminder that the merchant requested, any number of times.
  due_date text not null,
  offset_days integer,
  status text not null check (status in ('planned', 'paused', 'sent', 'skipped', 'dropped')),
  -- On the merchant's clock.
  remind_at timestamptz not null,
  sent_at timestamptz,
  amount bigint,
  sent_to text,
  -- When it is to be written, on the merchant's clock: remind_at, the end of a worker's claim, or the next try.
  due_at timestamptz not null,
  -- Tries that failed. Each next try comes later, so that a reminder that cannot be written delays no other.
  failures integer not null default 0,
  primary key (merchant_id, id),
  unique (merchant_id, invoice_id, due_date, offset_days)
);
-- A paused reminder ends at its time as well: it is skipped, or dropped where nothing is owed any more.
create index invoice_reminders_due on invoice_reminders (due_at) where status in ('planned', 'paused');

-- Rules that make invoices.
create table recurring_invoices (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  status text not null check (status in ('active', 'paused', 'ended')),
  -- The rule (RFC 5545) on days of the time zone, from starts_on; end date and count are optional.
  rrule text not null,
  timezone text not null,
  starts_on text not null,
  ends_on text,
  count integer,
  -- The body of POST /v1/invoices for each invoice.
  template jsonb not null,
  auto_send boolean not null,
  metadata jsonb not null default '{}',
  occurrences integer not null default 0,
  -- The next day on which an invoice is made, and its moment on the merchant's clock; null when there is none.
  next_on text,
  next_at timestamptz,
  last_error text,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  check ((next_on is null) = (next_at is null))
);
create index recurring_invoices_newest on recurring_invoices (merchant_id, livemode, created_at desc, id desc);
create index recurring_invoices_due on recurring_invoices (next_at) where status = 'active';

-- One row for each day on which an invoice was made, so that none is made twice.
create table recurring_occurrences (
  merchant_id text not null,
  recurring_id text not null,
  day text not null,
  invoice_id text not null,
  livemode boolean not null,
  -- When to send the invoice, on the merchant's clock; null when it was sent or stays a draft.
  send_at timestamptz,
  created_at timestamptz not null,
  primary key (merchant_id, recurring_id, day)
);
create index recurring_occurrences_unsent on recurring_occurrences (send_at) where send_at is not null;
