import type { Fetch } from '../src/api/client/transport.ts';
import { createPayClient, type PayClient } from '../src/api/client.ts';
import { type Clock, systemClock } from '../src/core/clock.ts';
import { type Payee, payees } from './payroll.ts';
import { recordingFetch } from './recording-fetch.ts';
import { checkedOrder, orderView } from './server/order-view.ts';
import { createPayoutRuns, type PayoutRuns } from './server/payout-runs.ts';
import { servePicture } from './server/product-pictures.ts';
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

export interface DemoShopOptions {
  /** Address under which browsers reach the shop and the payment service, without a slash at its end. */
  readonly baseUrl: () => string;
  /** Address at which the shop's server reaches the payment service; by default `baseUrl`. */
  readonly serviceUrl?: () => string;
  /** The shop's test keys. Called again until both keys are known. */
  readonly keys: () => Promise<ShopKeys>;
  /** The `fetch` for calls to the payment service, if not the global `fetch`. */
  readonly fetch?: Fetch;
  readonly clock?: Clock;
  /** The people whom the page of payouts pays, if not the whole payroll. */
  readonly payees?: readonly Payee[];
}

/** The shop's own back end: a web-standard handler for everything under `/demo/api/`. */
export interface DemoShop {
  handle(request: Request): Promise<Response>;
  /**
   * The cookie to send with a page; null if the `Cookie` header already names a visitor. All parallel requests of the
   * page then belong to one visitor.
   */
  cookieFor(cookies: string | null): string | null;
  /** Ends the streams to visitors and from the service, which would keep the process alive. */
  close(): void;
}

interface OpenShop {
  readonly baseUrl: () => string;
  readonly serviceUrl: string;
  readonly secretKey: string;
  readonly publishableKey: string;
  readonly fetch: Fetch;
  readonly orders: OrderBook;
  readonly visitors: Visitors;
  readonly notifications: ShopNotifications;
  readonly payoutRuns: PayoutRuns;
  readonly stellar: ShopStellar;
  /** The shop's own client. Its calls do not appear in the panel. */
  readonly client: PayClient;
  /** A client whose calls appear in the visitor's panel. */
  readonly clientFor: (visitor: Visitor) => PayClient;
  /** Names the account and registers for webhooks, once, before the first act of a visitor. */
  readonly setUp: () => Promise<unknown>;
}

/**
 * The back end of the demo shop. It has its own prices and orders, and creates payments from its orders. It learns the
 * state of payments by webhook and event stream, and does not trust the address to which a browser returns. It calls
 * the payment service only after the first visit, and changes the merchant's account only when a visitor
 * first acts.
 */
export function createDemoShop(options: DemoShopOptions): DemoShop {
  const clock = options.clock ?? systemClock;
  const visitors = createVisitors({ clock });
  const serviceUrl = options.serviceUrl ?? options.baseUrl;
  const stellar = createShopStellar({ serviceUrl, fetch: fetchOf(options), clock });
  let opening: Promise<OpenShop | null> | null = null;
  let isClosed = false;

  async function shop(): Promise<OpenShop | null> {
    opening ??= openShop({ ...options, clock }, visitors, stellar);
    const open = await opening;
    if (open === null) opening = null;
    if (isClosed) close(open);
    return open;
  }

  function close(open: OpenShop | null): void {
    open?.notifications.close();
    open?.payoutRuns.close();
    for (const { log } of open?.visitors.all() ?? []) log.close();
  }

  return {
    cookieFor: cookies => visitors.of(cookies).cookie,
    async handle(request) {
      const path = new URL(request.url).pathname;
      if (path.startsWith('/demo/api/wallet/')) return await stellar.handle(request);
      const picture = await servePicture(path);
      if (picture !== null) return picture;
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

async function openShop(
  options: DemoShopOptions & { readonly clock: Clock },
  visitors: Visitors,
  stellar: ShopStellar,
): Promise<OpenShop | null> {
  const { clock } = options;
  const { secretKey, publishableKey } = await options.keys();
  if (secretKey === null || publishableKey === null) return null;
  const fetch = fetchOf(options);
  const serviceUrl = options.serviceUrl?.() ?? options.baseUrl();
  const clientWith = (fetchOf: Fetch) => createPayClient({ baseUrl: serviceUrl, apiKey: secretKey, fetch: fetchOf });
  const orders = createOrderBook();
  const webhookUrl = shopWebhookUrl(options.baseUrl());
  const client = clientWith(fetch);
  const clientFor = ({ log }: Visitor) => clientWith(recordingFetch({ fetch, add: log.add, from: 'shop' }));
  const payoutRuns = createPayoutRuns({
    client,
    clientFor,
    clock,
    payees: options.payees ?? payees,
    openWallets: count => stellar.openPayees(secretKey, count),
    fetchResults: id =>
      fetch(`${serviceUrl}/v1/payout-batches/${id}/results.csv`, { headers: { Authorization: `Bearer ${secretKey}` } }),
  });
  const notifications = createShopNotifications({ client, orders, visitors, webhookUrl, receive: payoutRuns.receive });
  let settingUp: Promise<unknown> | null = null;
  return {
    baseUrl: options.baseUrl,
    serviceUrl,
    secretKey,
    publishableKey,
    fetch,
    orders,
    visitors,
    notifications,
    payoutRuns,
    stellar,
    client,
    clientFor,
    // The shop also works without a name.
    setUp: () => (settingUp ??= Promise.all([notifications.open(), nameAccount(client).catch(() => undefined)])),
  };
}

async function serve(shop: OpenShop, request: Request): Promise<Response> {
  const path = new URL(request.url).pathname;
  if (path === '/demo/api/webhooks') return await receiveWebhook(shop, request);
  if (request.method !== 'GET') await shop.setUp();
  const { visitor, cookie } = shop.visitors.of(request.headers.get('cookie'));
  const response = await answer(shop, visitor, request, path);
  if (cookie !== null) response.headers.append('Set-Cookie', cookie);
  return response;
}

type Route = (shop: OpenShop, visitor: Visitor, request: Request, order: Order | null) => Response | Promise<Response>;

/** The group in a path's pattern is an order number. */
const routes: readonly (readonly [method: string, path: RegExp, route: Route])[] = [
  ['GET', /^\/demo\/api\/shop$/, describeShop],
  ['GET', /^\/demo\/api\/activity$/, streamActivity],
  ['GET', /^\/demo\/api\/takings$/, showTakings],
  ['POST', /^\/demo\/api\/orders$/, openOrder],
  ['GET', /^\/demo\/api\/orders\/(N-[0-9A-Z]{7})$/, readOrder],
  ['POST', /^\/demo\/api\/orders\/(N-[0-9A-Z]{7})\/checkout$/, startRedirect],
];

async function answer(shop: OpenShop, visitor: Visitor, request: Request, path: string): Promise<Response> {
  if (path.startsWith('/demo/api/payouts')) return await shop.payoutRuns.answer(visitor, request);
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
    // An order has at most one pending payment.
    const payment = before?.status === 'pending' ? before : await client.payments.create(wanted);
    order.paymentId = payment.id;
    return fresh({ checkout_url: payment.checkout_url }, 201);
  } catch (error) {
    return problem(400, error instanceof Error ? error.message : 'The payment could not be made.');
  }
}
