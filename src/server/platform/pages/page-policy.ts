import type { FastifyReply } from 'fastify';
import { parseOrigin } from '../../../core/web-address.ts';
import type { PageHosts } from '../http/access/page-hosts.ts';
import type { Merchant } from '../merchant.ts';

/** Directives that a page adds to the common Content-Security-Policy. Each value is a list of sources. */
export type Policy = Readonly<Record<string, readonly string[]>>;

/** Local development servers, under the two common names of this machine, on any port. */
const loopback = ['http://localhost:*', 'http://127.0.0.1:*'];

/** The merchant and mode of a page. */
export interface PayeePage {
  readonly merchant: Pick<Merchant, 'id' | 'allowedOrigins'>;
  readonly livemode: boolean;
}

interface PolicyDeps {
  readonly publicUrl: () => string;
  readonly hosts: PageHosts;
}

/**
 * Sites that may frame the merchant's pages: the page's own host, `allowed_origins`, the merchant's domains, and in
 * test mode loopback.
 */
export function frameAncestors({ hosts }: Pick<PolicyDeps, 'hosts'>, { merchant, livemode }: PayeePage) {
  const listed = merchant.allowedOrigins.map(parseOrigin).filter(origin => origin !== null);
  return ["'self'", ...listed, ...hosts.originsOf(merchant.id), ...(livemode ? [] : loopback)];
}

/** Like `protectPage`, for a merchant's page on which the element takes a payment. */
export function protectPayeePage(reply: FastifyReply, deps: PolicyDeps, page: PayeePage): FastifyReply {
  const { livemode } = page;
  // The card frame comes from the service's own origin, also on a merchant's domain.
  const publicOrigin = new URL(deps.publicUrl()).origin;
  return protectPage(reply, {
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    'img-src': ["'self'", 'data:', 'https:', ...(livemode ? [] : loopback)],
    'connect-src': ["'self'", publicOrigin],
    'frame-src': ["'self'", publicOrigin],
    'frame-ancestors': frameAncestors(deps, page),
    'require-trusted-types-for': ["'script'"],
    'trusted-types': ['lit-html'],
  });
}

/** Sets the headers of a page. The page may load only from the sources in `policy`, and is not cached. */
export function protectPage(reply: FastifyReply, policy: Policy): FastifyReply {
  const directives = { 'default-src': ["'none'"], 'base-uri': ["'none'"], 'form-action': ["'none'"], ...policy };
  const text = Object.entries(directives).map(([name, sources]) => [name, ...sources].join(' '));
  return reply
    .removeHeader('x-frame-options')
    .header('content-security-policy', text.join('; '))
    .header('referrer-policy', 'no-referrer')
    .header('permissions-policy', 'camera=(), microphone=(), geolocation=(), usb=()')
    .header('x-content-type-options', 'nosniff')
    .header('x-robots-tag', 'noindex')
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8');
}
