-- The list of a merchant's refunds, newest first.
create index refunds_newest on refunds (merchant_id, livemode, created_at desc, id desc);

alter table payments
  -- The card that paid: brand, last four digits and the result of 3-D Secure. Never more of the card.
  add column card jsonb,
  -- Where the payer goes back to before paying.
  add column cancel_url text;
