-- An invoice is changed several times after it was made: sent, seen, told of, paid. A page keeps room for that, so that a
-- change that no index shows writes no index.
alter table invoices set (fillfactor = 60);

-- Only a statement that names a column of what was sent can change it: the others need not be looked at row by row.
drop trigger invoices_immutable on invoices;
create trigger invoices_immutable before update of number, number_prefix, livemode, currency, lines, taxes, discount,
    subtotal, discount_total, tax_total, tax_included, total, due_date, issue_date, deposit, plan, reference, exchange, memo,
    footer, locale, seller, sent_at on invoices
  for each row when (old.number is not null) execute function invoice_refuse_change();
create trigger invoices_kept before delete on invoices
  for each row when (old.number is not null) execute function invoice_refuse_change();
