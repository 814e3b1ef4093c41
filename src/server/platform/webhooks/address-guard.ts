import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import ipaddr from 'ipaddr.js';
import { PayError } from '../../../core/error.ts';

/** An address a name stands for. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Finds every address of a name. Rejects when there is none. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

/** Where webhooks may go. */
export interface AddressRules {
  /** Live mode takes https only, and never a loopback address. */
  readonly livemode: boolean;
  /** The setting `PAY_WEBHOOK_ALLOW_LOOPBACK`: in test mode, this machine itself may be called. */
  readonly allowLoopback: boolean;
  /** The one loopback address test mode may call without that setting: the service's own demo shop, if it is there. */
  readonly ownUrl: () => string | null;
}

/** Ends a connection attempt before any packet leaves. */
function lookupError(code: 'blocked_ip' | 'dns_failed', hostname: string) {
  return Object.assign(new Error(`${hostname}: ${code}`), { code });
}

/** Ports below 1024 that webhooks may use; from 1024 on, all but the ones below. */
const lowPorts: ReadonlySet<number> = new Set([80, 443]);

/** Ports of databases, queues, container and cluster control, remote desktops: never a webhook, always worth attacking. */
const refusedPorts: ReadonlySet<number> = new Set([
  1433, 1434, 1521, 1723, 1883, 2049, 2181, 2375, 2376, 2379, 2380, 3128, 3268, 3306, 3389, 4369, 5060, 5061, 5432,
  5433, 5671, 5672, 5900, 5901, 5984, 5985, 5986, 6000, 6379, 6380, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6697,
  7000, 7001, 8086, 8300, 8301, 8500, 9042, 9092, 9160, 9200, 9300, 9418, 10250, 10255, 11211, 15672, 26257, 27017,
  27018, 27019, 50000,
]);

/** Names that never leave the network they are used in. */
const privateSuffixes = ['localhost', 'local', 'internal', 'intranet', 'lan', 'home', 'corp', 'home.arpa', 'onion'];

/** The rules for this address: loopback is allowed when it is exactly the service's own. */
export function rulesFor(url: URL, rules: AddressRules): AddressRules {
  const own = rules.ownUrl();
  const isOwn = own !== null && URL.canParse(own) && new URL(own).href === url.href && isLoopbackHost(hostOf(url));
  return isOwn ? { ...rules, allowLoopback: true } : rules;
}

/**
 * Checks a webhook address without asking a name server, and returns it parsed. The WHATWG parser has already turned
 * every spelling of an IPv4 address (octal, hex, short, full-width) into the plain one. Throws PayError
 * `forbidden_url`.
 */
export function parseAllowedUrl(text: string, rules: AddressRules): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || hasControls(text)) throw forbidden('is no absolute URL');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw forbidden('must start with https://');
  if (url.username !== '' || url.password !== '') throw forbidden('must not contain a user name or password');
  const host = hostOf(url);
  const loopback = rulesFor(url, rules).allowLoopback && !rules.livemode && isLoopbackHost(host);
  if (rules.livemode && url.protocol !== 'https:') throw forbidden('must start with https:// in live mode');
  if (!isAllowedPort(url)) throw forbidden(`uses port ${url.port}, which webhooks may not`);
  if (loopback) return url;
  if (ipaddr.isValid(host) ? !isAllowedAddress(host, rules) : !isPublicName(host)) {
    throw forbidden('leads into a private network, where webhooks may not go');
  }
  return url;
}

/** How long the check of a new address waits for the name servers, in milliseconds. */
const patienceMs = 2_000;

/** As `parseAllowedUrl`, and resolves the name. An unknown name passes: each delivery resolves it again. */
export async function assertAllowedUrl(text: string, rules: AddressRules, resolve: Resolve): Promise<void> {
  const url = parseAllowedUrl(text, rules);
  const host = hostOf(url);
  if (ipaddr.isValid(host)) return;
  const late = sleep(patienceMs, [], { ref: false });
  const addresses = await Promise.race([resolve(host).catch(() => []), late]);
  if (addresses.some(({ address }) => !isAllowedAddress(address, rulesFor(url, rules)))) {
    throw forbidden('leads into a private network, where webhooks may not go');
  }
}

/**
 * Whether a packet may go to the address: global unicast, or loopback where allowed. All special-purpose ranges of the
 * IANA registries are refused, tunnels that carry an IPv4 address (6to4, Teredo, NAT64) included.
 */
export function isAllowedAddress(address: string, rules: AddressRules): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  const range = parsed.range();
  if (range === 'loopback') return rules.allowLoopback && !rules.livemode;
  return range === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(globalUnicast));
}

/** 2000::/3, the only part of IPv6 that is given out. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

/**
 * A socket's `lookup` that refuses a name when any of its addresses is not allowed. The socket connects to a checked
 * address, so later answers of the name server do not count.
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
 * The resolver of the service. It queries name servers directly: `getaddrinfo` blocks one of the process's few threads
 * for each dead one.
 */
export function createResolve(): Resolve {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 });
  return async hostname => {
    if (hostname === 'localhost') return loopbackAddresses;
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

/** Characters the URL parser would silently drop or turn into a slash. */
function hasControls(text: string): boolean {
  return [...text].some(character => character <= ' ' || character === '\\' || character === '\u007f');
}

function forbidden(reason: string): PayError {
  return new PayError('forbidden_url', `The webhook address ${reason}.`, { param: 'url' });
}
