-- Test mode can have several card acquirers. Each knows only its own tokens and charges.

alter table sandbox.card_tokens add column rail text not null default 'sandbox_card';
alter table sandbox.charges add column rail text not null default 'sandbox_card';
