-- Events of card acquirers that were not handled yet. Each is a hint to ask the acquirer about one object.
create table card_events (
  rail text not null,
  -- The acquirer's own id of the event.
  id text not null,
  merchant_id text not null,
  about text not null check (about in ('charge', 'refund', 'dispute')),
  -- The attempt, the order of the refund, or the acquirer's reference of the dispute.
  reference text not null,
  payment_id text,
  received_at timestamptz not null,
  due_at timestamptz not null,
  primary key (rail, id),
  check ((about = 'charge') = (payment_id is not null))
);
create index card_events_due on card_events (due_at);

-- Two acquirers may give two disputes the same reference.
alter table disputes
  drop constraint disputes_merchant_id_rail_reference_key,
  add constraint disputes_by_rail unique (merchant_id, rail, rail_reference);

-- The events of test mode's acquirers, in their order.
alter table sandbox.charges add column payment_id text;
create table sandbox.card_events (
  rail text not null,
  position bigint not null,
  merchant_id text not null,
  about text not null check (about in ('charge', 'dispute')),
  reference text not null,
  payment_id text,
  -- Whether it was sent, by an acquirer that sends its events.
  is_sent boolean not null default false,
  primary key (rail, position)
);
