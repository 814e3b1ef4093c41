-- When an account was last read for deposits to the end, by the service's clock; null: never.
alter table chain_cursors add column read_at timestamptz;
