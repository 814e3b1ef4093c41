import { describe, expect, it, vi } from 'vitest';
import { readServerSentEvents, type SentEvent } from '../../src/api/client/server-sent-events.ts';
import { createPayClient, type Fetch, PayApiError, type PayClientOptions } from '../../src/api/client.ts';

const payment = {
  amount: 500,
  currency: 'EUR',
  settlement_asset: 'USDC',
  settlement_network: 'stellar',
  payment_methods: ['card' as const],
  customer: { email: 'ada@example.com' },
};

interface Seen {
  line: string;
  headers: Headers;
  body: string;
}
type Answer = Response | Error | ((signal: AbortSignal) => Promise<Response>);

/** A service that gives its answers in turn, and then repeats the last one. */
function serviceOf(...answers: Answer[]) {
  const seen: Seen[] = [];
  const fetch: Fetch = async (url, init) => {
    const body = await new Response(init.body ?? '').text();
    seen.push({ line: `${init.method} ${url}`, headers: new Headers(init.headers), body });
    const answer = answers[Math.min(seen.length, answers.length) - 1];
    if (answer instanceof Error) throw answer;
    if (typeof answer === 'function') return answer(init.signal as AbortSignal);
    return answer?.clone() ?? Response.json({});
  };
  return { seen, fetch };
}

function clientOf(fetch: Fetch, options: Partial<PayClientOptions> = {}) {
  const defaults = { baseUrl: 'https://pay.example/', apiKey: 'sk_test_123', retryDelayMs: 1 };
  return createPayClient({ ...defaults, fetch, ...options });
}

function refusal(status: number, code: string, headers: Record<string, string> = {}): Response {
  const error = {
    type: 'api_error',
    code,
    message: `no: ${code}`,
    param: null,
    request_id: 'req_1',
    doc_url: 'd',
    errors: [],
  };
  return Response.json({ error }, { status, headers });
}

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const element of source) all.push(element);
  return all;
}

async function failureOf(call: Promise<unknown>): Promise<PayApiError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(PayApiError);
  return error as PayApiError;
}

describe('a call', () => {
  it('sends JSON with its key, and an idempotency key of its own', async () => {
    const { seen, fetch } = serviceOf(Response.json({ id: 'pay_1' }, { status: 201 }));
    expect(await clientOf(fetch).payments.create(payment)).toEqual({ id: 'pay_1' });
    await clientOf(fetch).payments.create(payment);
    expect(seen[0]?.line).toBe('POST https://pay.example/v1/payments');
    expect(seen[0]?.headers.get('authorization')).toBe('Bearer sk_test_123');
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual(payment);
    const keys = seen.map(call => call.headers.get('idempotency-key') ?? '');
    expect(new Set(keys).size).toBe(2);
    expect(keys.every(key => key.length >= 22)).toBe(true);
  });

  it("speaks for a payer with the payment's client secret", async () => {
    const { seen, fetch } = serviceOf(Response.json({}));
    await clientOf(fetch, { apiKey: 'pk_test_1' }).payments.retrieve('pay_1', { clientSecret: 'pay_1_secret_2' });
    expect(seen[0]?.headers.get('pay-client-secret')).toBe('pay_1_secret_2');
    expect(seen[0]?.headers.has('idempotency-key')).toBe(false);
  });

  it('throws the service’s error', async () => {
    const error = {
      type: 'invalid_request_error',
      code: 'invalid_email',
      message: 'That is no e-mail address.',
      param: 'customer.email',
      request_id: 'req_9',
      doc_url: 'https://pay.example/docs/errors/invalid_email',
      errors: [{ param: 'customer.email', code: 'invalid_email', message: 'That is no e-mail address.' }],
    };
    const { seen, fetch } = serviceOf(Response.json({ error }, { status: 400 }));
    const thrown = await failureOf(clientOf(fetch).payments.create(payment));
    const { request_id: requestId, doc_url: docUrl, ...same } = error;
    expect({ ...thrown, message: thrown.message }).toMatchObject({ ...same, status: 400, requestId, docUrl });
    expect(seen).toHaveLength(1);
  });

  it.each(['', '../api-keys', 'pay_1/refunds', 'pay_1?x=1', '..'])('refuses "%s" as an id', id => {
    const { seen, fetch } = serviceOf(Response.json({}));
    expect(() => clientOf(fetch).payments.retrieve(id)).toThrow(TypeError);
    expect(seen).toEqual([]);
  });

  it('reaches every resource at the path of the contract', async () => {
    const { seen, fetch } = serviceOf(Response.json({ object: 'list', data: [], has_more: false }));
    const pay = clientOf(fetch);
    await Promise.all([
      pay.payments.options('pay_1'),
      pay.payments.quote('pay_1'),
      pay.payments.confirm('pay_1', { method: 'card', token: 'tok_visa' }),
      pay.payments.createWalletTransaction('pay_1', { chain: 'stellar', address: 'G', asset: 'XLM' }),
      pay.payments.submitWalletTransaction('pay_1', 'wtx_1', { signed_envelope_xdr: 'AAAA' }),
      pay.payments.cancel('pay_1'),
      pay.payments.refund('pay_1', { amount: 5 }),
      pay.payments.refunds('pay_1', { limit: 3 }),
      pay.payments.resolve('pay_1', { action: 'accept' }),
      pay.events.retrieve('evt_1'),
      pay.events.redeliver('evt_1'),
      pay.webhookEndpoints.create({ url: 'https://a.example', events: ['*'] }),
      pay.webhookEndpoints.update('we_1', { status: 'disabled' }),
      pay.webhookEndpoints.rotateSecret('we_1'),
      pay.webhookEndpoints.deliveries('we_1'),
      pay.webhookEndpoints.test('we_1'),
      pay.webhookEndpoints.delete('we_1'),
      pay.account.retrieve(),
      pay.account.update({ name: 'Nordlys' }),
      pay.apiKeys.create({ type: 'secret' }),
      pay.apiKeys.delete('key_1'),
      pay.balance.retrieve(),
      pay.balance.entries(),
      pay.transfers.list({ status: 'unmatched' }),
      pay.transfers.assign('tr_1', { payment_id: 'pay_1' }),
      pay.transfers.return('tr_1'),
      pay.rates.retrieve({ from: 'EUR', to: 'USDC' }),
      pay.testHelpers.bankTransfer({ reference: 'R', amount: 5, currency: 'EUR' }),
      pay.testHelpers.deposit({ chain: 'stellar', address: 'G', asset: 'XLM', amount: '5' }),
      pay.testHelpers.clock(),
      pay.testHelpers.advanceClock({ advance: 'P3D' }),
      pay.testHelpers.triggerEvent({ type: 'payment.completed' }),
      pay.testHelpers.dispute({ payment: 'pay_1' }),
      pay.testHelpers.mobileMoney({ payment: 'pay_1', outcome: 'approve' }),
      pay.testHelpers.fund({ currency: 'EUR', amount: 5 }),
    ]);
    expect(seen.map(call => call.line.replace('https://pay.example/v1', ''))).toEqual([
      'GET /payments/pay_1/options',
      'POST /payments/pay_1/quotes',
      'POST /payments/pay_1/confirm',
      'POST /payments/pay_1/wallet_transactions',
      'POST /payments/pay_1/wallet_transactions/wtx_1/submit',
      'POST /payments/pay_1/cancel',
      'POST /payments/pay_1/refunds',
      'GET /payments/pay_1/refunds?limit=3',
      'POST /payments/pay_1/resolve',
      'GET /events/evt_1',
      'POST /events/evt_1/redeliver',
      'POST /webhook-endpoints',
      'PATCH /webhook-endpoints/we_1',
      'POST /webhook-endpoints/we_1/rotate-secret',
      'GET /webhook-endpoints/we_1/deliveries',
      'POST /webhook-endpoints/we_1/test',
      'DELETE /webhook-endpoints/we_1',
      'GET /account',
      'PATCH /account',
      'POST /api-keys',
      'DELETE /api-keys/key_1',
      'GET /balance',
      'GET /balance/entries',
      'GET /transfers?status=unmatched',
      'POST /transfers/tr_1/assign',
      'POST /transfers/tr_1/return',
      'GET /rates?from=EUR&to=USDC',
      'POST /test_helpers/bank_transfers',
      'POST /test_helpers/deposits',
      'GET /test_helpers/clock',
      'POST /test_helpers/clock',
      'POST /test_helpers/events',
      'POST /test_helpers/cards/disputes',
      'POST /test_helpers/mobile_money',
      'POST /test_helpers/fund',
    ]);
  });
});

describe('a call that may succeed later', () => {
  it.each<[string, Answer]>([
    ['an earlier attempt is in progress', refusal(409, 'idempotency_in_progress')],
    ['there were too many requests', refusal(429, 'rate_limited')],
    ['the service is unavailable', refusal(503, 'unavailable')],
    ['a gateway answers for it', new Response('<p>', { status: 503, headers: { 'Content-Type': 'text/html' } })],
    ['the connection breaks', new TypeError('fetch failed')],
    ['the response is truncated', new Response('{"id":"pa', { status: 201 })],
  ])('is repeated with the same idempotency key when %s', async (_case, answer) => {
    const { seen, fetch } = serviceOf(answer, answer, Response.json({ id: 'pay_1' }));
    expect(await clientOf(fetch).payments.create(payment)).toEqual({ id: 'pay_1' });
    expect(seen).toHaveLength(3);
    expect(new Set(seen.map(call => call.headers.get('idempotency-key'))).size).toBe(1);
    expect(new Set(seen.map(call => call.body)).size).toBe(1);
  });

  it('is repeated only as often as configured', async () => {
    const { seen, fetch } = serviceOf(refusal(503, 'unavailable'));
    const thrown = await failureOf(clientOf(fetch, { maxRetries: 2 }).account.retrieve());
    expect([thrown.status, thrown.code, seen.length]).toEqual([503, 'unavailable', 3]);
  });

  it.each<[string, Answer]>([
    ['a conflict', refusal(409, 'illegal_state')],
    ['a declined card', refusal(402, 'card_declined')],
    ['too many declined cards', refusal(429, 'too_many_attempts')],
    ['another body with the same key', refusal(422, 'idempotency_key_reused')],
    ['an internal error', refusal(500, 'internal_error')],
    ['a Retry-After of an hour', refusal(503, 'unavailable', { 'Retry-After': '3600' })],
  ])('is not repeated: %s', async (_case, answer) => {
    const { seen, fetch } = serviceOf(answer);
    await failureOf(clientOf(fetch).payments.create(payment));
    expect(seen).toHaveLength(1);
  });

  it('does not repeat a deletion without an answer, because the repetition might answer "no such object"', async () => {
    const { seen, fetch } = serviceOf(new TypeError('fetch failed'));
    const thrown = await failureOf(clientOf(fetch).apiKeys.delete('key_1'));
    expect([thrown.status, thrown.code, seen.length]).toEqual([0, 'unreachable', 1]);
  });

  it.each([
    ['seconds', '1'],
    ['a date', new Date(Date.UTC(2026, 10, 21, 9, 0, 1)).toUTCString()],
  ])('waits for the time in Retry-After, in %s', async (_case, retryAfter) => {
    const { fetch } = serviceOf(refusal(429, 'rate_limited', { 'Retry-After': retryAfter }), Response.json({}));
    const clock = { now: () => new Date(Date.UTC(2026, 10, 21, 9)) };
    const began = performance.now();
    await clientOf(fetch, { clock }).account.retrieve();
    expect(performance.now() - began).toBeGreaterThan(950);
  });

  it('ends after its timeout, and at once when the caller aborts', async () => {
    const silent: Answer = signal =>
      new Promise((_resolve, reject) => {
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    const { seen, fetch } = serviceOf(silent);
    const thrown = await failureOf(clientOf(fetch, { timeoutMs: 10, maxRetries: 1 }).account.retrieve());
    expect([thrown.code, seen.length]).toEqual(['timeout', 2]);

    const leave = new AbortController();
    const call = clientOf(fetch).account.retrieve({ signal: leave.signal });
    leave.abort(new Error('left'));
    await expect(call).rejects.toThrow('left');
    expect(seen).toHaveLength(3);
  });
});

describe('a list', () => {
  const page = (ids: string[], hasMore: boolean) =>
    Response.json({ object: 'list', url: '/v1/events', has_more: hasMore, data: ids.map(id => ({ id })) });
  const idsOf = (list: AsyncIterable<{ id: string }>) => collect(list).then(all => all.map(element => element.id));

  it('resolves to its first page when awaited', async () => {
    const { seen, fetch } = serviceOf(page(['evt_2', 'evt_1'], true));
    const first = await clientOf(fetch).events.list({ limit: 2, created_at: { gte: '2026-01-01T00:00:00Z' } });
    expect([first.has_more, first.data.length, seen.length]).toEqual([true, 2, 1]);
    expect(seen[0]?.line).toBe(
      'GET https://pay.example/v1/events?limit=2&created_at%5Bgte%5D=2026-01-01T00%3A00%3A00Z',
    );
  });

  it('iterates over every element, and requests each page when the loop needs it', async () => {
    const { seen, fetch } = serviceOf(page(['evt_4', 'evt_3'], true), page(['evt_2', 'evt_1'], false));
    const pay = clientOf(fetch);
    for await (const event of pay.events.list({ limit: 2 })) if (event.id === 'evt_3') break;
    expect(seen).toHaveLength(1);
    seen.length = 0;
    expect(await idsOf(pay.events.list({ limit: 2 }))).toEqual(['evt_4', 'evt_3', 'evt_2', 'evt_1']);
    expect(seen[1]?.line).toContain('?limit=2&starting_after=evt_3');
  });

  it('iterates from ending_before towards the newest element', async () => {
    const { seen, fetch } = serviceOf(page(['evt_3', 'evt_2'], true), page(['evt_4'], false));
    expect(await idsOf(clientOf(fetch).events.list({ ending_before: 'evt_1' }))).toEqual(['evt_2', 'evt_3', 'evt_4']);
    expect(seen[1]?.line).toContain('?ending_before=evt_3');
  });

  it('throws inside the loop when a page is refused', async () => {
    const { fetch } = serviceOf(page(['evt_2'], true), refusal(400, 'invalid_cursor'));
    expect((await failureOf(idsOf(clientOf(fetch).events.list()))).code).toBe('invalid_cursor');
  });
});

const sse = (text: string) => new Response(text, { headers: { 'Content-Type': 'text/event-stream' } });

describe('a stream', () => {
  it('continues after lost connections from the last received message', async () => {
    const { seen, fetch } = serviceOf(
      sse('retry: 1\n\nid: 7\nevent: payment\ndata: {"phase":"awaiting_payer"}\n\n'),
      new TypeError('fetch failed'),
      refusal(503, 'unavailable'),
      sse(':\n\nid: 8\nevent: payment\ndata: {"phase":"paid"}\n\n'),
    );
    const phases: string[] = [];
    for await (const { phase } of clientOf(fetch).payments.stream('pay_1', { clientSecret: 'pay_1_secret_2' })) {
      phases.push(phase);
      if (phase === 'paid') break;
    }
    expect(phases).toEqual(['awaiting_payer', 'paid']);
    expect(seen.map(call => call.headers.get('last-event-id'))).toEqual([null, '7', '7', '7']);
    expect(seen[0]?.headers.get('accept')).toBe('text/event-stream');
  });

  it('throws when it is refused and ends when it is aborted', async () => {
    const refused = clientOf(serviceOf(refusal(404, 'resource_missing')).fetch).payments.stream('pay_1');
    expect((await failureOf(refused.next())).code).toBe('resource_missing');
    const leave = new AbortController();
    const body = () =>
      new ReadableStream({ start: controller => controller.enqueue(new TextEncoder().encode('data: 1\n\n')) });
    const { fetch } = serviceOf(signal => {
      return Promise.resolve(new Response(body().pipeThrough(new TransformStream(), { signal })));
    });
    const seen: unknown[] = [];
    for await (const data of clientOf(fetch).events.stream({ signal: leave.signal })) {
      seen.push(data);
      leave.abort();
    }
    expect(seen).toEqual([1]);
  });

  it('reconnects after a time without any bytes', async () => {
    vi.useFakeTimers();
    try {
      const dead = new Response(new ReadableStream(), { headers: { 'Content-Type': 'text/event-stream' } });
      const { seen, fetch } = serviceOf(dead, sse('data: 1\n\n'));
      const next = clientOf(fetch).events.stream().next();
      await vi.advanceTimersByTimeAsync(59_000);
      expect(seen).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(2_000);
      expect((await next).value).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });

  const message = (event: string, data: string, id = '', retryMs: number | null = null): SentEvent => ({
    event,
    data,
    id,
    retryMs,
  });
  it.each<[string, string, SentEvent[]]>([
    ['lines that end in LF', 'event: a\ndata: 1\n\n', [message('a', '1')]],
    ['lines that end in CRLF', 'event: a\r\ndata: 1\r\n\r\n', [message('a', '1')]],
    ['lines that end in CR', 'event: a\rdata: 1\r\rdata: 2\n\n', [message('a', '1'), message('message', '2')]],
    ['several data lines', 'data: 1\ndata:2\ndata\n\n', [message('message', '1\n2\n')]],
    ['ids that stay', 'id: 1\ndata: a\n\ndata: b\n\n', [message('message', 'a', '1'), message('message', 'b', '1')]],
    ['a pause', 'retry: 250\ndata: a\n\n', [message('message', 'a', '', 250)]],
    ['comments and unknown fields', ': hi\nfoo: bar\ndata: ä€😀\n\n:\n\n', [message('message', 'ä€😀')]],
    ['a message that broke off', 'data: 1\n\ndata: 2\n', [message('message', '1')]],
  ])('reads %s, however the bytes are divided', async (_case, text, expected) => {
    const bytes = new TextEncoder().encode(text);
    for (let size = 1; size <= bytes.length; size++) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
        bytes.slice(n * size, (n + 1) * size),
      );
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const chunk of chunks) controller.enqueue(chunk);
          controller.close();
        },
      });
      expect(await collect(readServerSentEvents(body))).toEqual(expected);
    }
  });
});

it('refuses a secret key in a browser', () => {
  Object.assign(globalThis, { window: globalThis, document: {} });
  try {
    expect(() => createPayClient({ baseUrl: 'https://pay.example', apiKey: 'sk_test_1' })).toThrow(/browser/);
    expect(() => createPayClient({ baseUrl: 'https://pay.example', apiKey: 'pk_test_1' })).not.toThrow();
  } finally {
    Reflect.deleteProperty(globalThis, 'window');
    Reflect.deleteProperty(globalThis, 'document');
  }
});
