-- Crypto that arrives after its quote: how long a quote still holds for money on its way, and what later crypto does.
alter table merchants
  add column quote_grace_seconds integer not null default 600 check (quote_grace_seconds >= 0),
  add column late_money text not null default 'wait' check (late_money in ('wait', 'market'));

-- `late`: the crypto arrived for an open payment when none of its prices held any more.
alter table transfers drop constraint transfers_problem_check;
alter table transfers add constraint transfers_problem_check check (problem in ('wrong_asset', 'late'));
-- Whether late crypto was counted at the market rate of its arrival, and not at a price of the payment.
alter table transfers add column at_market boolean not null default false;
