import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';

/**
 * Asks servers that the operator has chosen, over HTTP/1.1 on kept connections. Node's own client: undici would cost a
 * server that has no need of it 30 MB. No redirect is followed, no answer outgrows its limit, none takes longer than
 * its time.
 */
export interface HttpExchange {
  /** Throws ExchangeError when there is no whole answer. Any status is an answer. */
  send(request: HttpRequest): Promise<HttpAnswer>;
  /** An answer that goes on: its status, and its bytes as they come. Breaking off the loop or the signal ends it. */
  open(request: HttpRequest, signal: AbortSignal): Promise<HttpStream>;
  /** Ends idle connections. */
  close(): void;
}

/** One request. */
export interface HttpRequest {
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Makes it a POST. */
  readonly body?: { readonly type: string; readonly text: string };
}

/** A whole answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
  /** What `Retry-After` asks for, when it does so in seconds. */
  readonly retryAfterSeconds: number | null;
}

/** An answer under way. */
export interface HttpStream {
  readonly status: number;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Why there is no answer. */
export class ExchangeError extends Error {
  readonly reason: ExchangeFailure;
  /** Whether the connection had served before. */
  readonly isReused: boolean;
  constructor(reason: ExchangeFailure, message: string, cause?: unknown, isReused = false) {
    super(message, { cause });
    this.name = 'ExchangeError';
    this.reason = reason;
    this.isReused = isReused;
  }
}

/** In one word. `not_sent`: no connection was made. */
export type ExchangeFailure = 'not_sent' | 'timeout' | 'connection_lost' | 'answer_too_large' | 'aborted';

/** What an exchange is made with. */
export interface HttpExchangeOptions {
  /** For a whole request, from the connection to the last byte of the answer, in milliseconds. */
  readonly timeoutMs?: number;
  readonly largestAnswerBytes?: number;
  readonly connections?: number;
}

/** Makes a client with connections of its own. */
export function createHttpExchange(options: HttpExchangeOptions = {}): HttpExchange {
  const { timeoutMs = 30_000, largestAnswerBytes = 16 * 1024 * 1024, connections = 32 } = options;
  // A kept connection that the server is about to close is the usual cause of a reset: ours end first.
  const kept = { keepAlive: true, maxSockets: connections, timeout: 4_000 };
  const agents = { http: new HttpAgent(kept), https: new HttpsAgent(kept) };
  return {
    send: async request => {
      const timeout = AbortSignal.timeout(timeoutMs);
      const response = await beginAgain(agents, request, timeout);
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

interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

/**
 * As `begin`; a question that was lost on a kept connection is asked once more on a new one: the server may have closed
 * the old one just then (RFC 9112 §9.3.1). What is posted is not: it may have been read.
 */
async function beginAgain(agents: Agents, request: HttpRequest, signal: AbortSignal): Promise<IncomingMessage> {
  try {
    return await begin(agents, request, signal);
  } catch (error) {
    const isStale = error instanceof ExchangeError && error.reason === 'connection_lost' && error.isReused;
    if (!isStale || request.body !== undefined) throw error;
    return await begin(agents, request, signal);
  }
}

/** Sends, and waits for the head of the answer. */
function begin(agents: Agents, { url, headers, body }: HttpRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const isHttps = url.protocol === 'https:';
  const options = {
    method: body === undefined ? 'GET' : 'POST',
    agent: isHttps ? agents.https : agents.http,
    signal,
    headers: {
      accept: 'application/json',
      'user-agent': 'pay-checkout',
      ...headers,
      ...(body && { 'content-type': body.type, 'content-length': String(Buffer.byteLength(body.text)) }),
    },
  };
  return new Promise((resolve, reject) => {
    const request = isHttps ? requestHttps(url, options) : requestHttp(url, options);
    request.on('response', resolve);
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
  } catch (error) {
    response.destroy();
    throw error instanceof ExchangeError ? error : failureOf(error, signal);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Errors of a connection that was never made: nothing can have been read at the other end. */
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
