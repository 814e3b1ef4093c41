--! breaking-change
-- Deposits and the books no longer depend on Stellar: a text key finds the target of a deposit, the reference names the
-- whole place of a deposit on its chain, and each chain has a treasury account of its own.

-- The key names one target on its network: of Stellar `<account>:<tag>`, of another chain for example an address.
alter table deposit_routes add column key text;
update deposit_routes set key = account || ':' || tag;
alter table deposit_routes drop constraint deposit_routes_pkey;
alter table deposit_routes drop column account, drop column tag, add primary key (network, key);
comment on table deposit_routes is 'routing: names the payment or top-up of a deposit by the key of its target';

-- With the account, the tag makes the target: of Stellar a muxed id, of another chain for example an index.
alter table deposit_targets drop constraint deposit_targets_tag_check;
alter table deposit_targets alter column tag type text;
alter table top_ups drop constraint top_ups_tag_check;
alter table top_ups alter column tag type text;

-- The reference contains the index of the operation.
drop view audit_transfers;
alter table transfers drop column op_index;
alter table transfers add constraint transfers_on_chain check ((chain is null) = (tx_hash is null));
create view audit_transfers as
  select rail as chain, coalesce(tx_hash, rail_reference) as tx_hash,
         case when tx_hash is null then 0 else coalesce(substring(rail_reference from ':([0-9]+)$')::integer, 0) end
           as op_index,
         payment_id, amount, currency, status, merchant_id, livemode, account, sender, memo, custodial, problem
  from transfers;

-- Only this renaming changes lines of the books.
alter table ledger_entries disable trigger ledger_entries_immutable;
update ledger_entries set account = 'treasury.stellar' where account = 'treasury';
alter table ledger_entries enable trigger ledger_entries_immutable;
