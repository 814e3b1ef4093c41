import type { CheckoutAccess } from '../api/payment.ts';
import { PayError } from '../core/error.ts';
import { readBounded } from './bounded-body.ts';
import { type Match, matchOperation, type Operation } from './operation.ts';
import type { Grant, ProxySettings } from './proxy-options.ts';

/**
 * Query parameters of shop operations that reach the service, such as filters of lists. A name may have a range or key
 * in brackets: `created_at[gte]`.
 */
const passedQuery = new Set([
  'limit',
  'starting_after',
  'ending_before',
  ...[
    'status',
    'phase',
    'method',
    'exception',
    'currency',
    'reference',
    'customer',
    'payment',
    'payment_link',
    'invoice',
  ],
  ...['amount', 'created_at', 'due_date', 'metadata', 'format'],
]);

/** Query parameters of `payments.options`: the account whose holdings the options include. */
const payerQuery = new Set(['payer_address']);

/** The path from `/v1/` on, or null if the request is not below the proxy's mount point. */
function servicePath(url: URL, basePath: string | null): string | null {
  const path = url.pathname;
  if (basePath === null) return path.includes('/v1/') ? path.slice(path.indexOf('/v1/')) : null;
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : null;
}

/** Finds the request's operation. Throws PayError `route_not_found` or `method_not_allowed`. */
export function matchOf(settings: ProxySettings, request: Request): Match {
  const path = servicePath(new URL(request.url), settings.basePath);
  const match = path === null ? null : matchOperation(request.method, path);
  if (match === null) throw new PayError('route_not_found', 'The proxy does not forward this path.');
  if (!('row' in match)) throw new PayError('method_not_allowed', `This path takes ${match.join(' and ')}.`);
  if (match.row.kind !== 'payer' || match.id !== null) return match;
  // The path of these operations has no id, but their client secret begins with the id.
  const id = /^(pay_[0-9A-Za-z]{1,64})_secret_/.exec(request.headers.get('pay-client-secret') ?? '')?.[1];
  return { ...match, id: id ?? null };
}

/**
 * Reads the browser's body: JSON or nothing. Throws PayError `body_too_large`, `invalid_json` or
 * `unsupported_media_type`. Content types that a form of another site can send without CORS are also unsupported.
 */
export async function bodyOf(settings: ProxySettings, request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const announced = Number(request.headers.get('content-length') ?? 0);
  const bytes = announced > settings.maxBodyBytes ? null : await readBounded(request.body, settings.maxBodyBytes);
  if (bytes === null) throw new PayError('body_too_large', `The body may be at most ${settings.maxBodyBytes} bytes.`);
  const type = request.headers.get('content-type') ?? '';
  if (bytes.length > 0 && !/^application\/json\s*(;|$)/i.test(type)) {
    throw new PayError('unsupported_media_type', 'Send the body as JSON with Content-Type: application/json.');
  }
  if (bytes.length > 0 && !isJson(bytes)) throw new PayError('invalid_json', 'The body is not valid JSON.');
  return bytes;
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
}

/** The client secret of the payment `match.id`. Throws PayError `client_secret_mismatch`. */
function clientSecretOf(request: Request, match: Match): string {
  const secret = request.headers.get('pay-client-secret') ?? '';
  if (secret.startsWith(`${match.id}_secret_`) && /^[0-9A-Za-z_]{1,200}$/.test(secret)) return secret;
  throw new PayError('client_secret_mismatch', 'Send the client secret of this payment in Pay-Client-Secret.');
}

/** Checks that a payer operation has a client secret. Throws PayError `client_secret_mismatch`. */
export function checkProof(request: Request, match: Match): void {
  if (match.row.kind === 'payer') clientSecretOf(request, match);
}

function isGrant(decision: unknown): decision is Grant {
  return typeof decision === 'object' && decision !== null;
}

function refused(operation: Operation): PayError {
  return new PayError('operation_not_allowed', `The shop does not allow ${operation} here.`);
}

/** A copy of the request whose body the shop may read. */
function copyOf(request: Request, body: Uint8Array<ArrayBuffer>): Request {
  const { method, headers, signal } = request;
  return new Request(request.url, { method, headers, signal, ...(body.length > 0 ? { body } : {}) });
}

/**
 * Asks for the shop's decision. Throws PayError `operation_not_allowed`. Throws TypeError if the shop allows
 * `payments.create` but returns no body for the payment: the browser's amount is never used.
 */
export async function grantOf(
  settings: ProxySettings,
  match: Match,
  request: Request,
  body: Uint8Array<ArrayBuffer>,
): Promise<Grant | Response> {
  const { name, kind } = match.row;
  const decision = await settings.authorize(copyOf(request, body), name, { id: match.id });
  if (decision instanceof Response) return decision;
  if (isGrant(decision)) {
    if (kind === 'order' && decision.body === undefined) throw new TypeError(`authorize returned no body for ${name}`);
    return decision;
  }
  if (decision !== true || kind === 'shop') throw refused(name);
  if (kind === 'payer') return {};
  if (!settings.price) throw new TypeError(`${name} needs the option price, or a body from authorize`);
  const payment = await settings.price(copyOf(request, body));
  return payment instanceof Response ? payment : { body: payment };
}

/** What tells visitors apart by default. A repeat with other cookies is a new request. */
const visitorHeaders = ['cookie', 'authorization', 'user-agent', 'accept-language'];

/** The visitor of a request. The client secret names the payer, whose cookies may change meanwhile. */
async function visitorOf(
  settings: ProxySettings,
  request: Request,
  clientSecret: string | null,
): Promise<string | readonly (string | null)[]> {
  if (clientSecret !== null) return clientSecret;
  if (settings.visitor) return await settings.visitor(copyOf(request, new Uint8Array(0)));
  return visitorHeaders.map(name => request.headers.get(name));
}

/**
 * The browser's `Idempotency-Key` in a namespace of the visitor. Otherwise a visitor could guess a key of the shop's
 * server (an order number) or of another visitor, and read its answer. Throws PayError `invalid_idempotency_key`.
 */
async function browserKey(
  settings: ProxySettings,
  match: Match,
  request: Request,
  clientSecret: string | null,
): Promise<string | null> {
  const key = request.headers.get('idempotency-key');
  if (key === null) return null;
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new PayError('invalid_idempotency_key', 'An Idempotency-Key is 1 to 255 printable ASCII characters.');
  }
  const visitor = await visitorOf(settings, request, clientSecret);
  const text = JSON.stringify([match.row.name, match.id, visitor, key]);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return `browser:${[...digest].map(byte => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** Headers for the service. Only client secret, idempotency key and last event id come from the browser. */
export async function headersOf(
  settings: ProxySettings,
  match: Match,
  request: Request,
  grant: Grant,
): Promise<Record<string, string>> {
  const clientSecret = match.row.kind === 'payer' ? clientSecretOf(request, match) : null;
  const idempotencyKey = grant.idempotencyKey ?? (await browserKey(settings, match, request, clientSecret));
  const lastEventId = request.headers.get('last-event-id');
  return {
    Accept: isLive(match) ? 'text/event-stream' : 'application/json, */*',
    // Decompression would delay the events of a stream.
    'Accept-Encoding': 'identity',
    'User-Agent': 'pay-checkout-proxy',
    // With the shop's key, the service would also allow access to payments of other payers.
    Authorization: `Bearer ${clientSecret ?? settings.secretKey}`,
    ...(clientSecret === null ? {} : { 'Pay-Client-Secret': clientSecret }),
    ...(idempotencyKey === null ? {} : { 'Idempotency-Key': idempotencyKey }),
    ...(lastEventId === null ? {} : { 'Last-Event-ID': lastEventId }),
  };
}

/** Whether the answer is a stream of events. */
export function isLive(match: Match): boolean {
  return match.row.name === 'payments.stream' || match.row.name === 'payments.follow';
}

/** The service's URL. The path comes from the table, and the query from the grant or from allowed parameters. */
export function urlOf(settings: ProxySettings, match: Match, request: Request, grant: Grant): string {
  const { kind, name: operation } = match.row;
  const passed = kind === 'shop' ? passedQuery : operation === 'payments.options' ? payerQuery : new Set();
  const asked = [...new URL(request.url).searchParams].filter(([name]) =>
    passed.has(name.replace(/\[[^\]]{1,40}\]$/, '')),
  );
  const query = new URLSearchParams(grant.query ?? asked).toString();
  return `${settings.baseUrl}${match.path}${query === '' ? '' : `?${query}`}`;
}

/**
 * The body for the service: the shop's body, or the browser's body for payer operations. A checkout is opened and
 * followed by the checked client secret, whatever the browser's body says.
 */
export function upstreamBody(
  match: Match,
  request: Request,
  grant: Grant,
  body: Uint8Array<ArrayBuffer>,
): string | Uint8Array<ArrayBuffer> | null {
  if (match.row.method === 'GET') return null;
  if (match.row.name === 'payments.open' || match.row.name === 'payments.follow') {
    const { last_event_id } = JSON.parse(new TextDecoder().decode(body) || '{}') as CheckoutAccess;
    return JSON.stringify({ payment: match.id, client_secret: clientSecretOf(request, match), last_event_id });
  }
  if (grant.body !== undefined) return JSON.stringify(grant.body);
  return match.row.kind === 'payer' && body.length > 0 ? body : null;
}
