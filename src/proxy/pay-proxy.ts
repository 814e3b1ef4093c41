import type { IncomingMessage, ServerResponse } from 'node:http';
import { PayError } from '../core/error.ts';
import { toNodeHandler, type WebHandler } from './node-handler.ts';
import { bodyOf, checkProof, grantOf, headersOf, isLive, matchOf, upstreamBody, urlOf } from './proxied-request.ts';
import { type PayProxyOptions, type ProxySettings, settingsOf } from './proxy-options.ts';
import { refusal } from './refusal.ts';
import { corsHeaders, corsHeadersOfRefusal, isFromShop, preflight } from './same-origin.ts';
import { callUpstream, passAnswer, payerView } from './upstream.ts';

/** A request handler for web-standard servers, and for node:http and Express: `app.use('/api/pay', proxy)`. */
export interface PayProxy {
  (request: IncomingMessage, response: ServerResponse, next?: unknown): void;
  (request: Request): Promise<Response>;
}

/**
 * Puts a shop's own server between its pages and the payment service: no key is in the browser, and the shop sets every
 * price. It runs wherever `Request` and `Response` exist (Node 20, Workers, Deno, Bun), and under node:http and
 * Express.
 *
 * `payments.create` sends the body that `price` (or `authorize`) returns, never the browser's body. A payment is read,
 * confirmed and streamed with its client secret, never with the shop's key. All other operations are closed until
 * `authorize` returns a `Grant`. Throws TypeError for invalid options.
 *
 * @example
 * const proxy = createPayProxy({
 *   baseUrl: 'https://pay.example',
 *   secretKey: process.env.PAY_SECRET_KEY,
 *   basePath: '/api/pay',
 *   authorize: () => true,
 *   price: async request => priceOf(await request.json()),
 * });
 */
export function createPayProxy(options: PayProxyOptions): PayProxy {
  const settings = settingsOf(options);
  const answer: WebHandler = request => respond(settings, request);
  const answerNode = toNodeHandler(answer);
  const proxy = (request: Request | IncomingMessage, response?: unknown) =>
    isNodeResponse(response) ? answerNode(request as IncomingMessage, response) : answer(request as Request);
  return proxy as PayProxy;
}

/** Whether the second argument is a response of node:http. Workers and Next pass other second arguments. */
function isNodeResponse(value: unknown): value is ServerResponse {
  return typeof value === 'object' && value !== null && 'writeHead' in value;
}

async function respond(settings: ProxySettings, request: Request): Promise<Response> {
  if (!isFromShop(request, settings)) return refusePage(settings, request);
  const cors = corsHeaders(request, settings);
  try {
    return request.method === 'OPTIONS' ? preflight(cors) : await pass(settings, request, cors);
  } catch (thrown) {
    const error = toPayError(thrown);
    const isOurs = error.status >= 500 || error.code === 'upstream_failed';
    if (isOurs && !request.signal.aborted) settings.onError(thrown);
    return refusal(error, settings.baseUrl, cors);
  }
}

/**
 * Refuses the page of another site, before any of the shop's functions runs. The page can read the refusal, because
 * only its developer can list the origin. For that, the preflight must succeed.
 */
function refusePage({ baseUrl }: ProxySettings, request: Request): Response {
  const cors = corsHeadersOfRefusal(request);
  if (request.method === 'OPTIONS' && request.headers.has('origin')) return preflight(cors);
  const message =
    'Pages of other sites may not use this proxy. If the page belongs to the shop, list its origin in allowedOrigins.';
  return refusal(new PayError('origin_not_allowed', message), baseUrl, cors);
}

async function pass(settings: ProxySettings, request: Request, cors: Record<string, string>): Promise<Response> {
  const match = matchOf(settings, request);
  const received = await bodyOf(settings, request);
  checkProof(request, match);
  const grant = await grantOf(settings, match, request, received);
  if (grant instanceof Response) return grant;

  const headers = await headersOf(settings, match, request, grant);
  const body = upstreamBody(match, request, grant, received);
  const answer = await callUpstream(settings, {
    url: urlOf(settings, match, request, grant),
    method: match.row.method,
    headers: body === null ? headers : { ...headers, 'Content-Type': 'application/json' },
    body,
    live: isLive(match),
    signal: request.signal,
  });
  const visible = match.row.kind === 'order' ? await payerView(answer) : answer;
  return passAnswer(visible, settings, { live: isLive(match), isPayer: match.row.kind === 'payer', extra: cors });
}

/** The error for the browser. The text of an unexpected error may contain secrets, so it is not sent. */
function toPayError(error: unknown): PayError {
  if (error instanceof PayError) return error;
  return new PayError('internal_error', 'Something went wrong in the shop. Nothing was paid.', { cause: error });
}
