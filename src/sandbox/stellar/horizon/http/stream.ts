import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Horizon } from '../horizon.ts';
import type { Fields } from '../records/fields.ts';
import type { PageQuery, PageRecord } from './page.ts';

interface StreamMessage {
  /** The paging token; null in the stream of an object. */
  readonly id: string | null;
  readonly data: Fields;
}

/** The content of a stream. */
interface StreamSource {
  /** New messages since the last call. Throws a problem for a wrong request. */
  next(): Promise<readonly StreamMessage[]>;
  /** Resolves when there may be new messages, or on abort. */
  changed(signal: AbortSignal): Promise<void>;
  /** The number of messages after which the stream ends and the client reconnects. */
  readonly limit: number;
  /** `dropped`: the connection breaks after the first messages. `silent`: no message and no end follow. */
  readonly fault: 'dropped' | 'silent' | null;
}

/** The longest stream, as with a load balancer; then the client reconnects. */
const longestStreamMs = 55_000;

const hello = 'retry: 1000\nevent: open\ndata: "hello"\n\n';
const goodbye = 'retry: 10\nevent: close\ndata: "byebye"\n\n';

/** The open streams, which a stopping server aborts. */
export type OpenStreams = Set<AbortController>;

/**
 * Answers with Server-Sent Events as Horizon does: hello, messages with their paging token as id, and byebye at the
 * limit, at the timeout or when the server stops. An error of the first read is thrown as a problem; a later one ends
 * the stream and is thrown for the log.
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
  /** Breaks the connection without an end. */
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

/** How often a stream reads without a new ledger, in milliseconds. A read makes an idle network close a due ledger. */
const lookEveryMs = 1_000;

/** The stream of a list: the records after the cursor, then those of each new ledger. */
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

/** The number of messages in the stream of an object. */
const objectLimit = 10;

/** The stream of an object: its state, then each change of it. */
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
