import { type Static, Type } from 'typebox';
import { Closed, Nullable, OneOf, Timestamp } from '../schema.ts';

const DomainStatus = OneOf(['pending', 'active', 'failed'], {
  description:
    '`pending`: the service waits for the DNS records. `active`: your pages are served here. `failed`: the records were missing or wrong for too long.',
});

/** A DNS record that the merchant creates. */
const DnsRecord = Type.Object({
  type: OneOf(['CNAME', 'A', 'AAAA', 'TXT'], { description: 'Type of the record.', examples: ['CNAME'] }),
  name: Type.String({ description: 'Name of the record.', examples: ['pay.shop.example.com'] }),
  value: Type.String({ description: 'Value of the record.', examples: ['pay.example.com'] }),
});

/** Why the last check of the domain failed. */
const DomainFailure = Type.Object({
  code: OneOf(['address_missing', 'address_elsewhere', 'txt_missing', 'dns_unavailable', 'taken'], {
    description: 'Machine-readable reason.',
    examples: ['txt_missing'],
  }),
  message: Type.String({ examples: ['The TXT record _pay-checkout.pay.shop.example.com is missing.'] }),
});

/** A host name of the merchant under which its hosted pages are served. */
export const Domain = Type.Object({
  id: Type.String({ examples: ['dom_8GKYqrTwjUPD8ILPZIo2La'] }),
  object: Type.Literal('domain'),
  name: Type.String({ description: 'The host name.', examples: ['pay.shop.example.com'] }),
  status: DomainStatus,
  primary: Type.Boolean({
    description: 'Whether new addresses of pages use this domain. It is your newest active domain.',
  }),
  url: Type.String({
    description: 'Where your pages are, once the domain is active.',
    examples: ['https://pay.shop.example.com'],
  }),
  dns_records: Type.Array(DnsRecord, { description: 'Records to create at your DNS provider. Keep both.' }),
  failure: Nullable(DomainFailure, 'Why the last check failed; null otherwise.'),
  verified_at: Nullable(Timestamp, 'When the records were first found; null before.'),
  checked_at: Nullable(Timestamp, 'When the records were last checked; null before.'),
  livemode: Type.Boolean(),
  created_at: Timestamp,
});
export type Domain = Static<typeof Domain>;

/** Body of `POST /v1/domains`. */
export const CreateDomain = Closed({
  name: Type.String({
    minLength: 1,
    maxLength: 300,
    description: 'A host name of yours that serves nothing else, without `https://`.',
    examples: ['pay.shop.example.com'],
  }),
});
export type CreateDomain = Static<typeof CreateDomain>;
