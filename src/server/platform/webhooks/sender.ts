import { Webhook } from 'standardwebhooks';
import type * as Undici from 'undici';
import { eventPayload } from '../events/event.store.ts';
import type { Secrets } from '../secrets.ts';
import { type AddressRules, guardedLookup, parseAllowedUrl, rulesFor } from './address-guard.ts';
import { fixedHeaders, type Outcome, parseRetryAfter } from './delivery.ts';
import type { ClaimedDelivery } from './delivery-claim.store.ts';
import type { EventRouteDeps } from './event-deps.ts';

export type Sender = ReturnType<typeof createSender>;

export interface SenderDeps
  extends Pick<EventRouteDeps, 'clock' | 'resolve' | 'allowLoopback' | 'allowedNetworks' | 'ownUrl'> {
  readonly secrets: Pick<Secrets, 'open'>;
  /** Milliseconds for a whole attempt, from the name lookup to the end of the response. */
  readonly timeoutMs: number;
}

/** Maximum number of bytes to read of a response. */
const largestAnswerBytes = 64 * 1024;
/** Number of bytes of a response that are stored for the merchant. */
const keptAnswerBytes = 2_048;

/** Sends webhooks (Standard Webhooks). Follows no redirects, uses no proxy, and calls only allowed addresses. */
export function createSender(deps: SenderDeps) {
  const { allowLoopback, allowedNetworks, ownUrl } = deps;
  const rulesOf = (livemode: boolean): AddressRules => ({ livemode, allowLoopback, allowedNetworks, ownUrl });
  let http: Promise<HttpClient> | null = null;
  return {
    /** Makes an attempt. Never rejects, because a failure is an outcome too. Null if `signal` ended the attempt. */
    send: async (delivery: ClaimedDelivery, signal: AbortSignal): Promise<Outcome | null> => {
      const timeout = AbortSignal.timeout(deps.timeoutMs);
      const began = performance.now();
      const durationMs = () => Math.round(performance.now() - began);
      const { livemode } = delivery;
      try {
        const url = parseAllowedUrl(delivery.url, rulesOf(livemode));
        http ??= openClient(deps, rulesOf);
        const testAgent = rulesFor(url, rulesOf(false)).allowLoopback ? 'loopback' : 'test';
        const agent = livemode ? 'live' : testAgent;
        const call = { url, delivery, agent, signal: AbortSignal.any([timeout, signal]) } as const;
        return { ...(await post(deps, await http, call)), durationMs: durationMs() };
      } catch (error) {
        if (signal.aborted) return null;
        const word = timeout.aborted ? 'timeout' : errorWord(error);
        const none = { delivered: false, responseStatus: null, body: null, retryAfterMs: null };
        return { ...none, error: word, durationMs: durationMs() };
      }
    },
    close: async () => {
      const opened = http;
      // An agent can be closed only once, so it is forgotten first.
      http = null;
      const { live, test, loopback } = (await opened) ?? {};
      await Promise.all([live, test, loopback].map(agent => agent?.close()));
    },
  };
}

type HttpClient = Awaited<ReturnType<typeof openClient>>;

/** Loads undici with the first delivery, because loading it doubles the time and memory of a start. */
async function openClient(deps: SenderDeps, rulesOf: (livemode: boolean) => AddressRules) {
  const undici = await import('undici');
  const agentFor = (rules: AddressRules) => createAgent(undici, rules, deps);
  const [live, test] = [agentFor(rulesOf(true)), agentFor(rulesOf(false))];
  return { request: undici.request, live, test, loopback: agentFor({ ...rulesOf(false), allowLoopback: true }) };
}

function createAgent({ Agent }: typeof Undici, rules: AddressRules, { resolve, timeoutMs }: SenderDeps): Undici.Agent {
  return new Agent({
    connect: { lookup: guardedLookup(rules, resolve), timeout: timeoutMs },
    // Connections live for at most a minute, so that a changed DNS record takes effect.
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 30_000,
    clientTtl: 60_000,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
}

interface Call {
  readonly url: URL;
  readonly delivery: ClaimedDelivery;
  readonly agent: 'live' | 'test' | 'loopback';
  readonly signal: AbortSignal;
}

async function post(deps: SenderDeps, http: HttpClient, call: Call): Promise<Omit<Outcome, 'durationMs'>> {
  const body = JSON.stringify(eventPayload(call.delivery));
  const answer = await http.request(call.url, {
    dispatcher: http[call.agent],
    method: 'POST',
    headers: { ...fixedHeaders, ...signedHeaders(deps, call.delivery, body) },
    body,
    signal: call.signal,
  });
  let bytes = 0;
  const kept: Buffer[] = [];
  for await (const chunk of answer.body) {
    if (bytes < keptAnswerBytes) kept.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes > largestAnswerBytes) break;
  }
  const { statusCode: status, headers } = answer;
  const delivered = status >= 200 && status < 300;
  const error = status >= 300 && status < 400 ? 'redirect' : 'http_error';
  return {
    delivered,
    responseStatus: status,
    error: delivered ? null : error,
    body: keptText(Buffer.concat(kept), [headers['content-type']].flat()[0]),
    retryAfterMs: parseRetryAfter([headers['retry-after']].flat()[0], deps.clock.now()),
  };
}

/** The beginning of a response, if it is text. Omits a character that the limit cuts. */
function keptText(bytes: Buffer, type = 'text/plain'): string | null {
  if (!/^text\/|json|xml|urlencoded/i.test(type)) return null;
  const text = new TextDecoder().decode(bytes.subarray(0, keptAnswerBytes), { stream: true });
  // PostgreSQL stores no NUL, and other control characters have no meaning on a page.
  return [...text].filter(sign => sign >= ' ' || '\t\r\n'.includes(sign)).join('');
}

/** Signs with every valid secret. All deliveries of an event share its id, but each attempt has its own timestamp. */
function signedHeaders(deps: SenderDeps, delivery: ClaimedDelivery, body: string): Record<string, string> {
  const now = deps.clock.now();
  const sealed = [delivery.secret, delivery.previous_secret].filter(secret => secret !== null);
  const signatures = sealed.map(secret => new Webhook(deps.secrets.open(secret)).sign(delivery.id, now, body));
  return {
    'webhook-id': delivery.id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  };
}

/** Values of `Delivery.last_error`, by the error code of Node, OpenSSL or undici. */
const wordsByCode: readonly (readonly [RegExp, string])[] = [
  [/^(blocked_ip|forbidden_url)$/, 'blocked_ip'],
  [/^dns_failed$/, 'dns_failed'],
  [/^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/, 'timeout'],
  [/^ECONNREFUSED$/, 'connection_refused'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'connection_reset'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'unreachable'],
  [/^(CERT_|ERR_TLS|ERR_SSL|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO)|^EPROTO$/, 'tls_error'],
  [/^HTTPParserError$|^HPE_|^UND_ERR_/, 'invalid_answer'],
];

function errorWord(error: unknown): string {
  if (!(error instanceof Error)) return 'network_error';
  // undici's parser errors have no code, only a name.
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return wordsByCode.find(([pattern]) => pattern.test(code))?.[1] ?? 'network_error';
}
