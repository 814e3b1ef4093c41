-- Host names of merchants. An active one serves the hosted pages of its merchant.
create table domains (
  merchant_id text not null,
  id text not null,
  -- The mode in which the domain was added. Both modes use it.
  livemode boolean not null,
  name text not null,
  status text not null check (status in ('pending', 'active', 'failed')),
  -- Why the last check failed.
  failure text,
  -- Since when checks fail. A pending domain has failed since it was added.
  failing_since timestamptz,
  verified_at timestamptz,
  checked_at timestamptz,
  -- When the domain is checked next.
  check_at timestamptz,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
comment on table domains is 'routing: names the merchant of a host name';
create unique index domains_of_merchant on domains (merchant_id, name);
-- A host name serves one merchant only.
create unique index domains_active on domains (name) where status = 'active';
create index domains_due on domains (check_at) where check_at is not null;
