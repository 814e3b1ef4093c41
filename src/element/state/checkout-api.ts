import type { ConfirmPayment, Payment, PaymentOptions, PaymentQuote } from '../../api/payment.ts';
import type { ErrorBody } from '../../api/schema.ts';
import type { ServerClock } from './server-clock.ts';

/** How the element reaches the service: with a publishable key, with one payment's client secret, or through the shop's proxy. */
export interface CheckoutAccess {
  /** Address before `/v1`: the service's origin or the shop's proxy, without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** The shop's own server holds the key; its cookies are then sent along. */
  readonly proxied: boolean;
}

/** A payment's id and client secret. */
export interface PaymentHandle {
  readonly id: string;
  readonly secret: string;
}

/** An error answer, or no answer (`status` 0, `code` `offline`). `message` is written for the payer. */
export class ApiProblem extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status: number) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/** An answer and the device time of its request, in ms. An older answer must not replace a newer one. */
export interface Seen<T> {
  readonly value: T;
  readonly askedAt: number;
}

/**
 * The calls the element makes. Each throws `ApiProblem`. Each POST carries its own `Idempotency-Key`, so it can be sent
 * again after a network failure without a second effect. `create` takes the key of the payer's order.
 */
export interface CheckoutApi {
  create(body: object, key: string): Promise<Seen<Payment>>;
  read(payment: PaymentHandle): Promise<Seen<Payment>>;
  options(payment: PaymentHandle): Promise<Seen<PaymentOptions>>;
  quote(payment: PaymentHandle): Promise<Seen<Payment & { previous_quote: PaymentQuote }>>;
  confirm(payment: PaymentHandle, body: ConfirmPayment): Promise<Seen<Payment>>;
  /** Any other call below the payment's path, which only one method makes. With a body it is a POST. */
  ask<T>(payment: PaymentHandle, path: string, body?: object): Promise<Seen<T>>;
  /** The open event stream; the caller reads its body. */
  stream(payment: PaymentHandle, lastEventId: string, signal: AbortSignal): Promise<Response>;
}

interface Call {
  readonly method?: 'POST';
  readonly body?: object;
  readonly key?: string;
  readonly lastEventId?: string;
  readonly signal?: AbortSignal;
}

/** Pauses before a failed call is repeated, in ms. */
const pauses = [400, 1200, 3000];
const timeoutMs = 20_000;

/** Creates an idempotency key of 128 random bits. Unlike `crypto.randomUUID`, it also works on pages without TLS. */
export function newKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/** Creates the client. `clock` learns the server's time from every answer. */
export function createCheckoutApi(access: CheckoutAccess, clock: ServerClock): CheckoutApi {
  const ask = async <T>(path: string, call: Call, payment?: PaymentHandle): Promise<Seen<T>> => {
    for (let attempt = 0; ; attempt++) {
      const askedAt = clock.deviceNow();
      try {
        const response = await send(access, path, call, payment?.secret);
        const value: T = await response.json();
        clock.learn(response.headers.get('Pay-Server-Time'), askedAt);
        return { value, askedAt };
      } catch (error) {
        const problem = error instanceof ApiProblem ? error : new ApiProblem('offline', '', 0);
        const wait = pauses[attempt];
        if (!wait || !isPassing(problem)) throw problem;
        await new Promise(done => setTimeout(done, wait));
      }
    }
  };
  const askOf = <T>(payment: PaymentHandle, path: string, body?: object) =>
    ask<T>(`/${payment.id}${path}`, body ? { method: 'POST', body, key: newKey() } : {}, payment);
  return {
    create: (body, key) => ask('', { method: 'POST', body, key }),
    read: payment => askOf(payment, ''),
    options: payment => askOf(payment, '/options'),
    quote: payment => askOf(payment, '/quotes', {}),
    confirm: (payment, body) => askOf(payment, '/confirm', body),
    ask: askOf,
    stream: (payment, lastEventId, signal) =>
      send(access, `/${payment.id}/stream`, { signal, lastEventId }, payment.secret),
  };
}

async function send(access: CheckoutAccess, path: string, call: Call, secret = ''): Promise<Response> {
  const { method = 'GET', body, key, lastEventId, signal = AbortSignal.timeout(timeoutMs) } = call;
  const headers = {
    Authorization: access.proxied ? '' : `Bearer ${access.apiKey || secret}`,
    'Pay-Client-Secret': secret,
    'Content-Type': body ? 'application/json' : '',
    'Idempotency-Key': key,
    'Last-Event-ID': lastEventId,
  };
  const response = await fetch(`${access.baseUrl}/v1/payments${path}`, {
    method,
    credentials: access.proxied ? 'include' : 'omit',
    cache: 'no-store',
    signal,
    headers: Object.entries(headers).filter((header): header is [string, string] => Boolean(header[1])),
    ...(body && { body: JSON.stringify(body) }),
  });
  if (response.ok) return response;
  const { error }: Partial<ErrorBody> = await response.json().catch(() => ({}));
  throw new ApiProblem(error?.code ?? 'unavailable', error?.message ?? '', response.status);
}

/** Whether a repeated call may succeed: no network, an overloaded service, or our earlier attempt still in progress. */
function isPassing({ status, code }: ApiProblem): boolean {
  return status === 0 || status >= 500 || code === 'rate_limited' || code === 'idempotency_in_progress';
}
