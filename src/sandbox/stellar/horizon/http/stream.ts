import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Horizon } from '../horizon.ts';
import type { Fields } from '../records/fields.ts';
import type { PageQuery, PageRecord } from './page.ts';

/** One message of a stream. */
interface StreamMessage {
  /** Paging token; a stream of one changing thing has none. */
  readonly id: string | null;
  readonly data: Fields;
}

/** What a stream sends. */
interface StreamSource {
  /** What is new since the last call; throws a problem when the request is wrong. */
  next(): Promise<readonly StreamMessage[]>;
  /** Resolves when there may be more, or the signal aborts. */
  changed(signal: AbortSignal): Promise<void>;
  /** Messages after which the stream ends; the client comes back for more. */
  readonly limit: number;
  /** `dropped`: the line breaks after the first messages. `silent`: nothing more comes, not even the end. */
  readonly fault: 'dropped' | 'silent' | null;
}

/** As a Horizon behind a load balancer: a stream ends after this long, and the client comes back. */
const longestStreamMs = 55_000;

const hello = 'retry: 1000\nevent: open\ndata: "hello"\n\n';
const goodbye = 'retry: 10\nevent: close\ndata: "byebye"\n\n';

/** Streams that are open, so that a server which stops can end them. */
export type OpenStreams = Set<AbortController>;

/**
 * Answers with Server-Sent Events, framed as Horizon does: hello, messages with their paging token as id, and byebye
 * when `limit` is reached, the time is up or the server stops. Throws the source’s problem when its first call does; what fails later
 * ends the stream and is thrown all the same, for the log.
 */
export async function serveStream(
  request: FastifyRequest,
  reply: FastifyReply,
  source: StreamSource,
  open: OpenStreams,
): Promise<FastifyReply> {
  const first = await source.next();
  const ending = new AbortController();
  const line = openLine(request, reply, ending);
  open.add(ending);
  const timer = setTimeout(() => ending.abort(), longestStreamMs);
  try {
    await run(source, first, line, ending.signal);
  } catch (error) {
    line.write('event: error\ndata: Unexpected stream error\n\n');
    throw error;
  } finally {
    clearTimeout(timer);
    open.delete(ending);
    if (source.fault !== 'dropped') line.close();
  }
  return reply;
}

interface Line {
  write(text: string): void;
  /** Breaks without a goodbye. */
  break(): void;
  close(): void;
}

function openLine(request: FastifyRequest, reply: FastifyReply, ending: AbortController): Line {
  reply.hijack();
  const { raw } = reply;
  const hangUp = () => ending.abort();
  raw.on('close', hangUp);
  raw.on('error', hangUp);
  const headers = {
    ...reply.getHeaders(),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  };
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) raw.setHeader(name, value);
  raw.writeHead(200);
  const write = (text: string) => {
    if (!raw.writableEnded && !raw.destroyed) raw.write(text);
  };
  write(hello);
  return { write, break: () => request.raw.socket.destroySoon(), close: () => raw.end() };
}

async function run(
  source: StreamSource,
  first: readonly StreamMessage[],
  line: Line,
  signal: AbortSignal,
): Promise<void> {
  let left = source.limit;
  let messages = first;
  if (source.fault === 'silent') return await ended(signal);
  while (!signal.aborted) {
    for (const message of messages.slice(0, left)) line.write(messageText(message));
    left -= messages.length;
    if (source.fault === 'dropped') return line.break();
    if (left <= 0) break;
    await source.changed(signal);
    if (!signal.aborted) messages = await source.next();
  }
  line.write(goodbye);
}

function messageText({ id, data }: StreamMessage): string {
  return `${id === null ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** How often a stream looks again when no ledger closes: an idle network closes one when somebody looks, in milliseconds. */
const lookEveryMs = 1_000;

/** A list as a stream: what follows the cursor, and then what each ledger adds. */
export function pageSource(
  horizon: Pick<Horizon, 'onLedger'>,
  page: PageQuery,
  read: (page: PageQuery) => Promise<readonly PageRecord[]>,
  fault: StreamSource['fault'],
): StreamSource {
  let { cursor } = page;
  return {
    next: async () => {
      const records = await read({ ...page, cursor });
      cursor = records.at(-1)?.pagingToken ?? cursor;
      return records.map(({ pagingToken, body }) => ({ id: pagingToken, data: body }));
    },
    changed: signal => nextLedger(horizon, signal),
    limit: page.limit,
    fault,
  };
}

/** Messages of a stream of one thing. */
const objectLimit = 10;

/** One thing as a stream: how it is, and how it is after each ledger that changed it. */
export function objectSource(
  horizon: Pick<Horizon, 'onLedger'>,
  read: () => Promise<Fields>,
  fault: StreamSource['fault'],
): StreamSource {
  let last = '';
  return {
    next: async () => {
      const data = await read();
      const text = JSON.stringify(data);
      if (text === last) return [];
      last = text;
      return [{ id: null, data }];
    },
    changed: signal => nextLedger(horizon, signal),
    limit: objectLimit,
    fault,
  };
}

function nextLedger(horizon: Pick<Horizon, 'onLedger'>, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer);
      stop();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const stop = horizon.onLedger(end);
    const timer = setTimeout(end, lookEveryMs);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}
