-- The transaction of each part on a chain, and the last one of the refund. They are copies from the outbound transfers.
alter table refunds add column tx_hash text;
alter table refund_parts add column tx_hash text;
update refund_parts p set tx_hash = o.reference
  from transfers t, outbound_transfers o
  where t.merchant_id = p.merchant_id and t.id = p.transfer_id and t.chain is not null
    and o.merchant_id = p.merchant_id and o.purpose = 'refund' and o.resource_id = p.id and o.state = 'completed'
    and p.state = 'completed';
update refunds r set tx_hash = p.tx_hash
  from refund_parts p where p.merchant_id = r.merchant_id and p.refund_id = r.id and p.tx_hash is not null;
create index refund_parts_by_hash on refund_parts (merchant_id, tx_hash) where tx_hash is not null;
