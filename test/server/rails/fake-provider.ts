import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A call that a fake provider has seen. */
export interface SeenCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Faults of a call. `after`: the provider has executed the call; otherwise it has not. */
export const faults = [
  ...(['reset before', 'reset after', 'silent before', 'silent after', '500 before', '500 after'] as const),
  ...([
    '503 without JSON',
    'HTML after',
    'half an answer after',
    'huge answer after',
    'refused token',
    'throttled',
  ] as const),
] as const;
/** `400 before`: the provider refuses the call, as one that is wrong. The others are answers that cannot be read. */
export type Fault = (typeof faults)[number] | '400 before' | '200 with HTML' | '200 with a list' | '200 with {}';

/** An answer: a status and JSON, or HTML as text. */
export interface FakeAnswer {
  readonly status: number;
  readonly body: object | string | null;
}

/** A provider's server. It implements the published API, with faults on request. */
export interface FakeServer {
  readonly url: string;
  readonly calls: readonly SeenCall[];
  /** The next calls of the path have these faults, in this order. A final slash matches all paths below. */
  fail(path: string, ...faults: readonly Fault[]): void;
  /** Removes the remaining faults. */
  heal(): void;
  close(): Promise<void>;
}

/** Starts a server on a free port. `handle` executes and answers a call. */
export async function startFakeServer(handle: (call: SeenCall) => FakeAnswer): Promise<FakeServer> {
  const calls: SeenCall[] = [];
  const planned: { path: string; fault: Fault }[] = [];
  const http = createServer(async (request, response) => {
    const { method = 'GET', headers, url: path = '/' } = request;
    const call = { method, path, headers, body: await text(request) };
    calls.push(call);
    const index = planned.findIndex(each =>
      each.path.endsWith('/') ? path.startsWith(each.path) : path === each.path,
    );
    const fault = index < 0 ? null : (planned.splice(index, 1)[0]?.fault ?? null);
    if (fault === null) reply(response, handle(call));
    else misbehave(response, fault, () => handle(call));
  });
  await once(http.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    calls,
    fail: (path, ...list) => planned.push(...list.map(fault => ({ path, fault }))),
    heal: () => void planned.splice(0),
    close: async () => {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
}

/** Answers by fault. Other faults end the connection, or leave it open. */
const faultAnswers: Partial<Record<Fault, FakeAnswer>> = {
  '200 with HTML': { status: 200, body: '<html>Sign in to the hotel’s network</html>' },
  '200 with a list': { status: 200, body: [] },
  '200 with {}': { status: 200, body: {} },
  '400 before': { status: 400, body: { code: 'BAD_REQUEST' } },
  '500 before': { status: 500, body: { code: 'INTERNAL_PROCESSING_ERROR', message: 'An error' } },
  '500 after': { status: 500, body: { code: 'INTERNAL_PROCESSING_ERROR', message: 'An error' } },
  '503 without JSON': { status: 503, body: '<html>Service Unavailable</html>' },
  'HTML after': { status: 503, body: '<html>Service Unavailable</html>' },
  'huge answer after': { status: 200, body: { padding: ' '.repeat(100_000) } },
  throttled: { status: 429, body: { errorCode: '500.003.02', errorMessage: 'Spike arrest violation' } },
  'refused token': { status: 401, body: { message: 'Unauthorized' } },
};

function misbehave(response: ServerResponse, fault: Fault, carryOut: () => FakeAnswer): void {
  const status = fault.endsWith('after') ? carryOut().status : 200;
  const answer = faultAnswers[fault];
  if (answer !== undefined) {
    reply(response, answer);
  } else if (fault === 'half an answer after') {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': '500' });
    response.write('{"status":', () => response.socket?.resetAndDestroy());
  } else if (fault.startsWith('reset')) {
    response.socket?.resetAndDestroy();
  }
}

function reply(response: ServerResponse, { status, body }: FakeAnswer): void {
  const isText = typeof body === 'string';
  response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json' });
  response.end(body === null ? '' : isText ? body : JSON.stringify(body));
}
