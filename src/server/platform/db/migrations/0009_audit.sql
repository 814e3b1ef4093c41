-- The stable audit contract: read-only views for operators and auditors. Their columns do not change meaning.

create view audit_entries as
  select transaction_id as tx_id, account, currency, amount, merchant_id, livemode, created_at from ledger_entries;

create view audit_payments as
  select id, status, amount, currency, settlement_tx_hash as settled_tx, phase, exception, amount_received,
         amount_refunded, merchant_id, livemode, settlement_status, amount_settled, amount_settling, amount_receivable
  from payments;

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

create view audit_transitions as
  select resource_id, seq, from_phase as "from", to_phase as "to", event_id, at, merchant_id from transitions;

create view audit_events as
  select id, resource_id, type, sequence, created_at, merchant_id from events;

create view audit_deliveries as
  select event_id, endpoint_id, attempts, delivered_at, status, merchant_id from webhook_deliveries;

create view audit_idempotency as
  select merchant_id as merchant, key, encode(fingerprint, 'hex') as request_hash, resource_id, path
  from idempotency_keys;
