-- The version of the API that a key's calls get unless they name another one: the newest when the key was made.
alter table api_keys add column api_version text not null default '2026-11-01';
