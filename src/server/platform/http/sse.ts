import { once } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PayError } from '../../../core/error.ts';
import type { HttpApp } from './http-app.ts';

export interface StreamMessage {
  /** The client sends this id back as `Last-Event-ID`, to continue after the message. */
  readonly id?: string;
  readonly event: string;
  /** The content of the message. It becomes one line of JSON. */
  readonly data: unknown;
}

/** An open stream of Server-Sent Events (WHATWG HTML §9.2). */
export interface EventStream {
  /** Sends a message. Disconnects a client that does not read. Such a client reconnects and resumes. */
  send(message: StreamMessage): void;
  /** Resolves when the buffer has room again, or the stream has ended. Wait for this between large messages. */
  drained(): Promise<void>;
  close(): void;
  /** Aborted when the client or the server has ended the stream. */
  readonly signal: AbortSignal;
}

/** Milliseconds between the comments that keep proxies from closing an idle stream. */
const heartbeatMs = 15_000;
/** Maximum bytes buffered for a client that does not read. */
const maxWaitingBytes = 1024 * 1024;
/** Milliseconds until a browser reconnects. */
const retryMs = 2_000;
const openStreams = new WeakMap<HttpApp['server'], Set<EventStream>>();

/**
 * Ends the open streams as soon as the server begins to close, because streams do not end by themselves. Call this
 * once, while routes are registered.
 */
export function closeStreamsOnDrain(app: HttpApp): void {
  app.addHook('preClose', done => {
    for (const stream of openStreams.get(app.server) ?? []) stream.close();
    done();
  });
}

/**
 * Calls `close` when the credential of the request has ended. A credential is an API key or a session. Returns the
 * function that ends the watch.
 */
export type WatchCredential = (request: FastifyRequest, close: () => void) => () => void;

const credentialWatches = new WeakMap<HttpApp['server'], WatchCredential[]>();

/** Ends streams when the credential that opened them ends. Call this while routes are registered. */
export function endStreamsWith(app: HttpApp, watch: WatchCredential): void {
  credentialWatches.set(app.server, [...(credentialWatches.get(app.server) ?? []), watch]);
}

function watchCredential(request: FastifyRequest, close: () => void): () => void {
  const watches = credentialWatches.get(request.server.server) ?? [];
  const ends = watches.map(watch => watch(request, close));
  return () => {
    for (const end of ends) end();
  };
}

/** Maximum open streams of one API key, one person or one payment's client secret, in this process. */
const mostStreams = 50;
const streamCounts = new WeakMap<HttpApp['server'], Map<string, number>>();

/**
 * Takes one of the caller's streams. Payers count by their payment, so that a busy shop's publishable key limits none
 * of them. Returns the function that gives the stream back. Throws `rate_limited`.
 */
function takeStream({ server: { server }, caller }: FastifyRequest): () => void {
  if (caller === null) return () => {};
  const counts = streamCounts.get(server) ?? new Map<string, number>();
  streamCounts.set(server, counts);
  const holder = `${caller.merchant.id} ${caller.objectId ?? caller.keyId}`;
  const open = counts.get(holder) ?? 0;
  if (open >= mostStreams) {
    const message = `At most ${mostStreams} event streams can be open at once. Close one, or share one.`;
    throw new PayError('rate_limited', message, { retryAfterSeconds: 5 });
  }
  counts.set(holder, open + 1);
  return () => {
    const left = (counts.get(holder) ?? 1) - 1;
    if (left > 0) counts.set(holder, left);
    else counts.delete(holder);
  };
}

/**
 * Answers the request with a stream. Sends the headers that were set so far (CORS, request id). After that, only the
 * stream may use the reply. Throws `rate_limited` if the caller has too many open streams.
 */
export function openStream(request: FastifyRequest, reply: FastifyReply): EventStream {
  const giveBack = takeStream(request);
  reply.hijack();
  const { raw } = reply;
  const ended = new AbortController();
  const streams = openStreams.get(request.server.server) ?? new Set();
  openStreams.set(request.server.server, streams);
  const heartbeat = setInterval(() => write(':\n\n'), heartbeatMs);
  const stream: EventStream = {
    send: ({ id, event, data }) => {
      write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    },
    drained: async () => {
      // `once` rejects when the stream ends. No more messages can then be sent.
      if (raw.writableNeedDrain) await once(raw, 'drain', { signal: ended.signal }).catch(() => undefined);
    },
    close: () => raw.end(),
    signal: ended.signal,
  };

  function write(text: string): void {
    if (raw.writableEnded || raw.destroyed) return;
    raw.write(text);
    if (raw.writableLength > maxWaitingBytes) raw.destroy();
  }

  const endWatch = watchCredential(request, stream.close);
  raw.on('error', () => raw.destroy());
  raw.on('close', () => {
    clearInterval(heartbeat);
    endWatch();
    giveBack();
    streams.delete(stream);
    ended.abort();
  });
  streams.add(stream);
  for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...streamHeaders })) {
    if (value !== undefined) raw.setHeader(name, value);
  }
  raw.writeHead(200);
  write(`retry: ${retryMs}\n\n`);
  return stream;
}

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // Otherwise nginx would hold messages back until its buffer is full.
  'x-accel-buffering': 'no',
};

/** The id of the last message that the client has received (`Last-Event-ID`). Null for a new stream. */
export function lastEventId(request: FastifyRequest): string | null {
  const value = request.headers['last-event-id'];
  return typeof value === 'string' && value !== '' ? value : null;
}
