import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';

/** The result of a load run. Latencies in milliseconds. */
export interface LoadResult {
  readonly requests: number;
  readonly errors: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

export interface Load {
  readonly host: string;
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** The work of one turn: one or more requests. Returns whether it succeeded, or null if no work is left. */
  readonly turn: (exchange: Exchange) => Promise<boolean | null>;
}

/** An answer. A turn that reads only the status uses the least CPU time. */
export interface LoadAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/** Sends a whole HTTP/1.1 request. Status 0: no answer. */
export type Exchange = (request: string) => Promise<LoadAnswer>;

/** Renders a GET as HTTP/1.1. */
export function getText(url: string, key: string, path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nAuthorization: Bearer ${key}\r\n\r\n`;
}

/** Returns a function that renders a POST as HTTP/1.1, each time with a fresh Idempotency-Key. */
export function postText(url: string, key: string, path: string, payload: object): () => string {
  const body = JSON.stringify(payload);
  const head = `POST ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  return () => `${head}Idempotency-Key: ${randomUUID()}\r\n\r\n${body}`;
}

const headEnd = Buffer.from('\r\n\r\n');

/** Keeps `connections` keep-alive sockets busy. Each does one turn at a time. Measuring uses little CPU. */
export async function runLoad(load: Load): Promise<LoadResult> {
  const latencies: number[] = [];
  let errors = 0;
  const started = performance.now();
  const until = started + load.seconds * 1000;
  await Promise.all(
    Array.from({ length: load.connections }, async () => {
      const line = await openLine(load);
      while (performance.now() < until) {
        const begun = performance.now();
        const isDone = await load.turn(line.exchange);
        if (isDone === null) break;
        latencies.push(performance.now() - begun);
        if (!isDone) errors++;
      }
      line.close();
    }),
  );
  return summary(latencies, errors, (performance.now() - started) / 1000);
}

export function summary(latencies: number[], errors: number, seconds: number): LoadResult {
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  return { requests: latencies.length, errors, perSecond: latencies.length / seconds, p50: at(0.5), p99: at(0.99) };
}

interface Line {
  readonly exchange: Exchange;
  close(): void;
}

/** Opens a keep-alive connection that sends one request at a time. */
export async function openLine(load: Pick<Load, 'host' | 'port'>): Promise<Line> {
  const socket = await new Promise<Socket>((resolve, reject) => {
    const opening = connect({ host: load.host, port: load.port, noDelay: true }, () => resolve(opening));
    opening.once('error', reject);
  });
  let received = Buffer.alloc(0);
  let answer: ((answer: LoadAnswer) => void) | null = null;
  socket.on('data', chunk => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const end = received.indexOf(headEnd);
    if (end < 0) return;
    const head = received.toString('latin1', 0, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (received.length < end + 4 + length) return;
    const body = received.subarray(end + 4, end + 4 + length);
    received = received.subarray(end + 4 + length);
    answer?.({ status: Number(head.slice(9, 12)), body });
  });
  const lost = () => answer?.({ status: 0, body: received });
  socket.on('close', lost);
  socket.on('error', lost);
  return {
    exchange: request =>
      new Promise(resolve => {
        answer = resolve;
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}
