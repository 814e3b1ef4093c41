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
  /** The whole HTTP/1.1 request as text. Called once for each request. */
  readonly request: (count: number) => string;
  readonly expectedStatus: number;
}

const headEnd = Buffer.from('\r\n\r\n');

/**
 * Keeps `connections` keep-alive sockets busy, one request at a time each. Reads only the status and the end of an
 * answer, so that measuring uses little CPU.
 */
export async function runLoad(load: Load): Promise<LoadResult> {
  const latencies: number[] = [];
  let errors = 0;
  let count = 0;
  const started = performance.now();
  const until = started + load.seconds * 1000;
  await Promise.all(
    Array.from({ length: load.connections }, async () => {
      const line = await openLine(load);
      while (performance.now() < until) {
        const begun = performance.now();
        const status = await line.exchange(load.request(count++));
        latencies.push(performance.now() - begun);
        if (status !== load.expectedStatus) errors++;
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
  exchange(request: string): Promise<number>;
  close(): void;
}

async function openLine(load: Load): Promise<Line> {
  const socket = await new Promise<Socket>((resolve, reject) => {
    const opening = connect({ host: load.host, port: load.port, noDelay: true }, () => resolve(opening));
    opening.once('error', reject);
  });
  let received = Buffer.alloc(0);
  let answer: ((status: number) => void) | null = null;
  socket.on('data', chunk => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const end = received.indexOf(headEnd);
    if (end < 0) return;
    const head = received.toString('latin1', 0, end);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (received.length < end + 4 + length) return;
    received = received.subarray(end + 4 + length);
    answer?.(Number(head.slice(9, 12)));
  });
  socket.on('close', () => answer?.(0));
  socket.on('error', () => answer?.(0));
  return {
    exchange: request =>
      new Promise(resolve => {
        answer = resolve;
        socket.write(request);
      }),
    close: () => socket.destroy(),
  };
}
