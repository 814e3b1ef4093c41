-- The mails of a merchant, newest first, for `GET /v1/mails`.
create index mails_newest on mails (merchant_id, livemode, created_at desc, id desc);
