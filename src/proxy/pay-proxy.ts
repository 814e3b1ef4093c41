import { PayError } from '../core/error.ts';
import { bodyOf, checkProof, grantOf, headersOf, isLive, matchOf, upstreamBody, urlOf } from './proxied-request.ts';
import { type PayProxyOptions, type ProxySettings, settingsOf } from './proxy-options.ts';
import { refusal } from './refusal.ts';
import { corsHeaders, isFromShop, preflight } from './same-origin.ts';
import { callUpstream, passAnswer, payerView } from './upstream.ts';

/** A web-standard request handler. */
export type PayProxy = (request: Request) => Promise<Response>;

/**
 * Puts a shop's own server between its pages and the payment service: no key is in the browser, and the shop sets every
 * price. It runs wherever `Request` and `Response` exist (Node 20, Workers, Deno, Bun); `toNodeHandler` adapts it to
 * node:http and Express.
 *
 * `payments.create` sends what `price` (or `authorize`) returns; the browser's body only says what the visitor wants. A
 * payment is read, confirmed and streamed with its client secret, never with the shop's key. Everything else is closed
 * until `authorize` returns a `Grant`. Throws TypeError for invalid options.
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
  return async request => {
    const cors = corsHeaders(request, settings);
    try {
      checkCaller(settings, request);
      return request.method === 'OPTIONS' ? preflight(cors) : await pass(settings, request, cors);
    } catch (thrown) {
      const error = toPayError(thrown);
      const isOurs = error.status >= 500 || error.code === 'upstream_failed';
      if (isOurs && !request.signal.aborted) settings.onError(thrown);
      return refusal(error, settings.baseUrl, cors);
    }
  };
}

function checkCaller(settings: ProxySettings, request: Request): void {
  if (isFromShop(request, settings)) return;
  throw new PayError(
    'origin_not_allowed',
    "A page of another site may not use this proxy. If it is the shop's own, list its origin in allowedOrigins.",
  );
}

async function pass(settings: ProxySettings, request: Request, cors: Record<string, string>): Promise<Response> {
  const match = matchOf(settings, request);
  const received = await bodyOf(settings, request);
  checkProof(request, match);
  const grant = await grantOf(settings, match, request, received);
  if (grant instanceof Response) return grant;

  const headers = await headersOf(settings, match, request, grant);
  const body = upstreamBody(match, grant, received);
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
