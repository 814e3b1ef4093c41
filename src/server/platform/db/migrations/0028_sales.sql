-- Ramps in the other direction: customers sell coins, and payouts bring the money.

alter table ramp_quotes
  add column direction text not null default 'on' check (direction in ('on', 'off'));

alter table ramps
  add column direction text not null default 'on' check (direction in ('on', 'off')),
  -- The bank account or the wallet of mobile money of a seller.
  add column payout_destination jsonb,
  -- Minor units. The payout is a multiple of it, and the rest belongs to the fee.
  add column payout_step bigint not null default 1 check (payout_step > 0),
  add column payout_id text,
  -- Where the seller sends the coins: the instructions of the payment.
  add column deposit jsonb,
  alter column wallet drop not null,
  drop constraint ramps_status_check,
  add constraint ramps_status_check check (status in ('incomplete', 'pending_user_transfer_start', 'pending_anchor',
    'pending_stellar', 'pending_external', 'pending_trust', 'on_hold', 'completed', 'refunded', 'expired')) not valid,
  add constraint ramps_target check (case direction when 'on' then wallet else payout_destination end is not null)
    not valid;

alter table payouts add column ramp_id text;
