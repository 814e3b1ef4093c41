--! breaking-change
-- What carried a transfer is no longer named after Stellar's envelopes. Servers of older releases write the former
-- column, so they refuse the database.
alter table outbound_transfers rename column envelope_id to carrier_id;

create or replace function outbound_transfers_check_step() returns trigger language plpgsql as $$
declare
  carrier text;
begin
  if new.state = old.state then
    return new;
  end if;
  if old.state in ('completed', 'failed') then
    raise exception 'outbound transfer % has ended', old.id using errcode = 'check_violation';
  end if;
  if old.state = 'sending' and old.carrier_id is null and new.state in ('queued', 'held') then
    raise exception 'outbound transfer % may have left', old.id using errcode = 'check_violation';
  end if;
  if old.state = 'sending' and old.carrier_id is not null then
    select state into carrier from stellar_envelopes where id = old.carrier_id;
    if coalesce(carrier, '') <> all (case when new.state = 'completed' then '{applied}' else '{failed,expired}' end::text[])
    then
      raise exception 'outbound transfer % cannot become %: its transaction is %', old.id, new.state, carrier
        using errcode = 'check_violation';
    end if;
  end if;
  return new;
end $$;
