import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request that a fixture server has seen. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** An answer: a value is sent as JSON with status 200, and a function sends its own answer. */
export type FixtureAnswer = object | ((request: SeenRequest, response: ServerResponse) => void);

/** A fake external server with answers from the test. */
export interface FixtureServer {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** Sets the answer of the path (without query). */
  answer(path: string, answer: FixtureAnswer): void;
  close(): Promise<void>;
}

/** Starts a server on a free port. A path without an answer gets Horizon’s 404. */
export async function startFixtureServer(
  answers: Readonly<Record<string, FixtureAnswer>> = {},
): Promise<FixtureServer> {
  const known = new Map(Object.entries(answers));
  const seen: SeenRequest[] = [];
  const http = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fixture');
    const { method = 'GET', headers } = request;
    const entry = { method, path: pathname, query: searchParams, headers, body: await text(request) };
    seen.push(entry);
    const answer = known.get(pathname) ?? (() => send(response, 404, notFound));
    if (typeof answer === 'function') answer(entry, response);
    else send(response, 200, answer);
  });
  await once(http.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    seen,
    answer: (path, answer) => known.set(path, answer),
    close: async () => {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
}

/** Answers with JSON, or with a text unchanged. */
export function send(response: ServerResponse, status: number, body: object | string, headers = {}): void {
  response.writeHead(status, {
    'content-type': typeof body === 'string' ? 'text/html' : 'application/json',
    ...headers,
  });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

const notFound = {
  type: 'https://stellar.org/horizon-errors/not_found',
  title: 'Resource Missing',
  status: 404,
  detail: 'The resource at the url requested was not found.',
};
