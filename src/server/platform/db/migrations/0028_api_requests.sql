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
