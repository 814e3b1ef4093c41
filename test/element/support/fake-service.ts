import type { CryptoTransfer, PayerWallet } from '../../../src/api/crypto.ts';
import type { PublicPaymentLink } from '../../../src/api/link.ts';
import type { MobileMoneyOption, Payment, PaymentOptions } from '../../../src/api/payment.ts';
import { exampleAssets, exampleTransaction, exampleTransfer, exampleWallet } from './example-crypto.ts';
import { promptedPayment } from './example-mobile-money.ts';
import { exampleInstructions, exampleNow, exampleOptions, examplePayment, exampleQuote } from './example-payment.ts';

export interface ServiceCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
  readonly credentials: RequestCredentials;
}

export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message?: string;
  readonly param?: string;
}

/** A fake service of one payment, in place of `fetch`. `payment` is its current state. */
export interface FakeService {
  readonly calls: readonly ServiceCall[];
  payment: Payment;
  options: PaymentOptions;
  /** The only payment link, or null. */
  link: PublicPaymentLink | null;
  /** Success message of the link, part of the completed payment. */
  words: string | null;
  takesCrypto: boolean;
  /** Operators of mobile money that are offered. */
  operators: readonly MobileMoneyOption[];
  /** Holdings of the payer's account. */
  wallet: PayerWallet;
  /** Service time minus device time, in ms. */
  clockAheadMs: number;
  /** While true, every call fails. */
  offline: boolean;
  /** While true, streams send nothing, as behind a buffering proxy. */
  mute: boolean;
  /** Changes the payment and sends it to the open streams. */
  change(change: Partial<Payment>): void;
  /** Refuses the next call to `METHOD /path-end`; null makes it fail without an answer. */
  refuseNext(call: string, refusal: Refusal | null): void;
  /** Delays calls to `METHOD /path-end` until the returned function is called. */
  hold(call: string): () => void;
  /** Delays answers to `METHOD /path-end` until the returned function is called. The answer is the state at the call. */
  holdAnswer(call: string): () => void;
  breakStreams(): void;
  openStreams(): number;
  /** Number of calls to `METHOD /path-end`. */
  count(call: string): number;
  restore(): void;
}

const matches = (wanted: string, { method, path }: ServiceCall) => {
  const [verb, end = ''] = wanted.split(' ');
  return method === verb && path.endsWith(end);
};

/** Replaces `fetch` by the fake service. Calls to other addresses still use the real one. */
export function startFakeService(payment: Payment = examplePayment()): FakeService {
  const realFetch = globalThis.fetch;
  const calls: ServiceCall[] = [];
  const refusals: { call: string; refusal: Refusal | null }[] = [];
  const gates: Gates = new Map();
  const answerGates: Gates = new Map();
  const streams = new Set<ReadableStreamDefaultController<Uint8Array>>();
  let sequence = 0;

  const service: FakeService = {
    calls,
    payment,
    options: exampleOptions(payment.amount - payment.amount_received),
    link: null,
    words: null,
    takesCrypto: false,
    operators: [],
    wallet: exampleWallet(),
    clockAheadMs: exampleNow - Date.now(),
    offline: false,
    mute: false,
    change(change) {
      service.payment = { ...service.payment, ...change };
      const due = service.payment.amount - service.payment.amount_received;
      service.options = {
        ...exampleOptions(due),
        crypto: { assets: service.takesCrypto ? exampleAssets(due) : [] },
        mobile_money: { operators: [...service.operators] },
      };
      for (const stream of streams) send(stream);
    },
    refuseNext: (call, refusal) => void refusals.push({ call, refusal }),
    hold: call => gate(gates, call),
    holdAnswer: call => gate(answerGates, call),
    breakStreams() {
      for (const stream of streams) stream.error(new TypeError('network error'));
      streams.clear();
    },
    openStreams: () => streams.size,
    count: call => calls.filter(made => matches(call, made)).length,
    restore() {
      globalThis.fetch = realFetch;
      for (const stream of streams) stream.error(new TypeError('the test is over'));
    },
  };

  function send(stream: ReadableStreamDefaultController<Uint8Array>): void {
    const text = `id: ${++sequence}\nevent: payment\ndata: ${JSON.stringify(payerView(service.payment))}\n\n`;
    if (!service.mute) stream.enqueue(new TextEncoder().encode(text));
  }

  function openStream(signal: AbortSignal): Response {
    let mine: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        mine = controller;
        streams.add(controller);
        send(controller);
      },
      cancel: () => void (mine && streams.delete(mine)),
    });
    signal.addEventListener('abort', () => {
      if (mine && streams.delete(mine)) mine.error(signal.reason);
    });
    return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
  }

  const serviceFetch: typeof fetch = async (input, init = {}) => {
    const url = new URL(String(input), location.href);
    if (!/\/v1\/(payment|checkout)/.test(url.pathname)) return await realFetch(input, init);
    const call: ServiceCall = {
      method: init.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      headers: new Headers(init.headers),
      body: JSON.parse(String(init.body ?? '{}')),
      credentials: init.credentials ?? 'same-origin',
    };
    calls.push(call);
    await new Promise(resolve => setTimeout(resolve, 1));
    await passed(gates, call);
    if (service.offline) throw new TypeError('Failed to fetch');
    const at = refusals.findIndex(({ call: wanted }) => matches(wanted, call));
    if (at >= 0) {
      const [{ refusal } = { refusal: null }] = refusals.splice(at, 1);
      if (!refusal) throw new TypeError('Failed to fetch');
      return answer(service, refusal.status, { error: { message: '', ...refusal } });
    }
    init.signal?.throwIfAborted();
    if (call.path.endsWith('/stream')) return openStream(init.signal as AbortSignal);
    const response = serve(service, call);
    const json = response.json.bind(response);
    response.json = async () => await heard(await json());
    await passed(answerGates, call);
    return await heard(response);
  };
  /** No answers after the test: a checkout of an ended test could store data that the next test reads. */
  const heard = <T>(said: T): T | Promise<never> => (globalThis.fetch === serviceFetch ? said : new Promise(() => {}));
  globalThis.fetch = serviceFetch;
  return service;
}

export function offerCrypto(service: FakeService): FakeService {
  service.takesCrypto = true;
  service.change({});
  return service;
}

/** Offers these operators, as the only method or beside the others. */
export function offerPhones(service: FakeService, operators: readonly MobileMoneyOption[]): FakeService {
  service.operators = operators;
  service.change({ payment_methods: ['card', 'bank_transfer', 'mobile_money'] });
  return service;
}

type Gates = Map<string, Promise<void>>;

function gate(gates: Gates, call: string): () => void {
  let open = () => {};
  gates.set(
    call,
    new Promise(resolve => {
      open = resolve;
    }),
  );
  return () => {
    gates.delete(call);
    open();
  };
}

async function passed(gates: Gates, call: ServiceCall): Promise<void> {
  for (const [wanted, opened] of gates) if (matches(wanted, call)) await opened;
}

/** The payment without its secret. */
function payerView({ client_secret: _secret, ...rest }: Payment): Payment {
  return rest;
}

/** The payer's view, with the words for after payment. */
function told({ payment, words }: FakeService): Payment {
  const isTold = payment.status === 'completed' && words !== null;
  return { ...payerView(payment), ...(isTold && { success_message: words }) };
}

function answer(service: FakeService, status: number, body: unknown): Response {
  const time = new Date(Date.now() + service.clockAheadMs).toISOString();
  return Response.json(body, { status, headers: { 'Pay-Server-Time': time } });
}

function serve(service: FakeService, call: ServiceCall): Response {
  if (call.path.includes('/v1/payment-links/')) return serveLink(service, call);
  if (call.path.endsWith('/v1/checkout/open')) {
    return answer(service, 200, { payment: told(service), options: service.options });
  }

  const action = `${call.method} ${call.path
    .split('/v1/payments')[1]
    ?.replace(service.payment.id, ':id')
    .replace(/wtx_\w+/, ':wtx')}`;
  const respond = routes[action];
  return respond
    ? respond(service, call)
    : answer(service, 404, { error: { code: 'route_not_found', message: action } });
}

/** A link creates a payment of its amount, or of the amount that the payer chose. */
function serveLink(service: FakeService, { method, path, body }: ServiceCall): Response {
  const { link } = service;
  if (!link || !path.includes(link.id)) {
    return answer(service, 404, { error: { code: 'resource_missing', message: 'No such link.' } });
  }
  if (method === 'GET') return answer(service, 200, link);
  if (link.state !== 'open') {
    return answer(service, 410, { error: { code: 'link_used', message: 'This payment link has been paid already.' } });
  }
  const { amount = link.amount, currency = link.currency } = body as { amount?: number; currency?: string };
  service.change({ amount: amount ?? 0, currency, payment_link: link.id });
  return answer(service, 201, service.payment);
}

const routes: Record<string, (service: FakeService, call: ServiceCall) => Response> = {
  'POST ': service => answer(service, 201, service.payment),
  'GET /:id': service => answer(service, 200, told(service)),
  'GET /:id/options': (service, { query }) =>
    answer(
      service,
      200,
      query.has('payer_address')
        ? { ...service.options, crypto: { ...service.options.crypto, wallet: service.wallet } }
        : service.options,
    ),
  'POST /:id/confirm': (service, { body }) =>
    body['method'] === 'card'
      ? confirmCard(service, String(body['token']))
      : body['method'] === 'crypto'
        ? confirmCrypto(service, String(body['asset']))
        : body['method'] === 'mobile_money'
          ? confirmPhone(service, String(body['provider']), String(body['number']))
          : confirmBank(service),
  'POST /:id/wallet_transactions': (service, { body }) => {
    const id = `wtx_${service.count('POST /wallet_transactions')}`;
    return answer(service, 201, exampleTransaction(id, String(body['asset']), transferOf(service)));
  },
  'POST /:id/wallet_transactions/:wtx/submit': (service, { body }) => {
    if (!/^signed AAAAwtx_/.test(String(body['signed_envelope_xdr']))) {
      return answer(service, 402, { error: { code: 'stellar_bad_signature', message: 'Not signed.' } });
    }
    service.change({ phase: 'confirming' });
    return answer(service, 200, payerView(service.payment));
  },
  'POST /:id/quotes': service => {
    const previous = service.payment.quote;
    const expires = new Date(Date.now() + service.clockAheadMs + 900_000).toISOString();
    const quote = exampleQuote({ id: 'quote_2', settlement_amount: '139.4800000', expires_at: expires });
    const action = service.payment.next_action;
    const renewed = action?.type === 'crypto_transfer' ? { ...action, amount: '139.4800000' } : action;
    service.change({ quote, expires_at: expires, next_action: renewed });
    return answer(service, 200, { ...payerView(service.payment), previous_quote: previous });
  },
  'POST /:id/simulate_bank_transfer': (service, { body }) => {
    const due = service.payment.amount - service.payment.amount_received;
    receive(service, Number(body['amount'] ?? due));
    return answer(service, 200, payerView(service.payment));
  },
};

function receive(service: FakeService, amount: number): void {
  const received = service.payment.amount_received + amount;
  const isAll = received >= service.payment.amount;
  service.change({
    amount_received: received,
    method: service.payment.method ?? 'bank_transfer',
    ...(isAll
      ? { status: 'completed', phase: 'paid', next_action: null, completed_at: new Date(exampleNow).toISOString() }
      : {
          phase: 'partially_paid',
          exception: 'underpaid',
          next_action: exampleInstructions(service.payment.amount - received),
        }),
  });
}

function confirmCard(service: FakeService, token: string): Response {
  if (token === 'tok_declined') {
    const message = 'Your bank declined the card. Try another card, or pay another way.';
    service.change({ last_attempt: { method: 'card', code: 'card_declined', message } });
    return answer(service, 402, { error: { code: 'card_declined', message } });
  }
  if (token === 'tok_3ds') {
    const url = `${location.origin}/test/element/support/fake-bank-page.html`;
    service.change({ phase: 'requires_action', method: 'card', next_action: { type: 'redirect', url } });
  } else {
    const due = service.payment.amount - service.payment.amount_received;
    service.change({ method: 'card', card: { brand: 'visa', last4: '4242', three_d_secure: 'not_requested' } });
    if (service.payment.capture_method === 'manual') service.change({ phase: 'authorized', amount_capturable: due });
    else receive(service, due);
  }
  return answer(service, 200, payerView(service.payment));
}

function transferOf({ payment }: FakeService): CryptoTransfer {
  return payment.next_action?.type === 'crypto_transfer' ? payment.next_action : exampleTransfer();
}

function confirmCrypto(service: FakeService, asset: string): Response {
  const amount = service.options.crypto?.assets.find(known => known.asset === asset)?.amount ?? '';
  service.change({ phase: 'awaiting_funds', method: 'crypto', next_action: exampleTransfer({ asset, amount }) });
  return answer(service, 200, payerView(service.payment));
}

/** Sends a prompt, unless one is open. Numbers that end in 000 have no account. */
function confirmPhone(service: FakeService, provider: string, number: string): Response {
  const refuse = (status: number, code: string) =>
    answer(service, status, {
      error: { code, message: `Refused. Try again.`, param: status === 400 ? 'number' : null },
    });
  if (service.payment.open_prompt) return refuse(409, 'prompt_open');
  if (number.endsWith('000')) return refuse(400, 'number_not_registered');
  service.change({ ...promptedPayment(service.operators, provider, number), last_attempt: null });
  return answer(service, 200, payerView(service.payment));
}

function confirmBank(service: FakeService): Response {
  const due = service.payment.amount - service.payment.amount_received;
  service.change({ phase: 'awaiting_funds', method: 'bank_transfer', next_action: exampleInstructions(due) });
  return answer(service, 200, payerView(service.payment));
}
