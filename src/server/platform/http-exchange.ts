import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';

/**
 * An HTTP/1.1 client for servers that the operator chose, with limits on time and size. It reuses connections and
 * follows no redirects. It uses Node's own client, because undici costs 30 MB of memory.
 */
export interface HttpExchange {
  /** Returns the answer, with any status. Throws `ExchangeError` if there is no complete answer. */
  send(request: HttpRequest): Promise<HttpAnswer>;
  /**
   * Returns an answer whose body can be read while it arrives. The exchange ends when the caller leaves the loop over
   * the body or aborts `signal`.
   */
  open(request: HttpRequest, signal: AbortSignal): Promise<HttpStream>;
  close(): void;
}

/** One request: a POST if it has a body, otherwise a GET. */
export interface HttpRequest {
  /** The method of a request with a body. Default: POST. */
  readonly method?: 'POST' | 'PATCH';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: { readonly type: string; readonly text: string };
}

/** A complete answer. `retryAfterSeconds`: the number in the header `Retry-After`, or null. */
export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
  readonly retryAfterSeconds: number | null;
}

/** An answer whose body is still arriving. */
export type HttpStream = Pick<HttpAnswer, 'status'> & { readonly body: AsyncIterable<Uint8Array> };

/** Why there is no answer. `not_sent`: no connection was made, so the server has not read the request. */
export type ExchangeFailure = 'not_sent' | 'timeout' | 'connection_lost' | 'answer_too_large' | 'aborted';

/** A request got no complete answer. */
export class ExchangeError extends Error {
  readonly reason: ExchangeFailure;
  /** Whether the connection had served an earlier request. */
  readonly isReused: boolean;
  constructor(reason: ExchangeFailure, message: string, cause?: unknown, isReused = false) {
    super(message, { cause });
    this.name = 'ExchangeError';
    this.reason = reason;
    this.isReused = isReused;
  }
}

/** Makes a client with its own connections. `timeoutMs` limits a whole `send`, in milliseconds, but not `open`. */
export function createHttpExchange({
  timeoutMs = 30_000,
  largestAnswerBytes = 16 * 1024 * 1024,
}: {
  readonly timeoutMs?: number;
  readonly largestAnswerBytes?: number;
} = {}): HttpExchange {
  // A server that closes an idle connection resets the next request. This client therefore ends idle ones first.
  const kept = { keepAlive: true, maxSockets: 32, timeout: 4_000 };
  const agents = { http: new HttpAgent(kept), https: new HttpsAgent(kept) };
  return {
    send: async request => {
      const timeout = AbortSignal.timeout(timeoutMs);
      const response = await beginTwice(agents, request, timeout);
      const text = await readText(response, largestAnswerBytes, timeout);
      return { status: response.statusCode ?? 0, text, retryAfterSeconds: retryAfterOf(response) };
    },
    open: async (request, signal) => {
      const response = await begin(agents, request, signal);
      return { status: response.statusCode ?? 0, body: response };
    },
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

type Agents = { readonly http: HttpAgent; readonly https: HttpsAgent };

/**
 * Repeats a GET once on a new connection if a reused connection was lost: the server may just have closed it (RFC 9112
 * §9.3.1). A POST is not repeated, because the server may have read it.
 */
async function beginTwice(agents: Agents, request: HttpRequest, signal: AbortSignal): Promise<IncomingMessage> {
  try {
    return await begin(agents, request, signal);
  } catch (error) {
    const isStale = error instanceof ExchangeError && error.reason === 'connection_lost' && error.isReused;
    if (!isStale || request.body !== undefined) throw error;
    return await begin(agents, request, signal);
  }
}

/**
 * Sends the request and waits for the headers of the answer. Does not use Node's option `signal`: at the end of an
 * answer, its abort raises an error on a connection without listeners, which ends the process.
 */
function begin(
  agents: Agents,
  { url, headers, body, method = 'POST' }: HttpRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const isHttps = url.protocol === 'https:';
  const options = {
    method: body === undefined ? 'GET' : method,
    agent: isHttps ? agents.https : agents.http,
    headers: {
      accept: 'application/json',
      'user-agent': 'pay-checkout',
      ...headers,
      ...(body && { 'content-type': body.type, 'content-length': String(Buffer.byteLength(body.text)) }),
    },
  };
  return new Promise((resolve, reject) => {
    if (signal.aborted) throw failureOf(signal.reason, signal);
    const request = isHttps ? requestHttps(url, options) : requestHttp(url, options);
    const abort = () => void request.destroy();
    signal.addEventListener('abort', abort, { once: true });
    request.once('close', () => signal.removeEventListener('abort', abort));
    request.on('response', response => {
      // An abort may break the answer just after its reader has ended. Without a listener, the error ends the process.
      response.on('error', () => undefined);
      resolve(response);
    });
    request.on('error', error => reject(failureOf(error, signal, request)));
    request.end(body?.text);
  });
}

async function readText(response: IncomingMessage, most: number, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      bytes += (chunk as Buffer).length;
      if (bytes > most) throw new ExchangeError('answer_too_large', `an answer has more than ${most} bytes`);
      chunks.push(chunk as Buffer);
    }
    signal.throwIfAborted();
  } catch (error) {
    response.destroy();
    throw error instanceof ExchangeError ? error : failureOf(error, signal);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Error codes that prove that no connection was made. */
const neverConnected =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|CERT_|ERR_TLS|SELF_SIGNED|UNABLE_TO|DEPTH_ZERO|ERR_INVALID)/;

function failureOf(error: unknown, signal: AbortSignal, request?: ClientRequest): ExchangeError {
  if (signal.aborted) {
    const isTimeout = signal.reason instanceof Error && signal.reason.name === 'TimeoutError';
    return new ExchangeError(isTimeout ? 'timeout' : 'aborted', isTimeout ? 'no answer in time' : 'ended', error);
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const isReused = request?.reusedSocket === true;
  const isUnsent = neverConnected.test(code) && !isReused;
  const words = isUnsent ? 'no connection' : 'the connection was lost';
  return new ExchangeError(isUnsent ? 'not_sent' : 'connection_lost', `${words} (${code})`, error, isReused);
}

function retryAfterOf({ headers }: IncomingMessage): number | null {
  const value = headers['retry-after'];
  return value !== undefined && /^\d{1,6}$/.test(value) ? Number(value) : null;
}
