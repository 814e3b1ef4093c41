-- Prompts that the mobile-money operators of test mode show on payers' phones.
create table sandbox.mobile_prompts (
  rail text not null,
  -- The caller's idempotency key.
  attempt_id text not null,
  id text not null unique,
  merchant_id text not null,
  payment_id text not null,
  payee text not null,
  number text not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  -- Why the operator takes no money; null: it takes the money. Counts from `answered_at` on.
  code text,
  -- When the answer counts. The answer of a test number is stored with the prompt. Null: nobody has answered.
  answered_at timestamptz,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (rail, attempt_id),
  check (code is null or answered_at is not null)
);
create index mobile_prompts_by_number on sandbox.mobile_prompts (number, expires_at);
create index mobile_prompts_by_merchant on sandbox.mobile_prompts (merchant_id, expires_at);
