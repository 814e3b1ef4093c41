import type { FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { PayError } from '../../../../core/error.ts';
import type { Log } from '../../logging.ts';
import { networkOf } from './rate-limit.ts';

/**
 * Programs that open every address in a message for previews or scans. Their names stand first or with a version;
 * phones and apps have any name.
 */
const machines = new RegExp(
  [
    'https?://|^[\\w-]*bot\\b|bot/v?\\d|compatible;[^)]*bot\\b|crawl|spider|slurp|preview|scan|embedly|headlesschecker',
    '^whatsapp/|facebookexternalhit|meta-external|curl|wget|python-requests|go-http-client',
  ].join('|'),
  'i',
);

/** Longer names belong to no browser and are cut. */
function nameOf({ 'user-agent': name = '' }: FastifyRequest['headers']): string {
  return name.slice(0, 512);
}

/** Headers that announce a prefetch. */
const purposes = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const;

/** Whether a person opened the page: no announced program, no prefetch, no HEAD request. */
export function isPerson({ headers, method }: Pick<FastifyRequest, 'headers' | 'method'>): boolean {
  const isAhead = purposes.some(name => /prefetch|prerender|preview/i.test(String(headers[name] ?? '')));
  return method !== 'HEAD' && !isAhead && !machines.test(nameOf(headers));
}

/** Whether the client is a browser that shows a page. */
export function asksForPage({ headers, method }: Pick<FastifyRequest, 'headers' | 'method'>): boolean {
  return method === 'GET' && headers.accept?.includes('text/html') === true;
}

/** Tells anonymous visitors apart: by their network, and by network and browser name. */
export function visitorOf({ headers, ip }: Pick<FastifyRequest, 'headers' | 'ip'>) {
  const network = networkOf(ip);
  return { network, browser: `${network} ${nameOf(headers)}` };
}

/** Aborts when the client disconnects before the answer, so that work for it alone can stop. */
export function whenClientLeaves({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const leaving = new AbortController();
  const leave = () => leaving.abort(new PayError('request_timeout', 'Whoever asked has left before the answer.'));
  if (raw.destroyed) leave();
  raw.once('close', () => raw.writableFinished || leave());
  return leaving.signal;
}

/** Reports proxies that the settings do not name. */
export type ForwardedWatch = ReturnType<typeof createForwardedWatch>;

const setting =
  'if it is a proxy of yours that sets the header itself, name it in PAY_TRUSTED_PROXIES, or all who come through it count as one address';

/**
 * Watches for X-Forwarded-For from untrusted peers and logs it once. A peer with a private address may be the
 * operator's proxy: the log names it and a remark stays until a restart. Other peers may be visitors with a false
 * header, so only the log mentions them.
 */
export function createForwardedWatch(log: Pick<Log, 'warn'>) {
  const seen = { proxy: false, stranger: false };
  return {
    look: ({ headers, ips = [], socket }: FastifyRequest) => {
      // A trusted peer adds the address that it forwards to its own.
      if (headers['x-forwarded-for'] === undefined || ips.length > 1) return;
      const peer = socket.remoteAddress ?? '';
      const isPrivate = ipaddr.isValid(peer) && privateRanges.includes(ipaddr.process(peer).range());
      const kind = isPrivate ? 'proxy' : 'stranger';
      if (seen[kind]) return;
      seen[kind] = true;
      log.warn({ ...(kind === 'proxy' && { peer }) }, `X-Forwarded-For of a peer that is not trusted: ${setting}`);
    },
    /** Sentences for the operator. */
    remarks: () => (seen.proxy ? [`proxy: X-Forwarded-For is not believed: ${setting}`] : []),
  };
}

const privateRanges = ['private', 'loopback', 'linkLocal', 'uniqueLocal', 'carrierGradeNat'];
