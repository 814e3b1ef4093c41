import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Merchant } from '../../merchant.ts';
import { isForBrowsers, pathOf } from './caller.ts';
import type { RouteTable } from './route-description.ts';

const exposedHeaders =
  'Request-Id, Pay-Version, Pay-Server-Time, Idempotent-Replayed, RateLimit, RateLimit-Policy, Retry-After, Location';
const requestHeaders = ['Authorization', 'Content-Type', 'Idempotency-Key', 'Pay-Version', 'Last-Event-ID'];

/** Whether the origin is on the visitor's own machine (RFC 6761 §6.3, RFC 5735 §3), with any port. */
export function isLoopbackOrigin(origin: string): boolean {
  return /^https?:\/\/(localhost|[a-z0-9-]+\.localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/.test(origin);
}

/**
 * Whether pages of the origin may use the merchant's publishable keys and client secrets. Allowed are the merchant's
 * `allowed_origins`, the origins of the hosted pages (`own`), and loopback origins in test mode. `@fastify/cors` cannot
 * check this. Before authentication, its hook does not know the merchant. After authentication, its hook misses error
 * responses (401, 429), which pages must read.
 */
export function isOriginAllowed(
  origin: string,
  caller: { readonly merchant: Pick<Merchant, 'allowedOrigins'>; readonly livemode: boolean },
  own: readonly string[],
): boolean {
  return (
    own.includes(origin) ||
    caller.merchant.allowedOrigins.includes(origin) ||
    (!caller.livemode && isLoopbackOrigin(origin))
  );
}

/** Lets the browser pass the response to the page. */
export function allowOrigin(reply: FastifyReply, origin: string): void {
  reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', exposedHeaders);
}

/**
 * Responds to a preflight request (Fetch §3.2.2), which has no key. All origins may query the routes for browsers. The
 * actual request is checked when it comes. `guestHeaders`: the headers of guests' secrets.
 */
export function createPreflight(routes: RouteTable, guestHeaders: readonly string[]) {
  const allowed = [...requestHeaders, ...guestHeaders].join(', ');
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const { origin } = request.headers;
    const method = request.headers['access-control-request-method'];
    const path = pathOf(request);
    const access = typeof method === 'string' ? routes.accessOf(path, method) : null;
    reply.header('vary', 'Origin, Access-Control-Request-Method');
    if (origin !== undefined && access !== null && isForBrowsers(access)) {
      reply
        .header('access-control-allow-origin', origin)
        .header('access-control-allow-methods', routes.methodsOf(path).join(', '))
        .header('access-control-allow-headers', allowed)
        .header('access-control-max-age', '7200');
    }
    return reply
      .code(204)
      .header('allow', [...routes.methodsOf(path), 'OPTIONS'].join(', '))
      .send();
  };
}
