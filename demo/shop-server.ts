import type { Fetch } from '../src/api/client/transport.ts';
import { createPayClient, type PayClient } from '../src/api/client.ts';
import { type Clock, systemClock } from '../src/core/clock.ts';
import { recordingFetch } from './recording-fetch.ts';
import { checkedOrder, orderView } from './server/order-view.ts';
import { createShopStellar, nameAccount, type ShopStellar } from './server/shop-account.ts';
import { bodyText, customerOf, jsonBody, wayOf, wishesOf } from './server/shop-input.ts';
import { createShopNotifications, type ShopNotifications, shopWebhookUrl } from './server/shop-notifications.ts';
import { createOrderBook, type Order, type OrderBook, paymentFor } from './server/shop-orders.ts';
import { createShopProxy } from './server/shop-proxy.ts';
import { createVisitors, type Visitor, type Visitors } from './server/visitors.ts';

/** The shop's keys; null for a key that is unknown or no longer valid. */
export interface ShopKeys {
  readonly secretKey: string | null;
  readonly publishableKey: string | null;
}

/** Options of `createDemoShop`. */
export interface DemoShopOptions {
  /** Address under which browsers reach the shop and the payment service, without a slash at its end. */
  readonly baseUrl: () => string;
  /** Address at which the shop's server reaches the payment service; by default `baseUrl`. */
  readonly serviceUrl?: () => string;
  /** The shop's test keys. Called again until both are known. */
  readonly keys: () => Promise<ShopKeys>;
  /** The `fetch` for calls to the payment service, if not the global one. */
  readonly fetch?: Fetch;
  readonly clock?: Clock;
}

/** The shop's own back end: a web-standard handler for everything under `/demo/api/`. */
export interface DemoShop {
  handle(request: Request): Promise<Response>;
  /**
   * The cookie to set with a page, given the request's `Cookie` header; null when the visitor has one. Set with the
   * page, it identifies all parallel requests of the page as one visitor.
   */
  cookieFor(cookies: string | null): string | null;
  /** Ends the streams to visitors and from the service, which would keep the process alive. */
  close(): void;
}

/** The shop with its keys. */
interface OpenShop {
  readonly baseUrl: () => string;
  readonly serviceUrl: string;
  readonly secretKey: string;
  readonly publishableKey: string;
  readonly fetch: Fetch;
  readonly orders: OrderBook;
  readonly visitors: Visitors;
  readonly notifications: ShopNotifications;
  readonly stellar: ShopStellar;
  /** The shop's own client. Its calls do not appear in the panel. */
  readonly client: PayClient;
  /** A client whose calls appear in the visitor's panel. */
  readonly clientFor: (visitor: Visitor) => PayClient;
}

/**
 * The back end of the demo shop. It has its own prices and orders, and creates payments from them. It learns their
 * state by webhook and event stream, and does not trust the address to which a browser returns. It calls the payment
 * service only after the first visit.
 */
export function createDemoShop(options: DemoShopOptions): DemoShop {
  const clock = options.clock ?? systemClock;
  const visitors = createVisitors({ clock });
  const serviceUrl = options.serviceUrl ?? options.baseUrl;
  const stellar = createShopStellar({ serviceUrl, fetch: fetchOf(options), clock });
  let opening: Promise<OpenShop | null> | null = null;
  let isClosed = false;

  async function shop(): Promise<OpenShop | null> {
    opening ??= openShop(options, visitors, stellar);
    const open = await opening;
    if (open === null) opening = null;
    if (isClosed) close(open);
    return open;
  }

  function close(open: OpenShop | null): void {
    open?.notifications.close();
    for (const { log } of open?.visitors.all() ?? []) log.close();
  }

  return {
    cookieFor: cookies => visitors.of(cookies).cookie,
    async handle(request) {
      if (new URL(request.url).pathname.startsWith('/demo/api/wallet/')) return await stellar.handle(request);
      const open = await shop();
      return open === null
        ? problem(503, 'The demo shop has no keys: they were revoked, or were never its own.')
        : await serve(open, request);
    },
    close() {
      isClosed = true;
      void opening?.then(close);
    },
  };
}

function fetchOf({ fetch }: DemoShopOptions): Fetch {
  return fetch ?? ((url, init) => globalThis.fetch(url, init));
}

async function openShop(options: DemoShopOptions, visitors: Visitors, stellar: ShopStellar): Promise<OpenShop | null> {
  const { secretKey, publishableKey } = await options.keys();
  if (secretKey === null || publishableKey === null) return null;
  const fetch = fetchOf(options);
  const serviceUrl = options.serviceUrl?.() ?? options.baseUrl();
  const clientWith = (fetchOf: Fetch) => createPayClient({ baseUrl: serviceUrl, apiKey: secretKey, fetch: fetchOf });
  const orders = createOrderBook();
  const webhookUrl = shopWebhookUrl(options.baseUrl());
  const client = clientWith(fetch);
  const notifications = createShopNotifications({ client, orders, visitors, webhookUrl });
  notifications.open();
  // A shop without a name or a settlement account still sells.
  nameAccount(client).catch(() => undefined);
  stellar.openAccount(client, secretKey).catch(() => undefined);
  const clientFor = ({ log }: Visitor) => clientWith(recordingFetch({ fetch, add: log.add, from: 'shop' }));
  return {
    ...{ baseUrl: options.baseUrl, serviceUrl, secretKey, publishableKey },
    ...{ fetch, orders, visitors, notifications, stellar, client, clientFor },
  };
}

async function serve(shop: OpenShop, request: Request): Promise<Response> {
  const path = new URL(request.url).pathname;
  if (path === '/demo/api/webhooks') return await receiveWebhook(shop, request);
  const { visitor, cookie } = shop.visitors.of(request.headers.get('cookie'));
  const response = await answer(shop, visitor, request, path);
  if (cookie !== null) response.headers.append('Set-Cookie', cookie);
  return response;
}

type Route = (shop: OpenShop, visitor: Visitor, request: Request, order: Order | null) => Response | Promise<Response>;

/** The only group of a path is an order number. */
const routes: readonly (readonly [method: string, path: RegExp, route: Route])[] = [
  ['GET', /^\/demo\/api\/shop$/, describeShop],
  ['GET', /^\/demo\/api\/activity$/, streamActivity],
  ['GET', /^\/demo\/api\/takings$/, showTakings],
  ['POST', /^\/demo\/api\/orders$/, openOrder],
  ['GET', /^\/demo\/api\/orders\/(N-[0-9A-Z]{7})$/, readOrder],
  ['POST', /^\/demo\/api\/orders\/(N-[0-9A-Z]{7})\/checkout$/, startRedirect],
];

async function answer(shop: OpenShop, visitor: Visitor, request: Request, path: string): Promise<Response> {
  if (path.startsWith('/demo/api/pay/')) return await createShopProxy(shop, visitor)(request);
  for (const [method, pattern, route] of routes) {
    const match = pattern.exec(path);
    if (!match || method !== request.method) continue;
    const order = match[1] === undefined ? null : shop.orders.find(visitor.id, match[1]);
    if (match[1] !== undefined && order === null) return problem(404, unknownOrder);
    return await route(shop, visitor, request, order);
  }
  return problem(404, 'The shop has no such page.');
}

const unknownOrder = 'The shop does not know this order. A demo forgets its orders when it is restarted.';

function problem(status: number, error: string): Response {
  return Response.json({ error }, { status, headers: { 'Cache-Control': 'no-store' } });
}

function fresh(body: unknown, status = 200): Response {
  return Response.json(body, { status, headers: { 'Cache-Control': 'no-store' } });
}

async function receiveWebhook({ notifications }: OpenShop, request: Request): Promise<Response> {
  const body = request.method === 'POST' ? await bodyText(request) : null;
  return body === null ? problem(405, 'Webhooks are posted here.') : notifications.receive(request.headers, body);
}

function describeShop({ publishableKey, baseUrl }: OpenShop): Response {
  return fresh({ publishable_key: publishableKey, service_url: baseUrl() });
}

function streamActivity({ notifications }: OpenShop, { log }: Visitor, request: Request): Response {
  const notice = notifications.notice();
  if (notice !== null) log.notice(notice);
  const after = request.headers.get('last-event-id') ?? new URL(request.url).searchParams.get('after');
  return log.stream(Number(after) || 0, request.signal);
}

async function showTakings({ stellar, client }: OpenShop): Promise<Response> {
  try {
    return fresh(await stellar.takings(client));
  } catch (error) {
    return problem(503, error instanceof Error ? error.message : 'The test network does not answer.');
  }
}

async function openOrder({ orders }: OpenShop, visitor: Visitor, request: Request): Promise<Response> {
  const body = await jsonBody(request);
  const way = wayOf(body?.['way']);
  const order = way && orders.open(visitor.id, way, wishesOf(body?.['items']));
  return order ? fresh(orderView(order), 201) : problem(400, 'There is nothing in the basket.');
}

async function readOrder(shop: OpenShop, visitor: Visitor, request: Request, order: Order | null): Promise<Response> {
  const claimed = new URL(request.url).searchParams.get('payment_id');
  try {
    return fresh(order && (await checkedOrder(shop.clientFor(visitor), order, claimed)));
  } catch {
    return problem(503, 'The payment service does not answer. Your order is safe; look again in a moment.');
  }
}

async function startRedirect(
  shop: OpenShop,
  visitor: Visitor,
  request: Request,
  order: Order | null,
): Promise<Response> {
  const body = await jsonBody(request);
  if (!order || !body) return problem(400, 'Send e-mail and name as JSON.');
  try {
    const client = shop.clientFor(visitor);
    const before = order.paymentId === null ? null : await client.payments.retrieve(order.paymentId);
    if (before?.status === 'completed') return problem(409, 'This order is paid. There is nothing more to pay.');
    const wanted = paymentFor(order, customerOf(body), shop.baseUrl());
    // An order has one pending payment: a new one is created only after the former has ended.
    const payment = before?.status === 'pending' ? before : await client.payments.create(wanted);
    order.paymentId = payment.id;
    return fresh({ checkout_url: payment.checkout_url }, 201);
  } catch (error) {
    return problem(400, error instanceof Error ? error.message : 'The payment could not be made.');
  }
}
