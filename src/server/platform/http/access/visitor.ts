import type { FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { PayError } from '../../../../core/error.ts';
import type { Log } from '../../logging.ts';
import { isLoopbackOrigin } from './cors.ts';
import { networkOf } from './rate-limit.ts';

/**
 * Programs that open the URLs in a message for previews or scans. Names of phones and apps may contain `bot` or
 * `whatsapp`, so these words match only in the places where programs have them.
 */
const machines = new RegExp(
  [
    'https?://|^[\\w-]*bot\\b|bot/v?\\d|compatible;[^)]*bot\\b|crawl|spider|slurp|preview|scan|embedly|headlesschecker',
    '^whatsapp/|facebookexternalhit|meta-external|curl|wget|python-requests|go-http-client',
  ].join('|'),
  'i',
);

/** The client's name, cut at a length that no browser name has. */
function nameOf({ 'user-agent': name = '' }: FastifyRequest['headers']): string {
  return name.slice(0, 512);
}

/** Headers that announce a prefetch. */
const purposes = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const;

/** Whether a person opened the page, not a known program, a prefetch or a HEAD request. */
export function isPerson({ headers, method }: Pick<FastifyRequest, 'headers' | 'method'>): boolean {
  const isPrefetch = purposes.some(name => /prefetch|prerender|preview/i.test(String(headers[name] ?? '')));
  return method !== 'HEAD' && !isPrefetch && !machines.test(nameOf(headers));
}

/** Whether the client is a browser that requests a page. */
export function asksForPage({ headers, method }: Pick<FastifyRequest, 'headers' | 'method'>): boolean {
  return method === 'GET' && headers.accept?.includes('text/html') === true;
}

/** Identifies anonymous visitors: by network, and by network with browser name. */
export function visitorOf({ headers, ip }: Pick<FastifyRequest, 'headers' | 'ip'>) {
  const network = networkOf(ip);
  return { network, browser: `${network} ${nameOf(headers)}` };
}

/** Aborts if the client disconnects before the response. Work for the client can then stop. */
export function whenClientLeaves({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const leaving = new AbortController();
  const leave = () => leaving.abort(new PayError('request_timeout', 'The client disconnected before the response.'));
  if (raw.destroyed) leave();
  raw.once('close', () => raw.writableFinished || leave());
  return leaving.signal;
}

/** Reports proxies that the settings do not list. */
export type ForwardedWatch = ReturnType<typeof createForwardedWatch>;

const setting =
  'if this is your own proxy and it sets the header itself, add it to PAY_TRUSTED_PROXIES. Otherwise all visitors behind it count as one address';

/**
 * Watches for X-Forwarded-For from untrusted peers. A peer with a private IP address may be the operator's proxy. The
 * log names the first such peer, and a remark stays until a restart. Other peers may be visitors with a forged header.
 * Only the first is logged, without its address and without a remark.
 */
export function createForwardedWatch(log: Pick<Log, 'warn'>) {
  const seen = { proxy: false, stranger: false };
  return {
    note: ({ headers, ips = [], socket }: FastifyRequest) => {
      // With a trusted peer, `ips` has more than the peer's own IP address.
      if (headers['x-forwarded-for'] === undefined || ips.length > 1) return;
      const peer = socket.remoteAddress ?? '';
      const isPrivate = isPrivateAddress(peer);
      const kind = isPrivate ? 'proxy' : 'stranger';
      if (seen[kind]) return;
      seen[kind] = true;
      log.warn({ ...(kind === 'proxy' && { peer }) }, `X-Forwarded-For of an untrusted peer was ignored: ${setting}`);
    },
    /** Messages for the operator. */
    remarks: () => (seen.proxy ? [`proxy: X-Forwarded-For is ignored: ${setting}`] : []),
  };
}

/**
 * Whether the visitor uses the server on the machine where it runs: by a local name, and without a proxy. In a
 * container, visitors of the same machine have a private address.
 */
export function isOnOwnMachine({ headers, host, socket }: FastifyRequest, publicUrl: string): boolean {
  const isLocal = isLoopbackOrigin(new URL(publicUrl).origin) && isLoopbackOrigin(`http://${host}`);
  const isProxied = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
  return isLocal && !isProxied && isPrivateAddress(socket.remoteAddress ?? '');
}

function isPrivateAddress(address: string): boolean {
  return ipaddr.isValid(address) && privateRanges.includes(ipaddr.process(address).range());
}

const privateRanges = ['private', 'loopback', 'linkLocal', 'uniqueLocal', 'carrierGradeNat'];
