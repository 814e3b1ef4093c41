-- The audit contract for invoices: what was issued, paid, credited and kept. As with the other views, columns do not change
-- meaning.

create view audit_invoices as
  select id, number, status, currency, total, tax_total, amount_paid, amount_credited, amount_overpaid, amount_refunded,
         exchange_difference, issue_date, due_date, customer_id, merchant_id, livemode, created_at
  from invoices;

create view audit_invoice_transactions as
  select id, invoice_id, type, amount, amount_overpaid, currency, payment_id, credit_note_id, exchange_difference, paid_at,
         merchant_id, livemode, created_at
  from invoice_transactions;

create view audit_credit_notes as
  select id, number, invoice_id, currency, amount, tax_total, amount_to_credit, issue_date, merchant_id, livemode, created_at
  from credit_notes;

create view audit_customer_credits as
  select holder, currency, amount, merchant_id, livemode from customer_credits;
