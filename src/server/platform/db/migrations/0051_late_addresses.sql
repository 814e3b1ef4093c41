-- An invoice of a customer without an address may be mailed to one after it was issued. That address does not enter the
-- issued document, so the new customer takes it from sent_to.
create or replace function invoices_know_customer() returns trigger language plpgsql as $$
begin
  insert into customers (merchant_id, id, livemode, email, name, address, tax_id, created_at)
    values (new.merchant_id, new.customer_id, new.livemode, coalesce(new.customer ->> 'email', new.sent_to),
      new.customer ->> 'name', case when jsonb_typeof(new.customer -> 'address') = 'object' then new.customer -> 'address' end,
      new.customer ->> 'tax_id', new.created_at)
    on conflict (merchant_id, id) do nothing;
  return null;
end $$;
