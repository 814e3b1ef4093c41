import type { OpenedCheckout, Payment, CheckoutAccess as Proof } from '../../api/payment.ts';
import type { ErrorBody } from '../../api/schema.ts';
import { systemClock } from '../../core/clock.ts';

/** Access to the service: by a publishable key, by a payment's client secret, or through the shop's proxy. */
export interface CheckoutAccess {
  /** URL before `/v1`: the service's origin or the shop's proxy, without a final slash. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** Whether the shop's proxy has the key. Requests then carry the visitor's cookies for the shop. */
  readonly proxied: boolean;
}

/** A payment's id and client secret. */
export interface PaymentHandle {
  readonly id: string;
  readonly secret: string;
}

/** An error answer, or no answer (`status` 0, `code` `offline`). `message` is for the payer. */
export class ApiProblem extends Error {
  readonly code: string;
  readonly status: number;
  readonly param: string | null | undefined;

  constructor(code: string, message: string, status: number, param?: string | null) {
    super(message);
    this.code = code;
    this.status = status;
    this.param = param;
  }
}

/** An answer, and the device time of its request in ms. An older answer must not replace a newer one. */
export interface Seen<T> {
  readonly value: T;
  readonly askedAt: number;
}

/** One call. With a body, it is a POST, unless `method` is given. A form is sent as it is. */
interface Call {
  readonly method?: string;
  readonly body?: object | undefined;
  readonly key?: string;
  readonly signal?: AbortSignal;
}

/** Milliseconds before each repetition of a failed call. */
const pauses = [400, 1200, 3000];
const timeoutMs = 20_000;

/** Smaller changes of the clock difference are ignored. They may be network delay and would make the countdown jump. */
const toleranceMs = 1000;

/** Creates an idempotency key of 128 random bits. Unlike `crypto.randomUUID`, it also works on pages without TLS. */
export function newKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/** The device's time in milliseconds since 1970. It may be wrong by days. */
export const deviceNow = () => systemClock.now().getTime();

/**
 * The calls that the element makes. All calls except `stream` are repeated after a temporary failure, and throw
 * `ApiProblem`. Each POST that changes something has an `Idempotency-Key`, so a repetition has no second effect.
 */
export class CheckoutApi {
  readonly #access: CheckoutAccess;
  /** Server time minus device time, in milliseconds. */
  #offset: number | undefined;
  #opening: Promise<Seen<OpenedCheckout>> | undefined;

  /**
   * With `payment`, requests it now. The first `open` then returns this answer. With `opened` (the answer in the page),
   * the first `open` returns `opened`.
   */
  constructor(access: CheckoutAccess, payment?: PaymentHandle | null, opened?: OpenedCheckout | null) {
    this.#access = access;
    if (payment) this.#opening = this.open(payment);
    else if (opened) {
      this.#offset = Date.parse(opened.answered_at) - deviceNow();
      this.#opening = Promise.resolve({ value: opened, askedAt: deviceNow() });
    }
    this.#opening?.catch(() => {});
  }

  /** The server's time in milliseconds since 1970. Before the first answer, the device's time. */
  now(): number {
    return deviceNow() + (this.#offset ?? 0);
  }

  /** Creates a payment under the idempotency key of the payer's order. */
  create(body: object, key: string): Promise<Seen<Payment>> {
    return this.call('payments', { body, key });
  }

  read(payment: PaymentHandle): Promise<Seen<Payment>> {
    return this.ask(payment, '');
  }

  /** Reads the payment and its options. */
  open(payment: PaymentHandle): Promise<Seen<OpenedCheckout>> {
    const opening = this.#opening ?? this.call('checkout/open', { body: this.#proof(payment) }, payment.secret);
    this.#opening = undefined;
    return opening;
  }

  /** Makes another call below the payment's path. With a body, the call is a POST. */
  ask<T>({ id, secret }: PaymentHandle, path: string, body?: object): Promise<Seen<T>> {
    return this.call(`payments/${id}${path}`, { body, key: newKey() }, secret);
  }

  /** Opens the event stream. The caller reads its body. */
  stream(payment: PaymentHandle, lastEventId: string, signal: AbortSignal): Promise<Response> {
    const body = { ...this.#proof(payment), last_event_id: lastEventId };
    return this.#send('checkout/stream', { body, signal }, payment.secret);
  }

  #proof({ id, secret }: PaymentHandle): Proof {
    return { api_key: this.#access.apiKey, payment: id, client_secret: secret } as Proof;
  }

  /** Makes a call below `/v1/`, and repeats it after a temporary failure. `secret`: a client secret. */
  async call<T>(path: string, call: Call, secret?: string): Promise<Seen<T>> {
    for (let attempt = 0; ; attempt++) {
      const askedAt = deviceNow();
      try {
        const response = await this.#send(path, call, secret);
        const value: T = await response.json();
        return { value, askedAt };
      } catch (error) {
        const problem = error instanceof ApiProblem ? error : new ApiProblem('offline', '', 0);
        const wait = pauses[attempt];
        if (!wait || !isPassing(problem)) throw problem;
        await new Promise(done => setTimeout(done, wait));
      }
    }
  }

  async #send(path: string, call: Call, secret = ''): Promise<Response> {
    const { baseUrl, apiKey, proxied } = this.#access;
    const { body, key, method = body ? 'POST' : 'GET', signal = AbortSignal.timeout(timeoutMs) } = call;
    const isForm = body instanceof FormData;
    // These calls have the key in their body. Without custom headers, the browser sends no preflight request.
    const isSimple = !proxied && path.startsWith('checkout');
    const headers = isSimple
      ? {}
      : {
          Authorization: proxied ? '' : `Bearer ${apiKey || secret}`,
          'Pay-Client-Secret': secret,
          'Content-Type': body && !isForm ? 'application/json' : '',
          'Idempotency-Key': body && key,
        };
    const askedAt = deviceNow();
    const response = await fetch(`${baseUrl}/v1/${path}`, {
      method,
      // Browsers use separate connections for requests with and without credentials. `same-origin` reuses the
      // connection that loaded the script.
      credentials: proxied ? 'include' : 'same-origin',
      cache: 'no-store',
      signal,
      headers: Object.entries(headers).filter((header): header is [string, string] => Boolean(header[1])),
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    });
    this.#setClock(response, askedAt);
    if (response.ok) return response;
    const { error }: Partial<ErrorBody> = await response.json().catch(() => ({}));
    throw new ApiProblem(error?.code ?? 'unavailable', error?.message ?? '', response.status, error?.param);
  }

  /**
   * Computes the clock difference from an answer. Assumes that the server read its clock halfway between request and
   * answer.
   */
  #setClock({ headers }: Response, askedAt: number): void {
    const offset = Date.parse(headers.get('Pay-Server-Time') ?? '') - (askedAt + deviceNow()) / 2;
    const isNew = this.#offset === undefined || Math.abs(offset - this.#offset) >= toleranceMs;
    if (isNew && !Number.isNaN(offset)) this.#offset = offset;
  }
}

/** Whether a repetition may succeed: after no answer, a server error or a rate limit, or if an attempt still runs. */
function isPassing({ status, code }: ApiProblem): boolean {
  return status === 0 || status >= 500 || code === 'rate_limited' || code === 'idempotency_in_progress';
}
