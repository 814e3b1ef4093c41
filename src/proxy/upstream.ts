import type { Fetch } from '../api/client/transport.ts';
import { PayError } from '../core/error.ts';
import { readBounded } from './bounded-body.ts';
import { redactStream } from './redaction.ts';
import { safeHeaders } from './refusal.ts';

export interface UpstreamDeps {
  readonly fetch: Fetch;
  readonly secretKey: string;
  /** Timeout in ms for the whole answer, or for the headers of a live stream. */
  readonly timeoutMs: number;
}

export interface UpstreamCall {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
  /** Whether the answer is a stream of events, which has no total timeout. */
  readonly live: boolean;
  /** Aborted after the browser disconnects. */
  readonly signal: AbortSignal;
}

/** Headers of the service that reach the browser. Cookies, `Location`, hop-by-hop and all other headers do not. */
const passedHeaders = [
  'content-type',
  'content-disposition',
  'request-id',
  'pay-server-time',
  'retry-after',
  'idempotent-replayed',
  'ratelimit',
  'ratelimit-policy',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
];

/** Content types of the service. Other types, such as a gateway's HTML, must not reach a page of the shop. */
const passedTypes =
  /^(application\/json|text\/event-stream|application\/pdf|application\/xml|image\/png|image\/svg\+xml)\s*(;|$)/i;

const maxBufferedBytes = 1024 * 1024;

/** Calls the service. Throws PayError `unavailable` if the service is unreachable or too slow. */
export async function callUpstream(deps: UpstreamDeps, call: UpstreamCall): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), deps.timeoutMs);
  const total = call.live ? [] : [AbortSignal.timeout(deps.timeoutMs)];
  try {
    return await deps.fetch(call.url, {
      method: call.method,
      headers: call.headers,
      body: call.body,
      redirect: 'manual',
      signal: AbortSignal.any([call.signal, late.signal, ...total]),
    });
  } catch (cause) {
    throw new PayError('unavailable', 'The payment service cannot be reached. Try again shortly.', {
      retryAfterSeconds: 2,
      cause,
    });
  } finally {
    clearTimeout(timer);
  }
}

/** Throws PayError for a 401, or an answer that cannot be the service's. No part of it reaches the browser. */
async function checkAnswer(answer: Response, isPayer: boolean): Promise<void> {
  const drop = () => answer.body?.cancel().catch(() => undefined);
  if (answer.status === 401) {
    await drop();
    throw isPayer
      ? new PayError('client_secret_mismatch', 'The client secret does not belong to this payment.')
      : new PayError('upstream_failed', "The payment service refused the shop's key.");
  }
  const type = answer.headers.get('content-type');
  const isService = answer.status !== 0 && (answer.status < 300 || answer.status >= 400);
  if (isService && (type === null ? answer.body === null : passedTypes.test(type))) return;
  await drop();
  const retryAfterSeconds = Number.parseInt(answer.headers.get('retry-after') ?? '2', 10) || 2;
  throw answer.status >= 500
    ? new PayError('unavailable', 'The payment service cannot be reached. Try again shortly.', { retryAfterSeconds })
    : new PayError('upstream_failed', 'The answer did not come from the payment service.');
}

function headersFrom(answer: Response, secretKey: string): Record<string, string> {
  const headers: Record<string, string> = { ...safeHeaders };
  for (const name of passedHeaders) {
    const value = answer.headers.get(name);
    if (value !== null && !value.includes(secretKey)) headers[name] = value;
  }
  return headers;
}

/**
 * The answer for the browser: listed headers only, and the body as a stream without the secret key. `isPayer`: the call
 * used a client secret, so a 401 concerns that secret. Throws PayError `upstream_failed`, `unavailable` or
 * `client_secret_mismatch`.
 */
export async function passAnswer(
  answer: Response,
  deps: UpstreamDeps,
  { live, isPayer, extra }: { live: boolean; isPayer: boolean; extra: Readonly<Record<string, string>> },
): Promise<Response> {
  await checkAnswer(answer, isPayer);
  const headers = { ...headersFrom(answer, deps.secretKey), ...extra };
  if (live) headers['X-Accel-Buffering'] = 'no';
  const body = answer.body?.pipeThrough<Uint8Array<ArrayBuffer>>(redactStream(deps.secretKey)) ?? null;
  return new Response(body, { status: answer.status, headers });
}

/** Removes `metadata` and `customer` from a created payment, because only the shop may see them. */
export async function payerView(answer: Response): Promise<Response> {
  if (!answer.ok) return answer;
  const bytes = await readBounded(answer.body, maxBufferedBytes);
  const payment: unknown = bytes === null ? null : parsed(bytes);
  if (typeof payment !== 'object' || payment === null) {
    throw new PayError('upstream_failed', 'The answer of the payment service is not a payment.');
  }
  const { metadata: _metadata, customer: _customer, ...visible } = payment as Record<string, unknown>;
  return new Response(JSON.stringify(visible), { status: answer.status, headers: answer.headers });
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
