-- The lines that a credit note names, with the credited part of each. Null for a note over an amount of the invoice.
alter table credit_notes add column lines jsonb;
