-- When customers are reminded of invoices, and invoices that make themselves again and again.

create table invoice_reminders (
  merchant_id text not null,
  id text not null,
  invoice_id text not null,
  livemode boolean not null,
  -- The part of the invoice it is about: what is due on the day. With the offset it is the reminder's kind, of which there
  -- is one; null: asked for by the merchant, any number.
  due_date text not null,
  offset_days integer,
  status text not null check (status in ('planned', 'paused', 'sent', 'skipped', 'dropped')),
  -- On the merchant's clock.
  remind_at timestamptz not null,
  sent_at timestamptz,
  amount bigint,
  sent_to text,
  primary key (merchant_id, id),
  unique (merchant_id, invoice_id, due_date, offset_days)
);
create index invoice_reminders_due on invoice_reminders (remind_at) where status = 'planned';

create table recurring_invoices (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  status text not null check (status in ('active', 'paused', 'ended')),
  -- The rule (RFC 5545) on days of the time zone, from starts_on; both ends may be left open.
  rrule text not null,
  timezone text not null,
  starts_on text not null,
  ends_on text,
  count integer,
  -- What each invoice is made of: the body of POST /v1/invoices.
  template jsonb not null,
  auto_send boolean not null,
  metadata jsonb not null default '{}',
  occurrences integer not null default 0,
  -- The next day on which an invoice is made, and its moment on the merchant's clock; null once there is none.
  next_on text,
  next_at timestamptz,
  last_error text,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  check ((next_on is null) = (next_at is null))
);
create index recurring_invoices_newest on recurring_invoices (merchant_id, livemode, created_at desc, id desc);
create index recurring_invoices_due on recurring_invoices (next_at) where status = 'active';

-- One row for each day on which an invoice was made: it is never made twice.
create table recurring_occurrences (
  merchant_id text not null,
  recurring_id text not null,
  day text not null,
  invoice_id text not null,
  livemode boolean not null,
  -- When it is to be sent: its time on the merchant's clock until that is done; null for one that stays a draft, or is sent.
  send_at timestamptz,
  created_at timestamptz not null,
  primary key (merchant_id, recurring_id, day)
);
create index recurring_occurrences_unsent on recurring_occurrences (send_at) where send_at is not null;
