import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** A line between two servers on which a fifth of the calls fail. */
export interface FaultyLine {
  readonly url: string;
  /** How often each fault has happened. */
  readonly met: ReadonlyMap<string, number>;
  /** How many calls were made while there were faults. */
  calls(): number;
  /** Ends the faults. */
  heal(): void;
  close(): Promise<void>;
}

/** Faults and their shares of all calls. In those that end in `after`, the other side has carried the call out. */
const shares = [
  ['reset before', 0.04],
  ['reset after', 0.06],
  ['503 before', 0.03],
  ['429 before', 0.02],
  ['502 after', 0.02],
  ['slow', 0.029],
  ['silence after', 0.001],
] as const;

type LineFault = (typeof shares)[number][0];

/** Slower than the usual answer, but within the callers' patience. */
const slowMs = 1_500;
/** Longer than the service waits for an operator. */
const silentMs = 12_000;

/** Starts a line on a free port. `random` returns numbers from 0 to 1; `target` is the base URL of the other side. */
export async function startFaultyLine(target: () => string, random: () => number): Promise<FaultyLine> {
  const met = new Map<string, number>();
  let calls = 0;
  let isFaulty = true;
  const server = createServer(async (request, response) => {
    if (isFaulty) calls++;
    const fault = isFaulty ? pick(random()) : null;
    if (fault !== null) met.set(fault, (met.get(fault) ?? 0) + 1);
    await carry(target(), request, response, fault).catch(() => response.socket?.resetAndDestroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    met,
    calls: () => calls,
    heal: () => {
      isFaulty = false;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function pick(chance: number): LineFault | null {
  let sum = 0;
  for (const [fault, share] of shares) {
    sum += share;
    if (chance < sum) return fault;
  }
  return null;
}

async function carry(target: string, request: IncomingMessage, response: ServerResponse, fault: LineFault | null) {
  const body = await buffer(request);
  if (fault === 'reset before') throw new Error(fault);
  if (fault === '503 before') return reply(response, 503, '<html>Service Unavailable</html>');
  if (fault === '429 before') return reply(response, 429, '{"errorCode":"500.003.02"}');
  if (fault === 'slow') await sleep(slowMs);
  const answer = await forward(target, request, body);
  if (fault === 'reset after') throw new Error(fault);
  if (fault === '502 after') return reply(response, 502, '<html>Bad Gateway</html>');
  if (fault === 'silence after') {
    await sleep(silentMs, undefined, { ref: false });
    throw new Error(fault);
  }
  reply(response, answer.status, answer.text);
}

function reply(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': text.startsWith('<') ? 'text/html' : 'application/json' });
  response.end(text);
}

const ofConnection = new Set(['host', 'connection', 'content-length', 'keep-alive', 'transfer-encoding']);

async function forward(target: string, { method = 'GET', url = '/', headers }: IncomingMessage, body: Buffer) {
  const kept = Object.entries(headers).filter(([name]) => !ofConnection.has(name)) as [string, string][];
  const init = { method, headers: kept, ...(method !== 'GET' && { body: new Uint8Array(body) }) };
  const answer = await fetch(`${target}${url}`, init);
  return { status: answer.status, text: await answer.text() };
}
