import type { Fetch } from '../../src/api/client/transport.ts';
import { createPayProxy } from '../../src/proxy/index.ts';
import { recordingFetch } from '../recording-fetch.ts';
import { customerOf, objectOf } from './shop-input.ts';
import { type OrderBook, paymentFor } from './shop-orders.ts';
import type { Visitor } from './visitors.ts';

export interface ShopProxyDeps {
  /** URL of the shop. `serviceUrl` is the URL of the payment service. */
  readonly baseUrl: () => string;
  readonly serviceUrl: string;
  readonly secretKey: string;
  readonly fetch: Fetch;
  readonly orders: OrderBook;
}

/** The shop's proxy for one request. Its calls appear in the visitor's panel. */
export function createShopProxy(deps: ShopProxyDeps, { id, log }: Visitor): (request: Request) => Promise<Response> {
  const { baseUrl, serviceUrl, secretKey, fetch, orders } = deps;
  let wanted: unknown;
  const proxy = createPayProxy({
    baseUrl: serviceUrl,
    secretKey,
    basePath: '/demo/api/pay',
    allowedOrigins: [new URL(baseUrl()).origin],
    fetch: recordingFetch({ fetch, add: log.add, from: 'proxy', received: () => wanted }),
    authorize: () => true,
    price: async request => {
      wanted = await request.json();
      const { metadata, customer } = objectOf(wanted) ?? {};
      const order = orders.find(id, String(objectOf(metadata)?.['order']));
      return order ? paymentFor(order, customerOf(customer), baseUrl()) : noSuchOrder();
    },
  });
  return async request => {
    const answer = await proxy(request);
    if (wanted !== undefined && answer.status === 201) await remember(orders, wanted, answer.clone());
    return answer;
  };
}

function noSuchOrder(): Response {
  const error = { type: 'not_found_error', code: 'resource_missing', message: 'The shop does not know this order.' };
  return Response.json({ error }, { status: 404 });
}

/** Stores the id of the order's payment. */
async function remember(orders: OrderBook, wanted: unknown, answer: Response): Promise<void> {
  const payment = objectOf(await answer.json());
  const metadata = objectOf(objectOf(wanted)?.['metadata']);
  const order = orders.ofPayment({ metadata: { order: String(metadata?.['order']) } });
  if (order && typeof payment?.['id'] === 'string') order.paymentId = payment['id'];
}
