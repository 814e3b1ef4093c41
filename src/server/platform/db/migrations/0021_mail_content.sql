-- A mail keeps what it says. How that looks is made of it when it is sent, in the merchant's look of that day: HTML is four
-- times as much to write and to keep, for every mail, of which many are sent with sentences newer than those anyway.
-- A server of the version before sends such a mail by what is drawn for it; one that nothing is drawn for it leaves to be tried again.

-- {language, direction, heading, paragraphs, amount, facts, action, notes}; null: written before, as html and text.
alter table mails add column content json;
alter table mails alter column html drop not null, alter column text drop not null;
-- Of what there was it holds, and nobody waits until that is looked through.
alter table mails add constraint mails_say_something
  check (content is not null or (html is not null and text is not null)) not valid;
