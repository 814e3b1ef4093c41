import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Log } from '../../logging.ts';

/** Tells the operator of a proxy that the settings do not name. */
export interface ForwardedWatch {
  /** Looks whom a request came through. */
  readonly look: (request: FastifyRequest) => void;
  /** What the operator should see to, in sentences. */
  readonly remarks: () => readonly string[];
}

const setting =
  'if it is a proxy of yours that sets the header itself, name it in PAY_TRUSTED_PROXIES, or all who come through it count as one address';

/**
 * Watches for X-Forwarded-For from a peer that is not trusted, and logs it once. A peer with an address of a private
 * network may be a proxy of the operator's: the log names it, and a remark stands until the server starts anew. Any other
 * may be a visitor who claims something, so that nothing but a line of the log comes of it.
 */
export function createForwardedWatch(log: Pick<Log, 'warn'>): ForwardedWatch {
  const seen = { proxy: false, stranger: false };
  return {
    look: ({ headers, ips = [], socket }) => {
      // With a trusted peer there are two addresses at least: its own, and the one that it forwards.
      if (headers['x-forwarded-for'] === undefined || ips.length > 1) return;
      const peer = socket.remoteAddress ?? '';
      const kind = isPrivate(peer) ? 'proxy' : 'stranger';
      if (seen[kind]) return;
      seen[kind] = true;
      log.warn({ ...(kind === 'proxy' && { peer }) }, `X-Forwarded-For of a peer that is not trusted: ${setting}`);
    },
    remarks: () => (seen.proxy ? [`proxy: X-Forwarded-For is not believed: ${setting}`] : []),
  };
}

const privateRanges: ReadonlySet<string> = new Set([
  ...['private', 'loopback', 'linkLocal', 'uniqueLocal', 'carrierGradeNat'],
]);

function isPrivate(address: string): boolean {
  return ipaddr.isValid(address) && privateRanges.has(ipaddr.process(address).range());
}
