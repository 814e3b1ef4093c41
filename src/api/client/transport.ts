import { type Clock, systemClock } from '../../core/clock.ts';
import { randomText } from '../../core/id.ts';
import { connectionError, errorOfAnswer, PayApiError } from './api-error.ts';

/** `fetch` with only the parameters that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface PayClientOptions {
  /** URL of the payment service, or of a shop's proxy. */
  readonly baseUrl: string;
  /** On a server `sk_…`. In a browser `pk_…` or the payment's client secret. A shop's proxy adds its own key. */
  readonly apiKey?: string | undefined;
  /** A replacement for `fetch`, for example in tests. */
  readonly fetch?: Fetch;
  /** Timeout of one attempt in milliseconds. Default: 30,000. */
  readonly timeoutMs?: number;
  /** Maximum number of retries of a call that may succeed later. Default: 3. */
  readonly maxRetries?: number;
  /**
   * Milliseconds before the first retry. Each retry doubles the pause, up to 8 seconds. A random part of the pause, at
   * most half, is left out. Default: 500.
   */
  readonly retryDelayMs?: number;
  /** The clock for a `Retry-After` that is a date. Default: the system clock. */
  readonly clock?: Clock;
}

export interface CallOptions {
  /**
   * Default: a new random key for each POST. With your own key, such as an order number, a program that restarts cannot
   * repeat the call's effect.
   */
  readonly idempotencyKey?: string;
  /** The payment's client secret, in addition to a publishable key. */
  readonly clientSecret?: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** One call to the service. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path after `baseUrl`, with its query: `/v1/payments?limit=10`. */
  readonly path: string;
  /** Sent as JSON, except a form. */
  readonly body?: unknown;
  /** The content type, if `body` is a text. Without it, `body` is sent as JSON. */
  readonly contentType?: string;
  /** Whether the answer is a file, not JSON. */
  readonly isFile?: boolean;
}

/** HTTP calls to the service, with keys, retries and errors. */
export interface Transport {
  /** The answer's JSON, or the bytes of a file. Throws PayApiError, or the reason of an aborted signal. */
  call<T>(call: Call, options?: CallOptions): Promise<T>;
  /** Opens an event stream without retries. Throws PayApiError, also for an aborted signal. */
  open(path: string, lastEventId: string, options?: CallOptions): Promise<ReadableStream<Uint8Array>>;
  /** Waits before the next attempt, longer after more failures. Ends early if the signal aborts. */
  pause(failures: number, atLeastMs: number | null, signal?: AbortSignal): Promise<void>;
}

const longestPauseMs = 8_000;
/** Longest wait before a retry, in seconds. If the service asks for more, the call fails and the caller decides. */
const longestRetryAfterSeconds = 60;

type Settings = Required<Omit<PayClientOptions, 'apiKey'>> & { readonly apiKey: string | null };

function settingsOf(options: PayClientOptions): Settings {
  const apiKey = options.apiKey ?? null;
  if (apiKey?.startsWith('sk_') && 'window' in globalThis && 'document' in globalThis) {
    throw new TypeError('A secret key (sk_…) must never be in a browser. Use a publishable key (pk_…) or a proxy.');
  }
  return {
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    apiKey,
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    timeoutMs: options.timeoutMs ?? 30_000,
    maxRetries: options.maxRetries ?? 3,
    retryDelayMs: options.retryDelayMs ?? 500,
    clock: options.clock ?? systemClock,
  };
}

async function send(
  settings: Settings,
  call: Call,
  headers: Record<string, string>,
  signals: readonly AbortSignal[],
): Promise<Response> {
  const { method, path, body, contentType = 'application/json' } = call;
  const text = call.contentType === undefined ? JSON.stringify(body) : String(body);
  // `fetch` adds the content type of a form, because it chooses the boundary.
  const content =
    body === undefined
      ? { headers }
      : body instanceof FormData
        ? { headers, body }
        : { headers: { ...headers, 'Content-Type': contentType }, body: text };
  const signal = AbortSignal.any([...signals]);
  try {
    return await settings.fetch(settings.baseUrl + path, { method, signal, ...content });
  } catch (cause) {
    throw connectionError(isTimeout(signal.reason) ? 'timeout' : 'unreachable', cause);
  }
}

async function attempt<T>(
  settings: Settings,
  call: Call,
  headers: Record<string, string>,
  options: CallOptions,
): Promise<T> {
  const late = AbortSignal.timeout(options.timeoutMs ?? settings.timeoutMs);
  const answer = await send(settings, call, headers, options.signal ? [options.signal, late] : [late]);
  if (!answer.ok) throw await errorOfAnswer(answer, settings.clock.now().getTime());
  try {
    return (await (call.isFile ? answer.arrayBuffer() : answer.json())) as T;
  } catch (cause) {
    throw connectionError(late.aborted ? 'timeout' : 'unreachable', cause);
  }
}

async function openStream(
  settings: Settings,
  path: string,
  lastEventId: string,
  options: CallOptions,
): Promise<ReadableStream<Uint8Array>> {
  const call: Call = { method: 'GET', path };
  const resume = lastEventId === '' ? {} : { 'Last-Event-ID': lastEventId };
  const headers = { ...headersOf(settings, call, options), ...resume, Accept: 'text/event-stream' };
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(timeoutReason()), options.timeoutMs ?? settings.timeoutMs);
  try {
    const answer = await send(settings, call, headers, options.signal ? [options.signal, late.signal] : [late.signal]);
    if (!answer.ok || !answer.body) throw await errorOfAnswer(answer, settings.clock.now().getTime());
    return answer.body;
  } finally {
    clearTimeout(timer);
  }
}

/** The transport of a client. Throws TypeError for a secret key in a browser. */
export function createTransport(options: PayClientOptions): Transport {
  const settings = settingsOf(options);
  const pause: Transport['pause'] = (failures, atLeastMs, signal) => {
    const ceiling = Math.min(settings.retryDelayMs * 2 ** failures, longestPauseMs);
    // Half of the pause is random, so that clients that were refused together retry at different times.
    return sleep(Math.max(ceiling * (0.5 + Math.random() / 2), atLeastMs ?? 0), signal);
  };
  return {
    pause,
    open: (path, lastEventId, callOptions = {}) => openStream(settings, path, lastEventId, callOptions),
    call: async <T>(call: Call, callOptions: CallOptions = {}) => {
      const headers = headersOf(settings, call, callOptions);
      for (let failures = 0; ; failures++) {
        try {
          return await attempt<T>(settings, call, headers, callOptions);
        } catch (error) {
          callOptions.signal?.throwIfAborted();
          if (failures >= settings.maxRetries || !isWorthRepeating(error, call)) throw error;
          await pause(failures, retryAfterMs(error), callOptions.signal);
          callOptions.signal?.throwIfAborted();
        }
      }
    },
  };
}

function headersOf(settings: Settings, call: Call, options: CallOptions): Record<string, string> {
  return {
    Accept: call.isFile ? '*/*' : 'application/json',
    ...(settings.apiKey === null ? {} : { Authorization: `Bearer ${settings.apiKey}` }),
    ...(options.clientSecret === undefined ? {} : { 'Pay-Client-Secret': options.clientSecret }),
    ...(call.method === 'POST' ? { 'Idempotency-Key': options.idempotencyKey ?? randomText(32) } : {}),
  };
}

/** Whether a retry may succeed and cannot repeat the call's effect. */
export function isWorthRepeating(error: unknown, call: Call): boolean {
  if (!(error instanceof PayApiError)) return false;
  // Without an answer, the object may already be deleted. A repeated deletion would then fail with "no such object".
  if (error.status === 0) return call.method !== 'DELETE';
  if ((error.retryAfterSeconds ?? 0) > longestRetryAfterSeconds) return false;
  if (error.status === 429) return error.code !== 'too_many_attempts';
  return error.status === 503 || error.code === 'idempotency_in_progress';
}

function retryAfterMs(error: unknown): number | null {
  const seconds = error instanceof PayApiError ? error.retryAfterSeconds : null;
  return seconds === null ? null : seconds * 1000;
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError';
}

function timeoutReason(): DOMException {
  return new DOMException('The stream did not begin in time.', 'TimeoutError');
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
    if (signal?.aborted) done();
    else signal?.addEventListener('abort', done, { once: true });
  });
}
