-- A reminder that could not be written is left alone for a while, longer each time, so that it holds up no other.
alter table invoice_reminders
  add column failures integer not null default 0,
  -- By the database's clock, since it is about the service's own trying; null: it may be written at its hour.
  add column held_until timestamptz;
