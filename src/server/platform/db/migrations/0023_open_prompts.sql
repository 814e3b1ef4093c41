-- Open prompts on phones: a number has at most one of each merchant and mode.
-- The number, while its payer may still approve the prompt. Null: the prompt has ended.
alter table payment_attempts add column open_number text;
-- Prompts that are open now. Of several to one number, the newest keeps it.
update payment_attempts a set open_number = a.number
  from (select distinct on (merchant_id, livemode, number) merchant_id, payment_id, id from payment_attempts
        where state in ('started', 'requires_action', 'authorized', 'capturing', 'unknown') and number is not null
        order by merchant_id, livemode, number, created_at desc) newest
  where a.merchant_id = newest.merchant_id and a.payment_id = newest.payment_id and a.id = newest.id;
create unique index payment_attempts_one_prompt on payment_attempts (merchant_id, livemode, open_number)
  where open_number is not null;

-- The payment's open prompt. It stays while the payer chooses another method.
alter table payments add column open_prompt jsonb;
update payments p set open_prompt = p.next_action - 'type'
  from payment_attempts a
  where a.open_number is not null and p.merchant_id = a.merchant_id and p.id = a.payment_id
    and p.next_action ->> 'type' = 'phone_prompt';
