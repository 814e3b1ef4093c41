import type { CreatePayment, Payment } from '../../src/api/payment.ts';
import { type PricedOrder, priceOf, shopCurrency, type Wish } from '../catalogue.ts';

/** The ways in which the shop can take a payment. */
export const ways = ['script-tag', 'proxy', 'redirect'] as const;
export type Way = (typeof ways)[number];

/** An order of one visitor. */
export interface Order extends PricedOrder {
  readonly number: string;
  readonly visitor: string;
  readonly way: Way;
  /** The payment that was made for it, once there is one. */
  paymentId: string | null;
  /** Set when a payment for it was found completed, by whichever way the shop heard of it first. */
  paidBecause: 'webhook' | 'event' | 'read' | null;
}

/** The shop's order book, in memory: a demo forgets at restart. */
export interface OrderBook {
  /** Null when nothing of what is wished for is on the shelf. */
  open(visitor: string, way: Way, wishes: readonly Wish[]): Order | null;
  /** An order of that visitor; another visitor's is as unknown as one that never was. */
  find(visitor: string, number: string): Order | null;
  /** The order a payment says it is for. */
  ofPayment(payment: Pick<Payment, 'metadata'>): Order | null;
  /** The order for which that payment is known to have been made. */
  ofPaymentId(paymentId: string): Order | null;
}

const keptOrders = 2_000;
/** Crockford's base 32: no letters that are taken for digits on the phone. */
const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

function newNumber(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(7));
  return `N-${[...bytes].map(byte => letters[byte % 32]).join('')}`;
}

/** An empty order book. */
export function createOrderBook(): OrderBook {
  const orders = new Map<string, Order>();
  return {
    open(visitor, way, wishes) {
      const priced = priceOf(wishes);
      if (priced.lines.length === 0) return null;
      const order: Order = { ...priced, number: newNumber(), visitor, way, paymentId: null, paidBecause: null };
      orders.set(order.number, order);
      const [oldest] = orders.keys();
      if (orders.size > keptOrders && oldest !== undefined) orders.delete(oldest);
      return order;
    },
    find(visitor, number) {
      const order = orders.get(number);
      return order?.visitor === visitor ? order : null;
    },
    ofPaymentId: paymentId => [...orders.values()].find(order => order.paymentId === paymentId) ?? null,
    ofPayment: ({ metadata }) => orders.get(String(metadata?.['order'] ?? '')) ?? null,
  };
}

/**
 * Whether the payment pays for the order: it says it is for it, it is completed, and its amount and currency are the
 * order's. The last is not idle: with a publishable key the amount was the browser's to choose.
 */
export function paysFor(payment: Payment, order: Order): boolean {
  return (
    payment.metadata?.['order'] === order.number &&
    payment.status === 'completed' &&
    payment.currency === shopCurrency &&
    BigInt(payment.amount) === order.total
  );
}

/** The payment for an order. Everything but the customer comes out of the shop's own order book. `shopUrl` has no slash at its end. */
export function paymentFor(order: Order, customer: CreatePayment['customer'], shopUrl: string): CreatePayment {
  const items = order.lines.map(({ product, quantity, amount }) => ({
    name: `${product.name}, ${product.variant}`,
    quantity,
    amount: Number(amount),
  }));
  return {
    amount: Number(order.total),
    currency: shopCurrency,
    settlement_asset: 'USDC',
    settlement_network: 'stellar',
    payment_methods: ['card', 'bank_transfer', 'crypto'],
    customer,
    reference: order.number,
    line_items: [...items, { name: 'Shipping', quantity: 1, amount: Number(order.shipping) }],
    metadata: { order: order.number },
    redirect_url: returnUrl(order, shopUrl),
  };
}

/** Where a payer comes back to: the page of the order, which asks the shop's server how things stand. */
function returnUrl(order: Order, shopUrl: string): string {
  return `${shopUrl}/demo/order?order=${order.number}`;
}
