-- Pages of the calls of keys and payers, and of those of the dashboard. Either may be rare among the others.
create index api_requests_of_api on api_requests (merchant_id, livemode, created_at desc, id desc)
  where person_id is null;
create index api_requests_of_dashboard on api_requests (merchant_id, livemode, created_at desc, id desc)
  where person_id is not null;
