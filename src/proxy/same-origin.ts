/** Origins whose pages may use the proxy. */
export interface OriginPolicy {
  /** Exact origins (`https://shop.example`), besides the proxy's own. */
  readonly allowedOrigins: readonly string[];
}

const allowedRequestHeaders = 'Content-Type, Idempotency-Key, Last-Event-ID, Pay-Client-Secret';
const exposedHeaders = 'Request-Id, Pay-Server-Time, Retry-After, Idempotent-Replayed';

function hostOf(origin: string): string | null {
  try {
    return new URL(origin).host;
  } catch {
    return null;
  }
}

/** Throws TypeError for text that is not exactly an origin. Text with a trailing slash or a star would never match. */
export function checkOrigins(origins: readonly string[]): void {
  for (const origin of origins) {
    if (!/^https?:\/\//.test(origin) || new URL(origin).origin !== origin) {
      throw new TypeError(`allowedOrigins: "${origin}" is not an origin such as https://shop.example`);
    }
  }
}

/**
 * Whether a request is allowed: from the shop's own pages, from a listed origin, or not from a browser. `Origin`
 * reveals a request by another site's page (CSRF). Reads may lack `Origin`; then `Sec-Fetch-Site` reveals such a
 * request. Only hosts are compared, because behind a TLS terminator the shop's server sees http instead of https.
 */
export function isFromShop(request: Request, policy: OriginPolicy): boolean {
  const origin = request.headers.get('origin');
  if (origin === null) return !['cross-site', 'same-site'].includes(request.headers.get('sec-fetch-site') ?? 'none');
  return policy.allowedOrigins.includes(origin) || hostOf(origin) === new URL(request.url).host;
}

/** CORS headers for a listed origin. The shop's own pages need no CORS headers. */
export function corsHeaders(request: Request, policy: OriginPolicy): Record<string, string> {
  const origin = request.headers.get('origin');
  if (policy.allowedOrigins.length === 0) return {};
  return origin !== null && policy.allowedOrigins.includes(origin) ? readableBy(origin) : { Vary: 'Origin' };
}

/** CORS headers for the refusal of a page, and for its preflight. Both are the same for every caller and hold no data. */
export function corsHeadersOfRefusal(request: Request): Record<string, string> {
  const origin = request.headers.get('origin');
  return origin === null ? { Vary: 'Origin' } : readableBy(origin);
}

/** The page's calls send cookies, so its browser requires the exact origin and the permission for credentials. */
function readableBy(origin: string): Record<string, string> {
  return {
    Vary: 'Origin',
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Credentials': 'true',
    'Access-Control-Expose-Headers': exposedHeaders,
  };
}

/** The answer to a CORS preflight. `cors` is the result of `corsHeaders`. */
export function preflight(cors: Readonly<Record<string, string>>): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...cors,
      'Access-Control-Allow-Methods': 'GET, POST, PATCH, DELETE',
      'Access-Control-Allow-Headers': allowedRequestHeaders,
      'Access-Control-Max-Age': '600',
    },
  });
}
