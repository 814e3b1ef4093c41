import type { FastifyRequest } from 'fastify';
import { PayError } from '../../../../core/error.ts';
import type { Merchant } from '../../merchant.ts';
import { isLoopbackOrigin } from './cors.ts';
import type { CallingPerson } from './roles.ts';

/** An open dashboard session: its person, and the merchant of the request. */
export interface OpenSession extends Omit<CallingPerson, 'token'> {
  readonly merchant: Merchant;
}

/** Finds open sessions by the token of the cookie, and derives their CSRF tokens. */
export interface Sessions {
  /**
   * The session of the cookie's token at the merchant. A null `merchantId` means the person's first merchant. Returns
   * null for an unknown or ended session. Throws `resource_missing` if the person does not belong to the merchant.
   */
  open(token: string, merchantId: string | null): Promise<OpenSession | null>;
  /** The CSRF token of the session. */
  csrfToken(token: string): string;
}

/** Cookies of the dashboard: one for the session, and one that identifies a known browser. */
type CookieKind = 'session' | 'device';

/**
 * The name of a cookie. On https, the prefix binds the cookie to this host (RFC 6265bis §4.1.3.2). On http, the name
 * contains the port, because all ports of a host share cookies.
 */
export function cookieName(publicUrl: string, kind: CookieKind): string {
  const { protocol, port } = new URL(publicUrl);
  if (protocol === 'https:') return `__Host-pay_${kind}`;
  return port === '' ? `pay_${kind}` : `pay_${kind}_${port}`;
}

/** The `Set-Cookie` header for a token. A null token removes the cookie. */
export function ownCookie(publicUrl: string, kind: CookieKind, token: string | null, maxAgeSeconds: number): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  const age = token === null ? 0 : maxAgeSeconds;
  return `${cookieName(publicUrl, kind)}=${token ?? ''}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${age}${secure}`;
}

/** The text of a cookie, or undefined. */
export function readCookie({ headers }: Pick<FastifyRequest, 'headers'>, name: string): string | undefined {
  const pair = headers.cookie?.split(';').find(text => text.trimStart().startsWith(`${name}=`));
  return pair?.trim().slice(name.length + 1);
}

/** The session token of the request, or undefined. */
export function sessionToken(request: FastifyRequest, publicUrl: string): string | undefined {
  const token = readCookie(request, cookieName(publicUrl, 'session'));
  return token !== undefined && /^[0-9A-Za-z]{43}$/.test(token) ? token : undefined;
}

/**
 * Whether the request has a header that only the dashboard sends. Link routes are open to visitors without a key, so
 * the session's cookie alone does not show a call of the dashboard.
 */
export function namesSession({ headers }: FastifyRequest): boolean {
  return ['pay-merchant', 'pay-mode', 'x-csrf-token'].some(name => name in headers);
}

/**
 * Throws `origin_not_allowed` for requests of other origins, also of the same site. Browsers send `Origin` with every
 * write, and `Sec-Fetch-Site` with every request to a secure or local server.
 */
export function assertOwnOrigin({ headers, host }: FastifyRequest, publicUrl: string): void {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  const isOwnSite = site === undefined || site === 'same-origin' || site === 'none';
  if (isOwnSite && (origin === undefined || isOwnOrigin(origin, host, publicUrl))) return;
  throw new PayError('origin_not_allowed', 'Only pages of this server may use a dashboard session.');
}

/** Whether the origin is the server's own. A server on the visitor's own machine has several local names. */
function isOwnOrigin(origin: string, host: string, publicUrl: string): boolean {
  const own = new URL(publicUrl).origin;
  return origin === own || (isLoopbackOrigin(own) && isLoopbackOrigin(origin) && origin === `http://${host}`);
}

/** Whether the request changes nothing. Such a request needs no CSRF token. */
export function isRead({ method }: Pick<FastifyRequest, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * Whether the request is in live mode, by its header `Pay-Mode`. Default: live on a live server, otherwise test. Throws
 * `parameter_invalid`, or `operation_not_allowed` for test mode on a live server.
 */
export function modeOf({ headers }: FastifyRequest, isLiveOnly: boolean): boolean {
  const mode = headers['pay-mode'];
  if (mode === undefined) return isLiveOnly;
  if (mode !== 'test' && mode !== 'live') {
    throw new PayError('parameter_invalid', 'Pay-Mode takes test or live.', { param: 'Pay-Mode' });
  }
  if (mode === 'test' && isLiveOnly) {
    const message = 'This server takes real money and has no test mode. Send Pay-Mode: live.';
    throw new PayError('operation_not_allowed', message, { param: 'Pay-Mode' });
  }
  return mode === 'live';
}
