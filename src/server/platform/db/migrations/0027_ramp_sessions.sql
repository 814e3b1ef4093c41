-- Ramps that pages create with a publishable key, and the identity checks that they begin.

-- Whether somebody vouches for the customer: the merchant's server created the ramp. A page only claims an e-mail address.
alter table ramps add column vouched boolean not null default true;
-- The ramp whose page began the identity check. Null: the merchant did.
alter table kyc_records add column begun_by text;
-- Pages ask for a price at each change of an amount. Such a price reserves no coins; the ramp does.
alter table ramp_quotes add column reserves boolean not null default true;

-- A ramp that nobody vouches for gets no approval of another session. A rejection counts for every ramp.
create or replace function follow_kyc() returns trigger language plpgsql as $$
begin
  update ramps set kyc_status = new.status,
    due_at = case when status = 'incomplete' and new.tier is not null then least(due_at, new.decided_at) else due_at end
  where merchant_id = new.merchant_id and customer_id = new.customer_id
    and status not in ('completed', 'refunded', 'expired')
    and (vouched or id = new.begun_by or new.status = 'rejected');
  return null;
end $$;
