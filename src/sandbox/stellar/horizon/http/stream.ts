import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FaultKind } from '../../faults/fault.ts';
import type { Fields } from '../records/fields.ts';
import type { PageQuery, PageRecord } from './page.ts';

/** A message: its paging token and its data. The token is null in the stream of an object. */
type StreamMessage = readonly [id: string | null, data: Fields];

/** The content of a stream. */
export interface StreamSource {
  /** Returns the messages since the last call. Throws a problem for a wrong request. */
  next(): Promise<readonly StreamMessage[]>;
  /** The stream ends after this number of messages. The client then reconnects. */
  readonly limit: number;
  /** `stream_dropped` breaks the connection after the first messages. `stream_silent` sends only `hello`. */
  readonly fault: FaultKind | undefined;
  /** A stream reads at least this often, in milliseconds. Default: only after a ledger. */
  readonly lookMs?: number;
  /** Calls back after each ledger. Returns a function that unsubscribes. */
  readonly onLedger: (callback: () => void) => () => void;
}

/** The maximum duration of a stream, as behind a load balancer. The client then reconnects. */
const longestStreamMs = 55_000;

/** Milliseconds between two comments that show a client that a silent stream lives. */
const heartbeatMs = 10_000;

const hello = 'retry: 1000\nevent: open\ndata: "hello"\n\n';
const goodbye = 'retry: 10\nevent: close\ndata: "byebye"\n\n';

/** The open streams. A server that stops aborts them. */
export type OpenStreams = Set<AbortController>;

/**
 * Answers with Server-Sent Events as Horizon does: `hello`, then messages with their paging token as id. The stream
 * ends with `byebye` at the limit, at the timeout or when the server stops. An error of the first read is answered as a
 * problem document. A later error ends the stream with an error event, and is thrown for the log.
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
  const heartbeat = source.fault === 'stream_silent' ? undefined : setInterval(() => line.write(':\n\n'), heartbeatMs);
  try {
    await run(source, first, line, ending.signal);
  } catch (error) {
    line.write('event: error\ndata: Unexpected stream error\n\n');
    throw error;
  } finally {
    clearTimeout(timer);
    clearInterval(heartbeat);
    open.delete(ending);
    if (source.fault !== 'stream_dropped') line.close();
  }
  return reply;
}

interface Line {
  write(text: string): void;
  /** Closes the connection without the message `byebye`. */
  break(): void;
  close(): void;
}

function openLine(request: FastifyRequest, reply: FastifyReply, ending: AbortController): Line {
  reply.hijack();
  const { raw } = reply;
  raw.on('close', () => ending.abort());
  raw.on('error', () => ending.abort());
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
  while (source.fault === 'stream_silent' && !signal.aborted) await nextLedger(source, signal);
  while (!signal.aborted) {
    for (const [id, data] of messages.slice(0, left)) {
      line.write(`${id === null ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`);
    }
    left -= messages.length;
    if (source.fault === 'stream_dropped') return line.break();
    if (left <= 0) break;
    await nextLedger(source, signal);
    if (!signal.aborted) messages = await source.next();
  }
  if (source.fault !== 'stream_silent') line.write(goodbye);
}

/** Resolves after the next ledger, after `lookMs` or on abort. */
function nextLedger({ onLedger, lookMs = longestStreamMs }: StreamSource, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer);
      stop();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const stop = onLedger(end);
    const timer = setTimeout(end, lookMs);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}

/** Reads the messages of a list: first the records after the cursor, then the records of each new ledger. */
export function pageMessages(page: PageQuery, read: (page: PageQuery) => Promise<readonly PageRecord[]>) {
  let { cursor } = page;
  return async (): Promise<readonly StreamMessage[]> => {
    const records = await read({ ...page, cursor });
    cursor = records.at(-1)?.pagingToken ?? cursor;
    return records.map(({ pagingToken, body }) => [pagingToken, body]);
  };
}

/** Reads the messages of an object: first its state, then its new state after each change. */
export function objectMessages(read: () => Promise<Fields>) {
  let last = '';
  return async (): Promise<readonly StreamMessage[]> => {
    const data = await read();
    const text = JSON.stringify(data);
    if (text === last) return [];
    last = text;
    return [[null, data]];
  };
}
