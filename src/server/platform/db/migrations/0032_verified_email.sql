-- When the person last proved to read the mails of the current address. Earlier people have not proved it.
alter table people add column email_verified_at timestamptz;
