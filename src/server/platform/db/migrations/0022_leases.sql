-- The due time of a mail and of a webhook delivery is its lease while a process works on it.

alter table mails drop column leased_until;
-- A process is sending the mail; due_at is when its lease ends.
alter table mails add column sending boolean not null default false;

-- When a process with a mail server last worked on this database.
create table mail_servers (
  id text primary key,
  seen_at timestamptz not null
);

alter table webhook_deliveries drop column leased_until;
