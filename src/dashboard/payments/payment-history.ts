import type { BalanceEntry } from '../../api/balance/balance.ts';
import type { Dispute, PayClient } from '../../api/client.ts';
import type { Delivery, Event, WebhookEndpoint } from '../../api/event.ts';
import type { Payment, PaymentAttempt } from '../../api/payment.ts';
import type { Refund } from '../../api/refund.ts';
import type { Transfer } from '../../api/transfer.ts';
import { allowed } from '../app/loaded.ts';

/** All data that the service has about a payment. */
export interface PaymentHistory {
  readonly payment: Payment;
  readonly events: readonly Event[];
  readonly attempts: readonly PaymentAttempt[];
  readonly refunds: readonly Refund[];
  readonly transfers: readonly Transfer[];
  readonly disputes: readonly Dispute[];
  readonly entries: readonly BalanceEntry[];
  readonly deliveries: readonly Delivery[];
  /** The URLs of webhook endpoints by id. */
  readonly endpoints: ReadonlyMap<string, string>;
}

const limit = 100;

/** Reads the history of a payment. Webhooks are for developers; other parts that the role may not read are empty. */
export async function readHistory(
  client: PayClient,
  id: string,
  mayDevelop: boolean,
  signal: AbortSignal,
): Promise<PaymentHistory> {
  const options = { signal };
  const [payment, events, attempts, refunds, transfers, entries, hooks] = await Promise.all([
    client.payments.retrieve(id, options),
    allowed(client.events.list({ resource: id, limit }, options)),
    allowed(client.payments.attempts(id, { limit }, options)),
    allowed(client.payments.refunds(id, { limit }, options)),
    allowed(client.transfers.list({ payment: id, limit }, options)),
    allowed(client.balance.entries({ payment: id, limit }, options)),
    mayDevelop ? allowed(client.webhookEndpoints.list({ limit }, options)) : [],
  ]);
  const isDisputed = events.some(({ type }) => type === 'payment.disputed');
  const [deliveries, disputes] = await Promise.all([
    hooks.length === 0 ? [] : readDeliveries(client, events, signal),
    isDisputed ? allowed(client.disputes.list({ payment: id, limit }, options)) : [],
  ]);
  const endpoints = new Map(hooks.map((hook: WebhookEndpoint) => [hook.id, hook.url]));
  return { payment, events, attempts, refunds, transfers, disputes, entries, deliveries, endpoints };
}

async function readDeliveries(client: PayClient, events: readonly Event[], signal: AbortSignal): Promise<Delivery[]> {
  const lists = await Promise.all(
    events.map(({ id }) => allowed<Delivery>(client.events.deliveries(id, { limit }, { signal }))),
  );
  return lists.flat();
}
