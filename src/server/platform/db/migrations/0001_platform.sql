-- What every module uses: server keys, idempotency keys, events, webhooks, mails and the log of calls.
--
-- Rules for all tables:
-- * A table owned by merchants begins its primary key with merchant_id, every unique key carries merchant_id, and no
--   foreign key crosses merchants. So the database can be distributed by merchant.
-- * A table that is read before the merchant is known is a routing table; its comment begins with "routing:".
-- * Amounts are integers of the smallest unit: minor units of a currency, stroops on Stellar. Amounts of assets have up
--   to 78 digits, as on chains whose units have 18 decimals. A bigint would end at 9.22 ETH.
-- * Business times follow the merchant's clock, which test mode can move.

create table server_keys (
  id integer primary key check (id = 1),
  root bytea not null check (octet_length(root) = 32),
  -- The Stellar network of this database, set by the first start. Queued transfers, channel accounts, addresses and
  -- test money of one network mean nothing on another.
  network text,
  created_at timestamptz not null default now()
);

-- Answers of POST requests, kept for 24 hours, so that a repeated request gets the same answer.
create table idempotency_keys (
  merchant_id text not null,
  livemode boolean not null,
  path text not null,
  key text not null,
  fingerprint bytea not null,
  -- The key or person that sent the first request. Only this caller gets the stored answer. Null where the path names
  -- the caller: payers and visitors.
  caller text,
  answer_status integer,
  answer_location text,
  -- The answer is in one of two columns: answer_body holds it sealed. answer_text holds it unsealed and without its
  -- one secret, which can be derived again; creating a payment uses it, since sealing each answer costs time.
  answer_body bytea,
  answer_text text,
  resource_id text,
  -- The attempt that the running call has started. After a crash, a retry with the same key continues it.
  started_id text,
  -- Set while the first call runs: a call that has not answered by then has crashed. Null once it has answered.
  running_until timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (merchant_id, livemode, path, key)
);
create index idempotency_keys_expired on idempotency_keys (expires_at);

-- Calls of the API, kept for 30 days. Written in groups after the answers, so that no call waits for them.
create table api_requests (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  method text not null,
  -- Without the query. Parts that are no ids are replaced by the parameter's name.
  path text not null,
  status integer not null,
  -- Code and parameter of the error.
  code text,
  param text,
  key_id text,
  person_id text,
  duration_ms integer not null,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create index api_requests_newest on api_requests (merchant_id, livemode, created_at desc, id desc);
create index api_requests_refused on api_requests (merchant_id, livemode, status, created_at desc, id desc)
  where status >= 400;
create index api_requests_old on api_requests using brin (created_at);
-- Pages of the calls of keys and payers, and of those of the dashboard. Either may be rare among the others.
create index api_requests_of_api on api_requests (merchant_id, livemode, created_at desc, id desc)
  where person_id is null;
create index api_requests_of_dashboard on api_requests (merchant_id, livemode, created_at desc, id desc)
  where person_id is not null;

-- The outbox: an event is written with the change that it reports, and dispatched afterwards. Partitions follow the
-- database's clock, in milliseconds so that JavaScript keeps them exactly. ensure_event_partitions() creates them
-- months ahead.
create table events (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  type text not null,
  resource_id text not null,
  sequence integer not null,
  -- json, not jsonb: no query looks inside, and the fields keep the order that the API gives them.
  object json not null,
  previous json,
  api_version text not null,
  -- Requested to try a webhook; it reports no change.
  sample boolean not null default false,
  created_at timestamptz not null,
  recorded_at timestamptz(3) not null default now(),
  dispatched boolean not null default false,
  primary key (merchant_id, id, recorded_at)
) partition by range (recorded_at);
create index events_newest on events (merchant_id, livemode, created_at desc, id desc);
create index events_by_resource on events (merchant_id, resource_id, sequence);
create index events_waiting on events (recorded_at) where not dispatched;
create index events_by_type on events (merchant_id, livemode, type, created_at desc, id desc);

create table webhook_endpoints (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  url text not null,
  events text[] not null,
  description text,
  status text not null check (status in ('enabled', 'disabled')),
  -- Null where the merchant disabled the endpoint.
  disabled_reason text check (disabled_reason in ('gone', 'failing')),
  secret bytea not null,
  previous_secret bytea,
  previous_secret_until timestamptz,
  failing_since timestamptz,
  -- When to look for due deliveries next, by the merchant's clock; null while no delivery waits. Workers visit the
  -- endpoints in this order, so that the long queue of one endpoint does not delay the others.
  look_at timestamptz,
  -- Counts requests for an earlier look. A worker postpones the next look only while the count is unchanged.
  wakes bigint not null default 0,
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create index webhook_endpoints_to_look on webhook_endpoints (look_at) where look_at is not null;

create table webhook_deliveries (
  merchant_id text not null,
  id text not null,
  endpoint_id text not null,
  event_id text not null,
  event_type text not null,
  event_recorded_at timestamptz(3) not null,
  livemode boolean not null,
  status text not null check (status in ('pending', 'delivered', 'failed', 'canceled')),
  -- Counted when an attempt begins: a worker may write its result only while its own attempt is the last.
  attempts integer not null default 0,
  response_status integer,
  last_error text,
  -- Each attempt: at, duration_ms, status, error and the beginning of the answer's body.
  attempt_log jsonb not null default '[]',
  -- The next attempt by the merchant's clock; while an attempt runs, the end of its lease.
  next_attempt_at timestamptz,
  delivered_at timestamptz,
  created_at timestamptz not null,
  recorded_at timestamptz(3) not null default now(),
  primary key (merchant_id, endpoint_id, id, recorded_at)
) partition by range (recorded_at);
create index webhook_deliveries_due on webhook_deliveries (merchant_id, endpoint_id, next_attempt_at)
  where status = 'pending';
create index webhook_deliveries_newest on webhook_deliveries (merchant_id, endpoint_id, created_at desc, id desc);
create index webhook_deliveries_by_status on webhook_deliveries
  (merchant_id, endpoint_id, status, created_at desc, id desc) where status <> 'delivered';
-- Deliveries of one event, for `GET /v1/events/:id/deliveries`.
create index webhook_deliveries_by_event on webhook_deliveries (merchant_id, event_id);

create function ensure_event_partitions() returns void language plpgsql as $$
declare
  parent text;
  month date;
begin
  perform pg_advisory_xact_lock(hashtext('ensure_event_partitions'));
  foreach parent in array array['events', 'webhook_deliveries'] loop
    for month in select generate_series(date_trunc('month', now() at time zone 'utc'),
                                        date_trunc('month', now() at time zone 'utc') + interval '2 months',
                                        interval '1 month')::date loop
      execute format('create table if not exists %I partition of %I for values from (%L) to (%L)',
        parent || to_char(month, '_YYYY_MM'), parent,
        to_char(month, 'YYYY-MM-DD') || ' 00:00:00+00',
        to_char(month + interval '1 month', 'YYYY-MM-DD') || ' 00:00:00+00');
    end loop;
  end loop;
end $$;

select ensure_event_partitions();

-- Mails to payers, customers and merchants: written with the change that they report, sent afterwards.
create table mails (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  -- The object that the mail is about, for example 'invoice' and its id.
  resource_type text not null,
  resource_id text not null,
  -- A second mail with the same key is not written.
  dedupe_key text not null check (length(dedupe_key) between 1 and 200),
  to_name text,
  to_email text not null,
  reply_to text,
  subject text not null,
  -- The sentences: {language, direction, heading, paragraphs, amount, facts, action, notes}. HTML and text are laid out
  -- from them when the mail is sent; HTML would be four times as much to write and to keep.
  content json not null,
  -- Documents that are drawn when the mail is sent: [{kind, id}].
  attachments jsonb not null default '[]',
  -- queued: waits, or is being sent · kept: the server has no mail server
  -- · canceled: its reason ended before it was sent · failed: given up.
  status text not null default 'queued' check (status in ('queued', 'sent', 'kept', 'canceled', 'failed')),
  -- On the merchant's clock; while a process sends the mail, the end of its lease; null once the mail has ended.
  due_at timestamptz,
  attempts integer not null default 0,
  sending boolean not null default false,
  -- An attempt sent the end of the message, and its answer is unknown: the mail may have arrived.
  doubtful boolean not null default false,
  last_error text,
  ended_at timestamptz,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  unique (merchant_id, livemode, dedupe_key),
  check ((status = 'queued') = (due_at is not null))
);
create index mails_due on mails (due_at) where status = 'queued';
create index mails_ended on mails (ended_at) where ended_at is not null;
create index mails_by_resource on mails (merchant_id, resource_type, resource_id, created_at desc, id desc);
-- For the outbox page of test mode.
create index mails_of_test_mode on mails (created_at desc, id desc) where not livemode;
create index mails_of_test_mode_by_id on mails (id) where not livemode;
-- The mails of a merchant, newest first, for `GET /v1/mails`.
create index mails_newest on mails (merchant_id, livemode, created_at desc, id desc);

-- When a process with a mail server last worked on this database.
create table mail_servers (
  id text primary key,
  seen_at timestamptz not null
);

-- A name (an invoice number, the reference of a link) as `namesIn` finds it in the text of a bank transfer: ASCII
-- letters and digits in capitals. Null for names with other letters, which are not recognised.
create function plain_name(name text) returns text language sql immutable parallel safe
  return case when name ~ '^[ -~]*$' then regexp_replace(upper(name collate "C"), '[^A-Z0-9]', '', 'g') end;
