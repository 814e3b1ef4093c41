-- E-invoices as they were issued: read once, an XML never changes. Credit notes have their own.
create table issued_xml (
  merchant_id text not null,
  -- The invoice or the credit note.
  document_id text not null,
  format text not null check (format in ('en16931', 'xrechnung')),
  xml text not null,
  created_at timestamptz not null,
  primary key (merchant_id, document_id, format)
);

-- What e-invoices say beyond the printed details: references of the buyer, delivery day or service period.
alter table invoices add column details jsonb not null default '{}';

create function invoice_refuse_details() returns trigger language plpgsql as $$
begin
  raise exception 'invoice % was sent and stays as it is', old.number using errcode = 'insufficient_privilege';
end $$;
create trigger invoices_details_immutable before update of details on invoices
  for each row when (old.number is not null and old.details is distinct from new.details)
  execute function invoice_refuse_details();

-- The entry in the commercial register, and the person whom buyers may ask.
alter table merchants add column legal_registration text;
alter table merchants add column invoice_contact jsonb;
