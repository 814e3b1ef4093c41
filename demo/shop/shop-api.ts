import type { OrderView } from '../server/order-view.ts';
import type { RunView } from '../server/payout-view.ts';
import { basket } from './basket.ts';

/** Data of the payment service for the shop's pages. */
export interface ShopFacts {
  readonly publishable_key: string;
  readonly service_url: string;
}

/** A refusal by the shop's server. */
export class ShopError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'ShopError';
    this.status = status;
  }
}

async function ask<T>(path: string, body?: object): Promise<T> {
  const init: RequestInit =
    body === undefined
      ? {}
      : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`/demo/api${path}`, init);
  const answer = await response.json();
  if (response.ok) return answer as T;
  throw new ShopError(
    response.status,
    typeof answer.error === 'string' ? answer.error : 'The shop did not understand.',
  );
}

/** The shop's back end. A refused call throws ShopError, whose message is for the visitor. */
export const shopApi = {
  facts: () => ask<ShopFacts>('/shop'),
  /** Orders the basket. The request holds products and quantities; the answer adds the shop's prices. */
  order: (way: string) => ask<OrderView>('/orders', { way, items: basket.wishes() }),
  read: (number: string, paymentId: string | null) =>
    ask<OrderView>(
      `/orders/${encodeURIComponent(number)}${paymentId === null ? '' : `?${new URLSearchParams({ payment_id: paymentId })}`}`,
    ),
  /** Creates the payment on the shop's server. The answer has the address of the hosted checkout. */
  checkout: (number: string, customer: { email: string; name: string }) =>
    ask<{ checkout_url: string }>(`/orders/${encodeURIComponent(number)}/checkout`, customer),
  /** Pays all people on the list, or returns the visitor's active run. */
  payAll: (wrongNumbers: boolean) => ask<RunView>('/payouts', { wrong_numbers: wrongNumbers }),
  run: (id: string) => ask<RunView>(`/payouts/${encodeURIComponent(id)}`),
};
