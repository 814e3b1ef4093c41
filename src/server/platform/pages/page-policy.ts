import type { FastifyReply } from 'fastify';
import { parseOrigin } from '../../../core/web-address.ts';
import type { Merchant } from '../merchant.ts';

/** Directives that a page adds to the common Content-Security-Policy. Each value is a list of sources. */
export type Policy = Readonly<Record<string, readonly string[]>>;

/** Local development servers, under the two common names of this machine, on any port. */
const loopback = ['http://localhost:*', 'http://127.0.0.1:*'];

/** Sites that may frame the merchant's pages: `allowed_origins`, the service, and in test mode loopback. */
export function frameAncestors(merchant: Pick<Merchant, 'allowedOrigins'>, livemode: boolean): readonly string[] {
  const listed = merchant.allowedOrigins.map(parseOrigin).filter(origin => origin !== null);
  return ["'self'", ...listed, ...(livemode ? [] : loopback)];
}

/** The merchant and mode of a page, and the service's URL. */
export interface PayeePage {
  readonly publicUrl: string;
  readonly merchant: Pick<Merchant, 'allowedOrigins'>;
  readonly livemode: boolean;
}

/** Like `protectPage`, for a merchant's page on which the element takes a payment. */
export function protectPayeePage(reply: FastifyReply, { publicUrl, merchant, livemode }: PayeePage): FastifyReply {
  const publicOrigin = new URL(publicUrl).origin;
  return protectPage(reply, {
    'script-src': ["'self'"],
    'style-src': ["'self'"],
    'img-src': ["'self'", 'data:', 'https:', ...(livemode ? [] : loopback)],
    'connect-src': ["'self'", publicOrigin],
    'frame-src': ["'self'", publicOrigin],
    'frame-ancestors': frameAncestors(merchant, livemode),
    'require-trusted-types-for': ["'script'"],
    'trusted-types': ['lit-html'],
  });
}

/** Sets the headers of a page. The page may load only what `policy` lists, and is not cached. */
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
