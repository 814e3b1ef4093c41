-- Whether a mail may have arrived is written down when the end of its message is about to be sent. Read from a lease that was
-- over, it was said of mails too that were never sent, because their process ended while it drew what goes with them.

-- An attempt came to the end of its message, and nobody knows how that ended.
alter table mails add column doubtful boolean not null default false;
update mails set doubtful = true where attempts > 0 and leased_until is not null and status <> 'sent';
