-- Each settlement reads the disputes of its payment.
create index disputes_by_payment on disputes (merchant_id, payment_id);
