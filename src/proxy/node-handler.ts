import type { IncomingMessage, ServerResponse } from 'node:http';

/** A node request with the fields that a framework such as Express adds. */
type FrameworkRequest = IncomingMessage & { readonly originalUrl?: string; readonly body?: unknown };

/** A web-standard request handler. */
export type WebHandler = (request: Request) => Promise<Response>;

/** A request handler for node:http, Express and compatible frameworks. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Adapts a web-standard handler to node:http and Express. Bodies stream in both directions, and a browser that
 * disconnects aborts the call. The handler gets the full path, also under `app.use('/api/pay', …)`. It accepts a body
 * that `express.json()` has already parsed.
 */
export function toNodeHandler(handle: WebHandler): NodeHandler {
  return (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.once('close', () => gone.abort());
    respond(handle, incoming, outgoing, gone.signal).catch(() => {
      if (!outgoing.headersSent) outgoing.writeHead(500, { 'Content-Length': '0' });
      outgoing.destroy();
    });
  };
}

async function respond(
  handle: WebHandler,
  incoming: FrameworkRequest,
  outgoing: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const request = requestFrom(incoming, signal);
  if (request === null) {
    outgoing.writeHead(400, { 'Content-Length': '0', Connection: 'close' }).end();
    return;
  }
  const response = await handle(request);
  // Node would parse the unread rest of a large body as the next request.
  if (!incoming.complete) outgoing.setHeader('Connection', 'close');
  for (const [name, value] of response.headers) outgoing.appendHeader(name, value);
  outgoing.writeHead(response.status);
  await pour(response.body, outgoing, signal);
}

/** Methods for which `Request` throws an error. */
const forbiddenMethods: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK']);

/** Converts the request to a `Request`. Null for an invalid URL or a forbidden method. */
function requestFrom(incoming: FrameworkRequest, signal: AbortSignal): Request | null {
  const host = incoming.headers.host ?? String(incoming.headers[':authority'] ?? '');
  const scheme = 'encrypted' in incoming.socket ? 'https' : 'http';
  const path = incoming.originalUrl ?? incoming.url ?? '/';
  const address = path.startsWith('/') ? `${scheme}://${host}${path}` : path;
  if (!URL.canParse(address) || forbiddenMethods.has(incoming.method ?? '')) return null;
  const hasBody = !['GET', 'HEAD'].includes(incoming.method ?? 'GET');
  return new Request(address, {
    method: incoming.method ?? 'GET',
    headers: headersFrom(incoming),
    signal,
    ...(hasBody ? { body: bodyFrom(incoming), duplex: 'half' } : {}),
  } as RequestInit);
}

function headersFrom(incoming: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    if (!name.startsWith(':')) for (const value of values ?? []) headers.append(name, value);
  }
  return headers;
}

function bodyFrom(incoming: FrameworkRequest): string | ReadableStream<Uint8Array> {
  if (incoming.body !== undefined && incoming.readableEnded) return JSON.stringify(incoming.body);
  const chunks = incoming[Symbol.asyncIterator]();
  // The stream has no `cancel`, because ending the iterator would close the socket before the error is written.
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}

/** Streams the body to the browser at the speed at which the browser reads. */
async function pour(
  body: ReadableStream<Uint8Array> | null,
  outgoing: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  if (body === null) {
    outgoing.end();
    return;
  }
  outgoing.flushHeaders();
  const reader = body.getReader();
  const stop = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', stop, { once: true });
  for (;;) {
    const { done, value } = await reader.read();
    if (done || signal.aborted) break;
    if (!outgoing.write(value)) await drained(outgoing);
  }
  outgoing.end();
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    const go = () => {
      outgoing.off('drain', go).off('close', go);
      resolve();
    };
    outgoing.once('drain', go).once('close', go);
  });
}
