import { once } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpApp } from './http-app.ts';

/** One message of a stream. */
export interface StreamMessage {
  /** What the client sends back as `Last-Event-ID` to go on from here. */
  readonly id?: string;
  readonly event: string;
  /** Becomes one line of JSON. */
  readonly data: unknown;
}

/** An open stream of Server-Sent Events (WHATWG HTML §9.2). */
export interface EventStream {
  /** Sends a message. A client that does not read is dropped; it comes back and resumes. */
  send(message: StreamMessage): void;
  /** Resolves when what was sent has left, or the stream has ended: wait for it where there is much to send. */
  drained(): Promise<void>;
  /** Ends the stream. */
  close(): void;
  /** Aborted when either side has ended the stream. */
  readonly signal: AbortSignal;
}

/** How often a comment is sent so that no proxy takes the line for dead, in milliseconds. */
const heartbeatMs = 15_000;
/** How much may wait for a client that does not read, in bytes. */
const maxWaitingBytes = 1024 * 1024;
/** How long a browser waits before it connects again, in milliseconds. */
const retryMs = 2_000;
const openStreams = new WeakMap<HttpApp['server'], Set<EventStream>>();

/** Ends the instance's open streams as soon as it starts to close: they would never end by themselves. Call it once, while routes are registered. */
export function closeStreamsOnDrain(app: HttpApp): void {
  app.addHook('preClose', done => {
    for (const stream of openStreams.get(app.server) ?? []) stream.close();
    done();
  });
}

/** Answers the request with a stream. Headers set so far (CORS, request id) are sent; the reply belongs to the stream from here on. */
export function openStream(request: FastifyRequest, reply: FastifyReply): EventStream {
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
      // Ending rejects: that is an answer too.
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

  raw.on('error', () => raw.destroy());
  raw.on('close', () => {
    clearInterval(heartbeat);
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
  // nginx would otherwise hold messages back until its buffer is full.
  'x-accel-buffering': 'no',
};

/** The id the client saw last, or null: the header of a resumed stream. */
export function lastEventId(request: FastifyRequest): string | null {
  const value = request.headers['last-event-id'];
  return typeof value === 'string' && value !== '' ? value : null;
}
