-- What a merchant's invoices say of it, and the time zone in which its days begin.
alter table merchants add column timezone text not null default 'UTC';
alter table merchants add column address jsonb;
alter table merchants add column tax_id text;
alter table merchants add column iban text;
alter table merchants add column bic text;
alter table merchants add column invoice_prefix text not null default 'INV';

create table invoices (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  status text not null check (status in
    ('draft', 'sent', 'viewed', 'partially_paid', 'paid', 'overdue', 'void', 'uncollectible')),
  -- Given on sending, from the counter of the prefix; the two say the same to a reader.
  number text,
  number_prefix text not null,
  customer_id text,
  customer jsonb not null,
  currency text not null,
  -- Reckoned lines, rates of tax and parts, as they are answered; amounts are integers of the smallest unit.
  lines jsonb not null,
  taxes jsonb not null,
  discount jsonb,
  subtotal bigint not null check (subtotal >= 0),
  discount_total bigint not null check (discount_total >= 0),
  tax_total bigint not null check (tax_total >= 0),
  tax_included bigint not null check (tax_included >= 0),
  total bigint not null check (total between 0 and 9007199254740991),
  -- amount_paid: by payments, recorded money and credit; amount_credited: by credit notes; neither is ever more than is asked.
  amount_paid bigint not null default 0 check (amount_paid >= 0),
  amount_credited bigint not null default 0 check (amount_credited >= 0),
  -- What came on top, and became the customer's credit.
  amount_overpaid bigint not null default 0 check (amount_overpaid >= 0),
  amount_refunded bigint not null default 0 check (amount_refunded >= 0),
  exchange_difference bigint,
  due_date text,
  days_until_due integer,
  issue_date text,
  deposit jsonb,
  -- The instalments asked for, and what they come to.
  installments jsonb not null default '[]',
  plan jsonb not null default '[]',
  allow_partial boolean not null,
  payment_methods text[] not null,
  settlement_asset text not null,
  reference text,
  exchange jsonb,
  memo text,
  footer text,
  reminders jsonb not null,
  locale text not null,
  metadata jsonb not null default '{}',
  -- What the invoice says of the merchant, as it was on sending.
  seller jsonb,
  sent_to text,
  -- The first moment at which something of it will be overdue; null when nothing can be.
  overdue_at timestamptz,
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
);
create unique index invoices_by_number on invoices (merchant_id, livemode, number) where number is not null;
create index invoices_newest on invoices (merchant_id, livemode, created_at desc, id desc);
create index invoices_of_customer on invoices (merchant_id, customer_id, created_at desc, id desc);
create index invoices_overdue on invoices (overdue_at) where overdue_at is not null;

-- The last number given of each prefix. Its row is locked from the giving to the commit, so numbers have no gap.
create table invoice_counters (
  merchant_id text not null,
  livemode boolean not null,
  prefix text not null,
  last integer not null,
  primary key (merchant_id, livemode, prefix)
);

-- Everything that changed what is owed. Rows are only added; exchange_* are filled in once the worth of crypto is known.
create table invoice_transactions (
  merchant_id text not null,
  id text not null,
  invoice_id text not null,
  livemode boolean not null,
  type text not null check (type in ('payment', 'recorded_payment', 'credit_note', 'credit_applied', 'refund')),
  -- What it took off what is owed (a refund: what went back, below zero), and what came on top.
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
create index invoice_transactions_of_invoice on invoice_transactions (merchant_id, invoice_id, created_at desc, id desc);
create index invoice_transactions_of_payment on invoice_transactions (merchant_id, payment_id) where payment_id is not null;
create index invoice_transactions_exchange on invoice_transactions (exchange_due_at) where exchange_due_at is not null;

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

-- What is open in a customer's favour.
create table customer_credits (
  merchant_id text not null,
  livemode boolean not null,
  customer_id text not null,
  currency text not null,
  amount bigint not null check (amount >= 0),
  primary key (merchant_id, livemode, customer_id, currency)
);

-- Who has looked at an invoice, as a keyed hash of what their browser keeps.
create table invoice_views (
  merchant_id text not null,
  invoice_id text not null,
  viewer bytea not null,
  viewed_at timestamptz not null,
  primary key (merchant_id, invoice_id, viewer)
);
