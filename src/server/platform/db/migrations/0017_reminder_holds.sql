-- A reminder that could not be written is left alone for a while, longer each time, so that it holds up no other.
alter table invoice_reminders
  add column failures integer not null default 0,
  -- By the database's clock, since it is about the service's own trying; null: it may be written at its hour.
  add column held_until timestamptz;

-- At its hour a paused reminder comes to an end as well: it is skipped, or dropped where nothing is owed any more.
drop index invoice_reminders_due;
create index invoice_reminders_due on invoice_reminders (remind_at) where status in ('planned', 'paused');
