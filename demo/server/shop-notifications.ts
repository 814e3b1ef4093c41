import { PayApiError, type PayClient } from '../../src/api/client.ts';
import type { Event } from '../../src/api/event.ts';
import type { Payment } from '../../src/api/payment.ts';
import type { Refund } from '../../src/api/refund.ts';
import { verifyWebhook, type WebhookEvent } from '../../src/webhooks/index.ts';
import type { Activity } from '../activity.ts';
import { masked } from '../recording-fetch.ts';
import { type Order, type OrderBook, paysFor } from './shop-orders.ts';
import type { Visitors } from './visitors.ts';

/** Notifications of the shop's payments, by webhook and by event stream. */
export interface ShopNotifications {
  /** Registers the shop's webhook endpoint, and follows the event stream in the background. Never rejects. */
  open(): Promise<void>;
  /** Handles a webhook. */
  receive(headers: Headers, body: string): Response;
  /** The reason why the shop receives no webhooks, as a text for each visitor's panel. Null without a problem. */
  notice(): string | null;
  close(): void;
}

interface ShopNotificationsDeps {
  readonly client: PayClient;
  readonly orders: OrderBook;
  readonly visitors: Visitors;
  /** Called with each event of the stream. */
  readonly receive: (event: Event) => void;
  /** Address at which the service reaches the shop's webhook receiver. */
  readonly webhookUrl: string;
}

const refusedText =
  'The service sends no webhooks to the address of this shop, since it leads into a private network. ' +
  'The shop follows the event stream instead.';

/** Address of the shop's webhook receiver. `baseUrl` has no slash at its end. */
export function shopWebhookUrl(baseUrl: string): string {
  return `${baseUrl}/demo/api/webhooks`;
}

/** Follows the shop's payments by webhook and event stream. */
export function createShopNotifications(deps: ShopNotificationsDeps): ShopNotifications {
  const stop = new AbortController();
  let secret: string | null = null;
  let notice: string | null = null;

  function tell(order: Order, activity: Activity): void {
    deps.visitors.find(order.visitor)?.log.add(activity);
  }

  async function register(): Promise<void> {
    try {
      secret = await endpointSecret(deps.client, deps.webhookUrl);
    } catch (error) {
      const isRefused = error instanceof PayApiError && error.code === 'forbidden_url';
      notice = isRefused ? refusedText : 'The shop could not register for webhooks; it follows the event stream.';
      for (const { log } of deps.visitors.all()) log.notice(notice);
    }
  }

  async function follow(): Promise<void> {
    for await (const event of deps.client.events.stream({ signal: stop.signal })) {
      deps.receive(event);
      const order = orderOfEvent(deps.orders, event, 'event');
      if (order) tell(order, { kind: 'event', type: event.type, body: masked(event) });
    }
  }

  return {
    open() {
      follow().catch(() => undefined);
      return register();
    },
    receive(headers, body) {
      if (secret === null) return new Response(null, { status: 503 });
      const event = verified(headers, body, secret);
      if (event === null) return Response.json({ error: 'The signature is not ours.' }, { status: 400 });
      const order = orderOfEvent(deps.orders, event, 'webhook');
      if (order) tell(order, { kind: 'webhook', type: event.type, verified: true, status: 204, body: masked(event) });
      return new Response(null, { status: 204 });
    },
    notice: () => notice,
    close: () => stop.abort(),
  };
}

/** The signing secret of the shop's endpoint. Reuses an endpoint of an earlier start and rotates its secret. */
async function endpointSecret(client: PayClient, url: string): Promise<string> {
  for await (const endpoint of client.webhookEndpoints.list({ limit: 100 })) {
    if (endpoint.url !== url) continue;
    if (endpoint.status === 'disabled') await client.webhookEndpoints.update(endpoint.id, { status: 'enabled' });
    return (await client.webhookEndpoints.rotateSecret(endpoint.id)).secret ?? '';
  }
  const events = ['payment.*', 'refund.*'];
  return (await client.webhookEndpoints.create({ url, events, description: 'Nordlys Supply, demo shop' })).secret ?? '';
}

function verified(headers: Headers, payload: string, secret: string): WebhookEvent | null {
  try {
    return verifyWebhook({ payload, headers, secret });
  } catch {
    return null;
  }
}

/**
 * The order of an event. Marks the order as paid if the completed payment has the order's amount. Events may arrive
 * late and more than once.
 */
function orderOfEvent(orders: OrderBook, event: Pick<Event, 'type' | 'data'>, by: 'webhook' | 'event'): Order | null {
  if (event.type.startsWith('refund.')) return orders.ofPaymentId((event.data.object as Refund).payment);
  if (!event.type.startsWith('payment.')) return null;
  const payment = event.data.object as Payment;
  const order = orders.ofPayment(payment);
  if (!order) return null;
  order.paymentId ??= payment.id;
  if (paysFor(payment, order)) order.paidBecause ??= by;
  return order;
}
