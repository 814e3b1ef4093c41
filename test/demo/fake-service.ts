import { Webhook } from 'standardwebhooks';
import type { Fetch } from '../../src/api/client/transport.ts';

export interface Asked {
  readonly line: string;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly body: any;
}

/** A fake payment service for the shop's server. It stores payments and responds in the API's shapes. */
export interface FakeService {
  readonly fetch: Fetch;
  readonly asked: readonly Asked[];
  change(id: string, fields: Record<string, unknown>): void;
  /** A signed webhook of the event. */
  delivery(type: string, paymentId: string): { body: string; headers: Record<string, string> };
  /** Sends an event over the open stream. */
  tell(type: string, paymentId: string): void;
  close(): void;
}

type Json = Record<string, unknown>;

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** Starts without payments. `webhooks: false`: it refuses local webhook addresses. */
export function createFakeService({ webhooks = true } = {}): FakeService {
  const payments = new Map<string, Json>();
  const asked: Asked[] = [];
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  let made = 0;

  const event = (type: string, paymentId: string) => ({
    id: `evt_${++made}`,
    object: 'event',
    type,
    timestamp: '2026-11-21T09:00:00.000Z',
    sequence: made,
    data: { object: payments.get(paymentId), previous: null },
  });

  function create(body: Json): Response {
    const id = `pay_${String(++made).padStart(22, '0')}`;
    const fixed = {
      id,
      object: 'payment',
      status: 'pending',
      phase: 'awaiting_payer',
      amount_received: 0,
      method: null,
    };
    payments.set(id, {
      ...body,
      ...fixed,
      client_secret: `${id}_secret_x`,
      checkout_url: `https://pay.example/checkout/${id}`,
    });
    return Response.json(payments.get(id), { status: 201 });
  }

  function read(id: string): Response {
    const payment = payments.get(id);
    return payment ? Response.json(payment) : refusal(404, 'resource_missing');
  }

  function answer(line: string, body: Json): Response {
    if (line === 'POST /v1/payments') return create(body);
    if (line === 'GET /v1/events/stream') return live(controller => (stream = controller));
    if (line.startsWith('GET /v1/webhook-endpoints'))
      return Response.json({ object: 'list', url: '', has_more: false, data: [] });
    if (line === 'POST /v1/webhook-endpoints') {
      return webhooks ? Response.json({ id: 'we_1', ...body, secret }, { status: 201 }) : refusal(400, 'forbidden_url');
    }
    const id = /^GET \/v1\/payments\/(pay_\w+)$/.exec(line)?.[1];
    return id === undefined ? refusal(404, 'route_not_found') : read(id);
  }

  return {
    asked,
    fetch: async (url, init) => {
      const text = await new Response(init.body ?? '').text();
      const body = text === '' ? null : JSON.parse(text);
      const line = `${init.method} ${new URL(url).pathname}`;
      asked.push({ line, headers: new Headers(init.headers), body });
      return answer(line, body);
    },
    change: (id, fields) => void payments.set(id, { ...payments.get(id), ...fields }),
    delivery: (type, paymentId) => signed(event(type, paymentId)),
    tell: (type, paymentId) =>
      stream?.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event(type, paymentId))}\n\n`)),
    close: () => stream?.close(),
  };
}

function live(open: (controller: ReadableStreamDefaultController<Uint8Array>) => void): Response {
  return new Response(new ReadableStream({ start: open }), { headers: { 'Content-Type': 'text/event-stream' } });
}

function refusal(status: number, code: string): Response {
  const error = {
    type: 'invalid_request_error',
    code,
    message: code,
    param: null,
    request_id: 'req_1',
    doc_url: '',
    errors: [],
  };
  return Response.json({ error }, { status });
}

function signed(event: { id: string }): { body: string; headers: Record<string, string> } {
  const body = JSON.stringify(event);
  const at = new Date();
  const signature = new Webhook(secret).sign(event.id, at, body);
  const timestamp = String(Math.floor(at.getTime() / 1000));
  return { body, headers: { 'webhook-id': event.id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } };
}
