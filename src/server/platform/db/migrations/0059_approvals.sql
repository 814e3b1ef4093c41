-- Approval by a second person covers every way out of an account, not batches of payouts alone.

-- The person who made a key, also by means of another key. Null: the machine or the account's owner made it.
alter table api_keys add column created_by text;

-- Money that leaves an account with a limit, and changes of the limit. 'released' counts towards the limit of 24 hours.
create table approvals (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  kind text not null check (kind in ('payout_batch', 'withdrawal', 'refund', 'return', 'conversion', 'approval_limit')),
  -- The object that waits or left: of a changed limit, the account.
  object_id text not null,
  status text not null check (status in ('released', 'awaiting_approval', 'approved', 'canceled')),
  -- What leaves, as text for people.
  summary text not null,
  -- Worth in the limit's currency, in its smallest unit. Null: no limit, or no rate.
  amount bigint,
  currency text,
  -- Of a changed limit: the new limit. Of a return: its destination.
  details jsonb,
  -- Ids of a key, or of a person in the dashboard.
  requested_by text,
  decided_by text,
  decided_at timestamptz,
  event_sequence integer not null default 1,
  created_at timestamptz not null,
  primary key (merchant_id, id),
  check ((status in ('approved', 'canceled')) = (decided_at is not null))
);
create unique index approvals_waiting on approvals (merchant_id, object_id) where status = 'awaiting_approval';
create index approvals_by_status on approvals (merchant_id, livemode, status, created_at desc, id desc);
create index approvals_newest on approvals (merchant_id, livemode, created_at desc, id desc);
create index approvals_by_object on approvals (merchant_id, object_id);

-- One row for each account and mode. The transaction that locks it compares the sum of 24 hours with the limit.
create table approval_locks (
  merchant_id text not null,
  livemode boolean not null,
  primary key (merchant_id, livemode)
);

insert into approvals (merchant_id, id, livemode, kind, object_id, status, summary, requested_by, created_at)
  select merchant_id, 'appr_' || substr(id, 6), livemode, 'payout_batch', id, status, 'Batch of ' || accepted || ' payouts',
    created_by, created_at
  from payout_batches where status = 'awaiting_approval';

alter table withdrawals drop constraint withdrawals_status_check;
alter table withdrawals add constraint withdrawals_status_check
  check (status in ('awaiting_approval', 'pending', 'completed', 'failed'));
alter table refunds drop constraint refunds_status_check;
alter table refunds add constraint refunds_status_check
  check (status in ('awaiting_approval', 'pending', 'completed', 'failed'));
alter table transfers drop constraint transfers_status_check;
alter table transfers add constraint transfers_status_check
  check (status in ('matched', 'unmatched', 'awaiting_approval', 'returning', 'returned'));
alter table conversions add column status text not null default 'completed'
  check (status in ('awaiting_approval', 'completed', 'failed'));
