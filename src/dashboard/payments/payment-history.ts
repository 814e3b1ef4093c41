import type { BalanceEntry } from '../../api/balance/balance.ts';
import type { Dispute, PayClient } from '../../api/client.ts';
import type { Delivery, Event, WebhookEndpoint } from '../../api/event.ts';
import type { Payment, PaymentAttempt } from '../../api/payment.ts';
import type { Refund } from '../../api/refund.ts';
import type { Transfer } from '../../api/transfer.ts';
import { allowed } from '../app/loaded.ts';

/** A payment and the service's records about it, at most 100 in each list that the service returns. */
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

/**
 * Reads the history of a payment. Without `mayDevelop`, it has no deliveries and endpoints. Lists that the role may not
 * read are empty. Throws PayApiError if the payment itself cannot be read.
 */
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
