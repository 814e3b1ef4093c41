-- Prompts without an answer of the operator. The service counts them for its operator.
create index mobile_money_prompts_unanswered on mobile_money_prompts (rail, expires_at) where state = 'sent';
