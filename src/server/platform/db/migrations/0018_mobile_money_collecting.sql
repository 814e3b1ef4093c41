-- Prompts that the connectors of mobile-money operators showed on phones. Each is stored before it is sent: M-Pesa
-- recognizes no repeated request, and its status does not name the amount.
create table mobile_money_prompts (
  merchant_id text not null,
  -- The attempt of the payment.
  attempt_id text not null,
  rail text not null,
  -- Minor units.
  amount bigint not null check (amount > 0),
  currency text not null,
  state text not null default 'sent' check (state in ('sent', 'accepted', 'collected', 'refused')),
  -- The operator's name of the prompt: the X-Reference-Id of MTN, the CheckoutRequestID of M-Pesa.
  provider_id text,
  -- The operator's receipt. A callback may report it before the prompt is collected; it decides nothing.
  receipt text,
  refusal_code text,
  -- When the operator ends the prompt.
  expires_at timestamptz not null,
  created_at timestamptz not null,
  primary key (merchant_id, attempt_id),
  check (state in ('sent', 'refused') or provider_id is not null),
  check ((state = 'refused') = (refusal_code is not null))
);
-- An id of M-Pesa that names a prompt is not taken for another one.
create index mobile_money_prompts_by_provider on mobile_money_prompts (rail, provider_id) where provider_id is not null;
