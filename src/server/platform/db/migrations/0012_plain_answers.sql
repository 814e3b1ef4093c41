-- The answer to a payment's creation has one secret in it, which can be derived: it is kept without it, and so unsealed.
-- Of an answer either `answer_body` (sealed) or `answer_text` is there.

alter table idempotency_keys add column answer_text text;
