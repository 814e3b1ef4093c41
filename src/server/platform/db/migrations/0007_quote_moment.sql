-- When the quote that a payment stands under was made; null while that is still the one it was made with.
alter table payments add column quoted_at timestamptz;
