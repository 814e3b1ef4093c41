-- Refunds and disputes of one payment can take more than the merchant got for it. Later settlements repay the rest, and
-- the settled amounts then fall below zero.
alter table payments
  drop constraint payments_amount_settled_check,
  drop constraint payments_settlement_amount_check,
  add constraint payments_settled_in_fiat check (settlement_in_fiat or (amount_settled >= 0 and settlement_amount >= 0))
    not valid;
