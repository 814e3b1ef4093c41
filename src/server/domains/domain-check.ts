import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';
import type { Domain } from '../../api/dashboard/domain.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Dns } from './dns.ts';
import type { DomainRow, FailureCode } from './tables.ts';

export interface DomainCheckDeps {
  readonly dns: Dns;
  readonly secrets: Pick<Secrets, 'domainToken'>;
  readonly publicUrl: () => string;
  /** Whether names below `.localhost` are allowed. They need no records: they lead to this machine (RFC 6761 §6.3). */
  readonly allowLocalhost: boolean;
}

type OwnedName = Pick<DomainRow, 'merchant_id' | 'name'>;
type Records = { readonly address: DnsRecord; readonly proof: DnsRecord };
type DnsRecord = Domain['dns_records'][number];

/** The host to which domains point: the host of the service's URL. */
export function targetOf(publicUrl: string): string {
  return new URL(publicUrl).hostname.replace(/^\[|\]$/g, '');
}

export function isLocalhost(name: string): boolean {
  return name.endsWith('.localhost');
}

/** The DNS records that the merchant creates. `address` leads to the service; `proof` shows who owns the domain. */
export function recordsOf(
  { secrets, publicUrl }: Pick<DomainCheckDeps, 'secrets' | 'publicUrl'>,
  { merchant_id: merchantId, name }: OwnedName,
): Records {
  const target = targetOf(publicUrl());
  const type = ({ 0: 'CNAME', 4: 'A', 6: 'AAAA' } as const)[isIP(target)] ?? 'CNAME';
  const token = secrets.domainToken(merchantId, name);
  return {
    address: { type, name, value: target },
    proof: { type: 'TXT', name: `_pay-checkout.${name}`, value: `pay-checkout=${token}` },
  };
}

/** Time limit of a check, in milliseconds. After it, the result is `dns_unavailable`. */
const longestMs = 8_000;

/**
 * Checks that the domain leads to the service and that its TXT record names the merchant. Without the TXT record, a
 * merchant could take another merchant's domain if its CNAME still leads here. Returns null if both records are right.
 */
export async function checkDns(deps: DomainCheckDeps, domain: OwnedName): Promise<FailureCode | null> {
  if (deps.allowLocalhost && isLocalhost(domain.name)) return null;
  const { address, proof } = recordsOf(deps, domain);
  const late = sleep<FailureCode>(longestMs, 'dns_unavailable', { ref: false });
  const check = async (): Promise<FailureCode | null> => {
    const [wrongAddress, texts] = await Promise.all([addressFailure(deps.dns, address), deps.dns.txt(proof.name)]);
    if (wrongAddress !== null) return wrongAddress;
    return texts.some(text => text.trim() === proof.value) ? null : 'txt_missing';
  };
  return await Promise.race([check().catch((): FailureCode => 'dns_unavailable'), late]);
}

/**
 * Accepts a CNAME to the service, and IP addresses that all belong to the service. DNS providers that flatten a CNAME
 * answer with such addresses.
 */
async function addressFailure(dns: Dns, { name, value: target }: DnsRecord): Promise<FailureCode | null> {
  const [aliases, found] = await Promise.all([dns.cname(name), dns.addresses(name)]);
  if (aliases.some(alias => alias.toLowerCase().replace(/\.$/, '') === target)) return null;
  if (found.length === 0) return aliases.length === 0 ? 'address_missing' : 'address_elsewhere';
  const own = (isIP(target) === 0 ? await dns.addresses(target) : [target]).map(plainAddress);
  return found.every(address => own.includes(plainAddress(address))) ? null : 'address_elsewhere';
}

/** One spelling for each IP address. */
function plainAddress(address: string): string {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
}
