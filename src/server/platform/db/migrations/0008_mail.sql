-- Mails to payers and merchants: written with the change they tell of, sent afterwards.

create table mails (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  -- What the mail is about, once for ever: a second mail with the same key is the same mail.
  dedupe_key text not null check (length(dedupe_key) between 1 and 200),
  to_name text,
  to_email text not null,
  reply_to text,
  subject text not null,
  html text not null,
  text text not null,
  -- Documents that are drawn when the mail is sent: [{kind, id}].
  attachments jsonb not null default '[]',
  -- queued: waits for its hour, or is being sent while leased_until lies ahead · kept: there is no mail server
  -- · canceled: what it was about was over before it left · failed: given up.
  status text not null default 'queued' check (status in ('queued', 'sent', 'kept', 'canceled', 'failed')),
  -- On the merchant's clock; null once the mail has come to an end.
  due_at timestamptz,
  attempts integer not null default 0,
  -- By the database's clock: until then the mail is one worker's own.
  leased_until timestamptz,
  last_error text,
  ended_at timestamptz,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  unique (merchant_id, livemode, dedupe_key),
  check ((status = 'queued') = (due_at is not null))
);
create index mails_due on mails (due_at) where status = 'queued';
create index mails_ended on mails (ended_at) where ended_at is not null;
create index mails_newest on mails (merchant_id, livemode, created_at desc, id desc);
-- For the outbox that test mode shows.
create index mails_of_test_mode on mails (created_at desc, id desc) where not livemode;
create index mails_of_test_mode_by_id on mails (id) where not livemode;
