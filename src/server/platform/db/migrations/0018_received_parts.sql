-- Each part of the received money, in order of arrival: [{method, rail, chain, currency, amount, credited, card, tx_hash,
-- at}]. Amounts are text: `amount` in smallest units of the currency or asset, `credited` in the payment's currency.
alter table payments add column received jsonb;

update payments p set received = parts.received
from (
  select t.merchant_id, t.payment_id, jsonb_agg(jsonb_build_object(
    'method', case when t.chain is not null then 'crypto' when a.id is not null then 'card' else 'bank_transfer' end,
    'rail', case when t.chain is null then t.rail end,
    'chain', t.chain,
    'currency', t.currency,
    'amount', t.amount::text,
    'credited', (t.amount_applied + t.amount_excess)::text,
    'card', case when a.brand is not null and a.last4 is not null
      then jsonb_build_object('brand', a.brand, 'last4', a.last4) end,
    'tx_hash', t.tx_hash,
    'at', to_char(coalesce(t.arrived_at, t.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  ) order by t.created_at, t.id) as received
  from transfers t
  left join payment_attempts a on t.chain is null and a.merchant_id = t.merchant_id and a.payment_id = t.payment_id
    and a.rail = t.rail and a.rail_reference = t.rail_reference and a.state = 'captured'
  where t.payment_id is not null and t.status = 'matched' and t.problem is null
  group by t.merchant_id, t.payment_id
) parts
where p.merchant_id = parts.merchant_id and p.id = parts.payment_id;
