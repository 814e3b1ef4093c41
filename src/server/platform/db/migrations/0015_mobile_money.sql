-- Payments by mobile money: attempts are prompts on phones, and the payment names the wallet that paid.
alter table payment_attempts add column number text;
-- What the attempt pays, in the payment's currency. Null: the attempt's own amount.
alter table payment_attempts add column payment_amount bigint check (payment_amount > 0);
-- When the operator ends the prompt.
alter table payment_attempts add column expires_at timestamptz;
alter table payments add column mobile_money jsonb;
-- An operator's callback names the attempt alone.
create index payment_attempts_prompts on payment_attempts (merchant_id, id) where number is not null and due_at is not null;
-- The rows of the stricter check also meet the new one, so they need no reading.
alter table payments drop constraint payments_method_check;
alter table payments add constraint payments_method_check
  check (method in ('card', 'bank_transfer', 'crypto', 'mobile_money')) not valid;
-- The search finds payments by the phone that paid.
create index payment_attempts_by_number on payment_attempts (merchant_id, number) where number is not null;
