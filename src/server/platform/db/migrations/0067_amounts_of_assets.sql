-- Amounts of assets have up to 78 digits, as on chains whose units have 18 decimals. A bigint would end at 9.22 ETH.

drop view audit_attempts;
drop view audit_returns;
drop view audit_transfers;
drop view audit_wallet_transactions;

alter table payments
  alter column quote_amount type numeric(78, 0),
  alter column settlement_amount type numeric(78, 0);
alter table transfers alter column amount type numeric(78, 0);
alter table crypto_offers
  alter column amount type numeric(78, 0),
  alter column received type numeric(78, 0);
alter table wallet_transactions
  alter column amount type numeric(78, 0),
  alter column amount_max type numeric(78, 0),
  alter column destination_amount type numeric(78, 0);
alter table refund_parts alter column rail_amount type numeric(78, 0);
alter table outbound_transfers
  alter column amount type numeric(78, 0),
  alter column source_max type numeric(78, 0),
  alter column sent_amount type numeric(78, 0),
  alter column value type numeric(78, 0);
alter table top_ups
  alter column amount type numeric(78, 0),
  alter column amount_received type numeric(78, 0);
alter table withdrawals
  alter column amount type numeric(78, 0),
  alter column paid_amount type numeric(78, 0);
alter table balance_quotes
  alter column from_amount type numeric(78, 0),
  alter column to_amount type numeric(78, 0);
alter table conversions
  alter column from_amount type numeric(78, 0),
  alter column to_amount type numeric(78, 0);
alter table payouts
  alter column amount type numeric(78, 0),
  alter column source_amount type numeric(78, 0),
  alter column fee type numeric(78, 0),
  alter column least_amount type numeric(78, 0),
  alter column paid_amount type numeric(78, 0),
  alter column returned_amount type numeric(78, 0);
alter table payout_returns alter column amount type numeric(78, 0);

create view audit_transfers as
  select rail as chain, coalesce(tx_hash, rail_reference) as tx_hash, coalesce(op_index, 0) as op_index, payment_id,
         amount, currency, status, merchant_id, livemode, account, sender, memo, custodial, problem
  from transfers;

create view audit_returns as
  select resource_id as transfer_id, id, rail, amount, asset as currency,
         case when state in ('completed', 'failed') then state else 'pending' end as state, reference as rail_reference,
         created_at, merchant_id
  from outbound_transfers where purpose = 'return';

create view audit_wallet_transactions as
  select payment_id, id, chain, hash, state, valid_until, created_at, submitted_at, merchant_id
  from wallet_transactions;

-- Attempts at taking money (payment_id) and at sending it (payout_id: the settlement or refund). Two attempts of one
-- payout are valid at the same time only when they share `inner_hash`: the same transaction with a higher fee.
create view audit_attempts as
  select payment_id, id as attempt_id, rail, rail_reference, state, amount, created_at, merchant_id,
         null::text as payout_id, null::text as hash, null::text as inner_hash, null::integer as max_ledger,
         null::timestamptz as max_time, null::integer as ended_ledger, null::timestamptz as ended_at
  from payment_attempts
  union all
  select null, e.id, 'stellar', h.hash, e.state, t.amount, h.created_at, t.merchant_id,
         t.resource_id, h.hash, e.inner_hash, e.max_ledger, e.max_time, e.ended_ledger, e.ended_at
  from stellar_envelope_transfers c
  join outbound_transfers t on t.merchant_id = c.merchant_id and t.id = c.transfer_id
  join stellar_envelopes e on e.id = c.envelope_id
  join stellar_envelope_hashes h on h.envelope_id = e.id;
