import type { Fetch } from '../api/client/transport.ts';
import type { CreatePayment } from '../api/payment.ts';
import type { Operation } from './operation.ts';
import { checkOrigins } from './same-origin.ts';

/** Allows a closed operation, or defines the payment to create. */
export interface Grant {
  /** The body for the service. Without it, the browser's body is sent for payer operations only. */
  readonly body?: unknown;
  /** The query for the service, instead of the browser's: `{ customer: 'cus_…' }` filters a list. */
  readonly query?: Readonly<Record<string, string>>;
  /**
   * The `Idempotency-Key` for the service. With the shop's order number, two clicks create one payment. Default:
   * `browser:` and a SHA-256 of the visitor and the browser's key, which never equals a key of the shop's server.
   */
  readonly idempotencyKey?: string;
}

/**
 * The shop's decision. `false` refuses. `true` allows only orders and payer operations, so it never opens refunds or
 * payouts. A `Grant` allows the operation with the grant's body and query. A `Response` is sent to the browser
 * unchanged, for example the shop's own refusal.
 */
export type Decision = boolean | Grant | Response;

/** The payment, payout or other object of an operation. */
export interface Target {
  /**
   * The id in the path (`pay_…`, `po_…`). For `payments.open` and `payments.follow`, the id in the client secret. Null
   * for lists and creations.
   */
  readonly id: string | null;
}

export interface PayProxyOptions {
  /** Address of the payment service, for example `https://pay.example`. */
  readonly baseUrl: string;
  /** The shop's secret key (`sk_…`). The proxy sends it only to `baseUrl`. `undefined` throws a TypeError. */
  readonly secretKey: string | undefined;
  /**
   * Called for every operation with a copy of the browser's request; its cookies and body may be read. If it throws,
   * the browser gets status 500 without details.
   */
  readonly authorize: (request: Request, operation: Operation, target: Target) => Decision | Promise<Decision>;
  /**
   * Reads the visitor's order from the request, and returns the payment with the shop's own price. Called after
   * `authorize` returned `true` for `payments.create`.
   */
  readonly price?: (request: Request) => CreatePayment | Response | Promise<CreatePayment | Response>;
  /**
   * Names the visitor, for example by the id of the shop's session. Each visitor has separate idempotency keys, so a
   * guessed key never shows another visitor's payment. Default: the request's cookies, `Authorization` and browser.
   */
  readonly visitor?: (request: Request) => string | Promise<string>;
  /** Path under which the proxy is mounted (`/api/pay`). If absent, any path before `/v1/` is accepted. */
  readonly basePath?: string;
  /** Origins of the shop's pages that are not on the proxy's host. */
  readonly allowedOrigins?: readonly string[];
  /** Timeout of calls to the service in ms. Default: 30,000. */
  readonly timeoutMs?: number;
  /** Maximum size of a request body in bytes. Default: 65,536. */
  readonly maxBodyBytes?: number;
  /** Called with errors on the shop's side: a throwing `authorize`, an unreachable service, a refused key. */
  readonly onError?: (error: unknown) => void;
  /** A replacement for `fetch`, for tests or a tunnel. */
  readonly fetch?: Fetch;
}

/** The options with defaults. `basePath` is `/a/b` or empty. It is null if the shop did not set it. */
export interface ProxySettings extends Required<Omit<PayProxyOptions, 'price' | 'visitor' | 'basePath' | 'secretKey'>> {
  readonly secretKey: string;
  readonly price: PayProxyOptions['price'] | null;
  readonly visitor: PayProxyOptions['visitor'] | null;
  readonly basePath: string | null;
}

/** Fills in the defaults. Throws TypeError for invalid or unsafe options. */
export function settingsOf(options: PayProxyOptions): ProxySettings {
  checkBaseUrl(options.baseUrl);
  const { secretKey = '' } = options;
  if (!/^sk_\S{8,}$/.test(secretKey)) {
    throw new TypeError('secretKey must be a secret key (sk_…); a publishable key needs no proxy');
  }
  if ('window' in globalThis && 'document' in globalThis) {
    throw new TypeError("createPayProxy holds the shop's secret key and must never run in a browser");
  }
  checkOrigins(options.allowedOrigins ?? []);
  return {
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    secretKey,
    authorize: options.authorize,
    price: options.price ?? null,
    visitor: options.visitor ?? null,
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
