-- Files of identity checks, such as pictures of documents.

-- A field of a customer has one file. `key_id` names the key that encrypted the file (AES-256-GCM).
create table kyc_files (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  customer_id text not null,
  field text not null,
  type text not null check (type in ('image/jpeg', 'image/png', 'image/webp', 'application/pdf')),
  -- Size and SHA-256 of the readable file.
  size integer not null,
  sha256 text not null,
  key_id text not null,
  sealed bytea not null,
  created_at timestamptz not null,
  primary key (merchant_id, id)
);
create unique index kyc_files_of_customer on kyc_files (merchant_id, customer_id, field);
-- Encrypted bytes cannot be compressed.
alter table kyc_files alter column sealed set storage external;

-- Customers whose personal data was erased. A record proves the erasure, and repeats the answer.
create table erased_customers (
  merchant_id text not null,
  id text not null,
  livemode boolean not null,
  -- The key or person that asked for it.
  erased_by text,
  erased_at timestamptz not null,
  -- The legal records that stay: [{object, count}].
  kept jsonb not null,
  primary key (merchant_id, id)
);
