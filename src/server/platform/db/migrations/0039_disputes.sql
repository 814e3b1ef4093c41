-- Disputes have a deadline, evidence and an outcome.
alter table payments add column amount_disputed bigint not null default 0 check (amount_disputed >= 0);
update payments p set amount_disputed = d.sum
  from (select merchant_id, payment_id, sum(amount) as sum from disputes group by 1, 2) d
  where p.merchant_id = d.merchant_id and p.id = d.payment_id;

alter table disputes
  add column livemode boolean not null default false,
  add column rail text not null default 'sandbox_card',
  add column status text not null default 'needs_response' check (status in ('needs_response', 'under_review', 'closed')),
  add column outcome text check (outcome in ('won', 'lost', 'accepted')),
  add column evidence jsonb,
  add column evidence_due_at timestamptz,
  add column evidence_submitted_at timestamptz,
  -- When the rail is asked for the outcome.
  add column due_at timestamptz,
  add column closed_at timestamptz,
  add column event_sequence integer not null default 1,
  add column version integer not null default 0;
update disputes set evidence_due_at = created_at + interval '7 days', due_at = created_at + interval '7 days';
alter table disputes
  alter column evidence_due_at set not null,
  alter column livemode drop default, alter column rail drop default, alter column status drop default,
  add check ((status = 'closed') = (outcome is not null)),
  add check ((status = 'closed') = (closed_at is not null));
create index disputes_newest on disputes (merchant_id, livemode, created_at desc, id desc);
create index disputes_to_answer on disputes (merchant_id, livemode) where status = 'needs_response';
create index disputes_due on disputes (due_at) where due_at is not null;

alter table sandbox.disputes
  add column evidence text,
  add column accepted_at timestamptz,
  add column submitted_at timestamptz;

alter table invoice_transactions drop constraint invoice_transactions_type_check;
alter table invoice_transactions add constraint invoice_transactions_type_check
  check (type in ('payment', 'recorded_payment', 'credit_note', 'credit_applied', 'refund', 'dispute'));
