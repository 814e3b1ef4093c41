-- What was sent stays as its reader has it: the database refuses to change what an invoice or a credit note says, and to
-- delete one, whoever asks. Where it stands, who it went to and what was paid go on changing.
create function invoice_refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or
    (old.number, old.number_prefix, old.livemode, old.currency, old.lines, old.taxes, old.discount, old.subtotal,
     old.discount_total, old.tax_total, old.tax_included, old.total, old.due_date, old.issue_date, old.deposit, old.plan,
     old.reference, old.exchange, old.memo, old.footer, old.locale, old.seller, old.sent_at)
    is distinct from
    (new.number, new.number_prefix, new.livemode, new.currency, new.lines, new.taxes, new.discount, new.subtotal,
     new.discount_total, new.tax_total, new.tax_included, new.total, new.due_date, new.issue_date, new.deposit, new.plan,
     new.reference, new.exchange, new.memo, new.footer, new.locale, new.seller, new.sent_at)
  then
    raise exception 'invoice % was sent and stays as it is', old.number using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
create trigger invoices_immutable before update or delete on invoices
  for each row when (old.number is not null) execute function invoice_refuse_change();

create function credit_note_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'credit notes are immutable' using errcode = 'insufficient_privilege';
end $$;
create trigger credit_notes_immutable before update or delete on credit_notes
  for each statement execute function credit_note_refuse_change();
