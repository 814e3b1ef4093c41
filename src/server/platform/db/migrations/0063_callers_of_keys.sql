-- The key or person that sent the first request. Only this caller gets the stored answer. Null where the path names the
-- caller (payers, visitors), and in rows that are older than this column.
alter table idempotency_keys add column caller text;
-- The attempt that the running call has started. After a crash, a retry with the same key continues it.
alter table idempotency_keys add column started_id text;
-- These answers showed secrets. Answers no longer store them.
delete from idempotency_keys
where path = '/v1/api-keys' or path = '/v1/webhook-endpoints' or path like '/v1/webhook-endpoints/%/rotate-secret';
