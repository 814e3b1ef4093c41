-- The Stellar network this database is of, named by the first start. Queued transfers, channels, addresses and test money
-- of one network mean nothing on another.

alter table server_keys add column network text;
