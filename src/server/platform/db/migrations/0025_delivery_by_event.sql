-- Deliveries of one event, for `GET /v1/events/:id/deliveries`.
create index webhook_deliveries_by_event on webhook_deliveries (merchant_id, event_id);
