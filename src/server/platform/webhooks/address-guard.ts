import { lookup, Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';
import { PayError } from '../../../core/error.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Finds every IP address of a host name. Rejects if there is none. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export interface AddressRules {
  /** Live mode allows only https, and no loopback address outside `allowedNetworks`. */
  readonly livemode: boolean;
  /** The setting `PAY_WEBHOOK_ALLOW_LOOPBACK`: whether test mode may call this machine. */
  readonly allowLoopback: boolean;
  /** The setting `PAY_WEBHOOK_ALLOWED_NETWORKS`: addresses and CIDR ranges of private networks that may be called. */
  readonly allowedNetworks: readonly string[];
  /** The URL of the service's own demo shop, or null. If the URL leads to this machine, test mode may still call it. */
  readonly ownUrl: () => string | null;
}

/** An error that ends a connection attempt before any packet is sent. */
function lookupError(code: 'blocked_ip' | 'dns_failed', hostname: string) {
  return Object.assign(new Error(`${hostname}: ${code}`), { code });
}

/** Ports below 1024 that webhooks may use. Ports from 1024 on are allowed, except `refusedPorts`. */
const lowPorts: ReadonlySet<number> = new Set([80, 443]);

/** Ports of databases, queues, cluster control and remote desktops. Attackers use these ports; webhooks do not. */
const refusedPorts: ReadonlySet<number> = new Set([
  1433, 1434, 1521, 1723, 1883, 2049, 2181, 2375, 2376, 2379, 2380, 3128, 3268, 3306, 3389, 4369, 5060, 5061, 5432,
  5433, 5671, 5672, 5900, 5901, 5984, 5985, 5986, 6000, 6379, 6380, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6697,
  7000, 7001, 8086, 8300, 8301, 8500, 9042, 9092, 9160, 9200, 9300, 9418, 10250, 10255, 11211, 15672, 26257, 27017,
  27018, 27019, 50000,
]);

/** Suffixes of host names that the public DNS does not resolve. */
const privateSuffixes = ['localhost', 'local', 'internal', 'intranet', 'lan', 'home', 'corp', 'home.arpa', 'onion'];

/** The rules for this URL. Loopback is allowed for the demo shop's URL (`ownUrl`). */
export function rulesFor(url: URL, rules: AddressRules): AddressRules {
  const own = rules.ownUrl();
  const isOwn = own !== null && URL.canParse(own) && new URL(own).href === url.href && isLoopbackHost(hostOf(url));
  return isOwn ? { ...rules, allowLoopback: true } : rules;
}

/**
 * Checks a webhook URL without querying a name server, and returns it parsed. The WHATWG parser has already turned
 * every spelling of an IPv4 address (octal, hex, short, full-width) into the plain spelling. Throws PayError
 * `forbidden_url`.
 */
export function parseAllowedUrl(text: string, rules: AddressRules): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || hasControls(text)) throw forbidden('is not an absolute URL');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw forbidden('must start with https://');
  if (url.username !== '' || url.password !== '') throw forbidden('must not contain a user name or password');
  const host = hostOf(url);
  const loopback = rulesFor(url, rules).allowLoopback && !rules.livemode && isLoopbackHost(host);
  if (rules.livemode && url.protocol !== 'https:') throw forbidden('must start with https:// in live mode');
  if (!isAllowedPort(url)) throw forbidden(`uses port ${url.port}, which is not allowed for webhooks`);
  if (loopback) return url;
  const mayBePrivate = rules.allowedNetworks.length > 0;
  if (ipaddr.isValid(host) ? !isAllowedAddress(host, rules) : !isPublicName(host) && !mayBePrivate) {
    throw leadsInside(isLoopbackHost(host), rules);
  }
  return url;
}

/** Milliseconds for which the check of a new URL waits for the name servers. */
const timeoutMs = 2_000;

/**
 * Checks a URL as `parseAllowedUrl` does, and also the IP addresses of its host name. An unknown host name is accepted,
 * because each delivery resolves the name again.
 */
export async function assertAllowedUrl(text: string, rules: AddressRules, resolve: Resolve): Promise<void> {
  const url = parseAllowedUrl(text, rules);
  const host = hostOf(url);
  if (ipaddr.isValid(host)) return;
  const late = sleep(timeoutMs, [], { ref: false });
  const addresses = await Promise.race([resolve(host).catch(() => []), late]);
  const refused = addresses.find(({ address }) => !isAllowedAddress(address, rulesFor(url, rules)));
  if (refused !== undefined) throw leadsInside(isLoopbackHost(refused.address), rules);
}

/** The error for an address on this machine or in a private network. Names the setting that would allow it. */
function leadsInside(isLoopback: boolean, { livemode }: AddressRules): PayError {
  if (isLoopback && livemode) return forbidden('leads to this machine, which live mode does not call');
  return isLoopback
    ? forbidden('leads to this machine; the setting PAY_WEBHOOK_ALLOW_LOOPBACK=1 allows that in test mode')
    : forbidden('leads into a private network; the setting PAY_WEBHOOK_ALLOWED_NETWORKS opens chosen networks');
}

/**
 * Whether webhooks may call the IP address: global unicast, an allowed network, or loopback if the rules allow it.
 * Refuses other special ranges of the IANA registries, and tunnels that carry an IPv4 address (6to4, Teredo, NAT64).
 */
export function isAllowedAddress(address: string, rules: AddressRules): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (rules.allowedNetworks.some(network => isInside(parsed, network))) return true;
  const range = parsed.range();
  if (range === 'loopback') return rules.allowLoopback && !rules.livemode;
  return range === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(globalUnicast));
}

/** Whether the IP address is in the network. The network is an IP address or a CIDR range. */
function isInside(address: ipaddr.IPv4 | ipaddr.IPv6, network: string): boolean {
  const [base, bits] = network.includes('/') ? ipaddr.parseCIDR(network) : [ipaddr.parse(network), 128];
  if (base.kind() !== address.kind()) return false;
  return address.match(base, Math.min(bits, base.toByteArray().length * 8));
}

/** 2000::/3, the only part of IPv6 from which public addresses are assigned. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

/**
 * A socket's `lookup` that refuses a name if any of its IP addresses is not allowed. The socket connects to a checked
 * IP address, so a later answer of the name server cannot redirect it.
 */
export function guardedLookup(rules: AddressRules, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname.replace(/\.$/, '')).then(
      addresses => {
        const bad = addresses.find(({ address }) => !isAllowedAddress(address, rules));
        const [first] = addresses;
        if (bad !== undefined || first === undefined) {
          callback(lookupError('blocked_ip', hostname), '');
        } else if (options.all === true) {
          callback(null, [...addresses]);
        } else {
          callback(null, first.address, first.family);
        }
      },
      () => callback(lookupError('dns_failed', hostname), ''),
    );
  };
}

/**
 * The resolver of the service. It queries name servers directly. `getaddrinfo` would block one of the process's few
 * threads while a name server does not answer. Only names of private networks need the hosts file and search domains.
 */
export function createResolve(): Resolve {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 });
  return async hostname => {
    if (hostname === 'localhost') return loopbackAddresses;
    if (!isPublicName(hostname)) return (await lookup(hostname, { all: true })) as ResolvedAddress[];
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = [...addressesOf(four, 4), ...addressesOf(six, 6)];
    if (found.length === 0) throw four.status === 'rejected' ? four.reason : new Error(`${hostname} has no address`);
    return found;
  };
}

const loopbackAddresses: readonly ResolvedAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

function addressesOf(answer: PromiseSettledResult<string[]>, family: 4 | 6): ResolvedAddress[] {
  return answer.status === 'fulfilled' ? answer.value.map(address => ({ address, family })) : [];
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');
}

function isPublicName(host: string): boolean {
  return host.includes('.') && !privateSuffixes.some(suffix => host.endsWith(`.${suffix}`));
}

function isAllowedPort(url: URL): boolean {
  if (url.port === '') return true;
  const port = Number(url.port);
  return port < 1024 ? lowPorts.has(port) : !refusedPorts.has(port);
}

/** Whether the text has characters that the URL parser would silently drop or turn into a slash. */
function hasControls(text: string): boolean {
  return [...text].some(character => character <= ' ' || character === '\\' || character === '\u007f');
}

function forbidden(reason: string): PayError {
  return new PayError('forbidden_url', `The webhook address ${reason}.`, { param: 'url' });
}
