-- For how long places were held by payers who then did not pay, in seconds, since somebody last did: when it is too long,
-- nobody is waited for any more, and whoever pays first has the place.
alter table payment_links add column held_in_vain integer not null default 0;

-- Since when the place is held. due_at, of a held place: when the payer who is waited for loses it.
alter table payment_link_claims add column held_at timestamptz;

-- Keyed hash of the network from which the visitor came: from one only a few are told apart.
alter table payment_link_visits add column network bytea;
-- Not told yet: the sweep counts it on the link and tells of it, so that visitors do not wait for the link's row.
alter table payment_link_visits add column told boolean not null default true;
create index payment_link_visits_of_network on payment_link_visits (merchant_id, link_id, network, seen_at);
create index payment_link_visits_untold on payment_link_visits (merchant_id, link_id) where not told;
