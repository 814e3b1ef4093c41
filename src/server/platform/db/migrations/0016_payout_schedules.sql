-- Recurring payouts, and the worth above which payouts need a second key.

-- The occurrence that a recurring batch makes next; due_at says when to try, and moves on after a fault.
alter table payout_batches add column next_run_at timestamptz;

alter table merchants add column payout_approval_amount bigint check (payout_approval_amount >= 0);
alter table merchants add column payout_approval_currency text;
alter table merchants add constraint merchants_payout_approval
  check ((payout_approval_amount is null) = (payout_approval_currency is null));
