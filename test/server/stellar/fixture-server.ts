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

/** What it answers: a value goes as JSON with status 200, a function does as it likes. */
export type FixtureAnswer = object | ((request: SeenRequest, response: ServerResponse) => void);

/** A server of the outside world that says what a test has it say. */
export interface FixtureServer {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** From now on the path (without query) answers so. */
  answer(path: string, answer: FixtureAnswer): void;
  close(): Promise<void>;
}

/** Starts one on a free port. What has no answer gets Horizon’s 404. */
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

/** Answers with JSON, or with a text as it is. */
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
