-- Payments by mobile money: attempts are prompts on phones, and the payment names the wallet that paid.
alter table payment_attempts add column number text;
alter table payments add column mobile_money jsonb;
