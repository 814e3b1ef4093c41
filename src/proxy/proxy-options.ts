import type { Fetch } from '../api/client/transport.ts';
import type { CreatePayment } from '../api/payment.ts';
import type { Operation } from './operation.ts';
import { checkOrigins } from './same-origin.ts';

/** What `authorize` gives to open an operation that is closed, or to say what is created. */
export interface Grant {
  /** The body the service gets. What the browser sent is never passed on in its place. */
  readonly body?: unknown;
  /** The query the service gets in place of the browser's: `{ customer: 'cus_…' }` narrows a list. */
  readonly query?: Readonly<Record<string, string>>;
  /**
   * The `Idempotency-Key` the service gets, as it is: the shop's order number makes one payment of two clicks. Without
   * it the browser's key is passed on as `browser:` and a SHA-256, so that it never meets a key of the shop's server.
   */
  readonly idempotencyKey?: string;
}

/**
 * What a shop says to an operation. `false`: no. `true`: yes to what a payer does; still no to everything else, so
 * that an `authorize` that always says yes opens neither refunds nor payouts. A `Grant`: yes, to this one as written.
 * A `Response`: sent to the browser as it is, a refusal in the shop's own words.
 */
export type Decision = boolean | Grant | Response;

/** Which object an operation is about. */
export interface Target {
  /** The id in the path (`pay_…`, `po_…`), or null for lists and creations. */
  readonly id: string | null;
}

/** Options of `createPayProxy`. */
export interface PayProxyOptions {
  /** Address of the payment service, for example `https://pay.example`. */
  readonly baseUrl: string;
  /** The shop's secret key (`sk_…`). It goes to `baseUrl` and nowhere else. */
  readonly secretKey: string;
  /**
   * Asked for every operation, with a copy of the browser's request (its cookies and body may be read). Throwing
   * answers 500 and tells the browser nothing.
   */
  readonly authorize: (request: Request, operation: Operation, target: Target) => Decision | Promise<Decision>;
  /**
   * What the visitor is to pay, from the shop's own prices: reads what the visitor wants to buy out of the request
   * and returns the payment. Asked when `authorize` said `true` to `payments.create`.
   */
  readonly price?: (request: Request) => CreatePayment | Response | Promise<CreatePayment | Response>;
  /** Path under which the proxy is mounted (`/api/pay`). Without it, whatever comes before `/v1/`. */
  readonly basePath?: string;
  /** Origins of shop pages that are not served from the proxy's own host. */
  readonly allowedOrigins?: readonly string[];
  /** Milliseconds until a call to the service is given up; 30,000 unless told. */
  readonly timeoutMs?: number;
  /** Largest request body in bytes; 65,536 unless told. */
  readonly maxBodyBytes?: number;
  /** Told of whatever went wrong on this side: a throwing `authorize`, a service that cannot be reached, a refused key. */
  readonly onError?: (error: unknown) => void;
  /** Another `fetch`, for tests or a tunnel. */
  readonly fetch?: Fetch;
}

/** The options with their defaults filled in. `basePath` is `/a/b` or empty, null when not given. */
export interface ProxySettings extends Required<Omit<PayProxyOptions, 'price' | 'basePath'>> {
  readonly price: PayProxyOptions['price'] | null;
  readonly basePath: string | null;
}

/** Throws TypeError at start for options that could not work or would not be safe. */
export function settingsOf(options: PayProxyOptions): ProxySettings {
  checkBaseUrl(options.baseUrl);
  if (!/^sk_\S{8,}$/.test(options.secretKey)) {
    throw new TypeError('secretKey must be a secret key (sk_…); a publishable key needs no proxy');
  }
  if ('window' in globalThis && 'document' in globalThis) {
    throw new TypeError("createPayProxy holds the shop's secret key and must never run in a browser");
  }
  checkOrigins(options.allowedOrigins ?? []);
  return {
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    secretKey: options.secretKey,
    authorize: options.authorize,
    price: options.price ?? null,
    basePath: options.basePath === undefined ? null : mountPoint(options.basePath),
    allowedOrigins: options.allowedOrigins ?? [],
    timeoutMs: options.timeoutMs ?? 30_000,
    maxBodyBytes: options.maxBodyBytes ?? 65_536,
    onError: options.onError ?? (() => undefined),
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
  };
}

function checkBaseUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new TypeError('baseUrl must be a plain http(s) address such as https://pay.example');
  }
}

function mountPoint(basePath: string): string {
  return `/${basePath}`.replace(/\/+/g, '/').replace(/\/$/, '');
}
