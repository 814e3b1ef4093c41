-- Whether the payer gets a receipt by mail once the payment is completed, and the account's default for new payments.
alter table payments add column receipts boolean not null default false;
alter table merchants add column receipts boolean not null default false;
