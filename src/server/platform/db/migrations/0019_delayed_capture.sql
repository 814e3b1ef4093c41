-- Delayed capture: a card is authorized first, and the merchant takes all or a part of the money later.

alter table payments
  add column capture_method text not null default 'automatic' check (capture_method in ('automatic', 'manual')),
  drop constraint payments_check3,
  add constraint payments_status_of_phase check ((status, phase) in (
    ('pending', 'awaiting_payer'), ('pending', 'requires_action'), ('pending', 'awaiting_funds'),
    ('pending', 'partially_paid'), ('pending', 'confirming'), ('pending', 'processing'), ('pending', 'authorized'),
    ('completed', 'paid'), ('completed', 'partially_refunded'),
    ('failed', 'declined'), ('failed', 'expired'), ('failed', 'canceled'),
    ('refunded', 'refunded')));

-- The amount that the merchant captures; null before, and when the charge itself takes the money. It is stored before
-- the acquirer is asked, and never changes.
alter table payment_attempts
  add column capture_amount bigint check (capture_amount between 1 and amount);

create or replace view audit_payments as
  select id, status, amount, currency, settlement_tx_hash as settled_tx, phase, exception, amount_received,
         amount_refunded, merchant_id, livemode, settlement_status, amount_settled, amount_settling, amount_receivable,
         capture_method
  from payments;

-- A charge of test mode that only authorizes: the captured part, and how the card reacts to the capture.
alter table sandbox.charges
  add column capture_method text not null default 'automatic' check (capture_method in ('automatic', 'manual')),
  add column captured_amount bigint check (captured_amount between 1 and amount),
  add column capture_behavior text not null default 'captured'
    check (capture_behavior in ('captured', 'delayed', 'unanswered', 'declined')),
  drop constraint charges_state_check,
  add constraint charges_state_check check (state in
    ('requires_action', 'authorized', 'captured', 'declined', 'closed', 'canceled', 'released'));
