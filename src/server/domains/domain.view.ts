import type { Domain } from '../../api/dashboard/domain.ts';
import { type DomainCheckDeps, recordsOf } from './domain-check.ts';
import type { DomainRow, FailureCode } from './tables.ts';

/** The service's URL with another host name. It keeps scheme and port, and has no final slash. */
export function urlWithHost(publicUrl: string, name: string): string {
  const url = new URL(publicUrl);
  url.hostname = name;
  return url.origin;
}

/** The domain in its wire form. `primaryId` is the id of the merchant's primary domain. */
export function domainToWire(
  deps: Pick<DomainCheckDeps, 'secrets' | 'publicUrl'>,
  row: DomainRow,
  primaryId: string | null,
): Domain {
  const records = recordsOf(deps, row);
  const { failure } = row;
  return {
    id: row.id,
    object: 'domain',
    name: row.name,
    status: row.status,
    primary: row.id === primaryId,
    url: urlWithHost(deps.publicUrl(), row.name),
    dns_records: [records.address, records.proof],
    failure: failure === null ? null : { code: failure, message: messages[failure](records) },
    verified_at: row.verified_at?.toISOString() ?? null,
    checked_at: row.checked_at?.toISOString() ?? null,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
  };
}

/** Messages that say what is wrong and what to do. */
const messages: Readonly<Record<FailureCode, (records: ReturnType<typeof recordsOf>) => string>> = {
  address_missing: ({ address: { type, name, value } }) =>
    `${name} has no ${type} record yet. Create one with the value ${value}.`,
  address_elsewhere: ({ address: { type, name, value } }) =>
    `${name} leads to another server. Its ${type} record must have the value ${value}. Switch off a proxy of your DNS provider.`,
  txt_missing: ({ proof: { name, value } }) => `${name} has no TXT record with the value ${value}. Create it.`,
  dns_unavailable: ({ address: { name } }) => `The name servers of ${name} did not answer. We check again soon.`,
  taken: ({ address: { name } }) => `Another account of this service uses ${name}. It must remove the domain first.`,
};
