-- Each attempt of a delivery: at, duration_ms, status, error and the beginning of the answer's body.
alter table webhook_deliveries add column attempt_log jsonb not null default '[]';
