import type { Event } from '../../../src/api/event.ts';

/** One call of the dashboard. */
export interface ServiceCall {
  readonly method: string;
  /** The path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** The answer to a call: a body with status 200, or a refusal. A function may answer later. */
export type Answer = object | ((call: ServiceCall) => object);

/** A list's only page. */
export const listOf = (...data: object[]) => ({ object: 'list', url: '', has_more: false, data });

/** A refusal of the service. */
export class Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly param: string | null;

  constructor(status: number, code: string, message = 'No.', param: string | null = null) {
    Object.assign(this, { status, code, message, param });
    this.status = status;
    this.code = code;
    this.message = message;
    this.param = param;
  }
}

/** A fake service in place of `fetch`. `answers` may be changed at any time; its keys are `GET /v1/payments`. */
export interface FakeService {
  readonly calls: readonly ServiceCall[];
  readonly answers: Record<string, Answer>;
  /** Sends an event to the open stream. If the page has not opened a stream yet, its first stream gets the event. */
  tell(type: string, object: object): void;
  /** Calls to `METHOD /path`. */
  callsOf(call: string): readonly ServiceCall[];
  restore(): void;
}

export function startFakeService(answers: Record<string, Answer>): FakeService {
  const original = window.fetch;
  const calls: ServiceCall[] = [];
  const streams = new Set<ReadableStreamDefaultController<Uint8Array>>();
  const early: Uint8Array[] = [];
  window.fetch = async (input, init = {}) => {
    const url = new URL(String(input), location.origin);
    const isOwn = url.pathname.startsWith('/v1/') || answers[`GET ${url.pathname}`] !== undefined;
    if (!isOwn) return await original(input, init);
    const call: ServiceCall = {
      method: init.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      headers: new Headers(init.headers),
      body: bodyOf(String(init.body ?? '')),
    };
    calls.push(call);
    if (url.pathname === '/v1/events/stream') return streamTo(streams, early.splice(0), init.signal ?? null);
    const answer = answers[`${call.method} ${call.path}`] ?? new Refusal(404, 'resource_missing', 'There is none.');
    return answerOf(typeof answer === 'function' ? await answer(call) : answer);
  };
  return {
    calls,
    answers,
    callsOf: wanted => calls.filter(({ method, path }) => `${method} ${path}` === wanted),
    tell(type, object) {
      const text = `id: evt_1\nevent: event\ndata: ${JSON.stringify(exampleEvent(type, object))}\n\n`;
      const bytes = new TextEncoder().encode(text);
      if (calls.every(({ path }) => path !== '/v1/events/stream')) early.push(bytes);
      for (const stream of streams) stream.enqueue(bytes);
    },
    restore() {
      window.fetch = original;
    },
  };
}

/** The JSON of a body; a file as `text`. */
function bodyOf(text: string): Record<string, unknown> {
  return text.startsWith('{') ? JSON.parse(text) : { text };
}

function answerOf(answer: object): Response {
  if (!(answer instanceof Refusal)) return Response.json(answer);
  const { status, code, message, param } = answer;
  const error = { type: 'invalid_request_error', code, message, param, request_id: 'req_1', doc_url: '', errors: [] };
  return Response.json({ error }, { status });
}

function streamTo(
  streams: Set<ReadableStreamDefaultController<Uint8Array>>,
  early: readonly Uint8Array[],
  signal: AbortSignal | null,
): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      streams.add(controller);
      for (const bytes of early) controller.enqueue(bytes);
      signal?.addEventListener('abort', () => {
        streams.delete(controller);
        controller.error(signal.reason);
      });
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

let told = 0;

/** An event as the service sends it. */
export function exampleEvent(type: string, object: object): Event {
  const at = new Date().toISOString();
  return {
    object: 'event',
    id: `evt_${++told}`,
    type,
    timestamp: at,
    api_version: '2026-11-01',
    livemode: false,
    sequence: 1,
    data: { object, previous: null },
    created_at: at,
  };
}
