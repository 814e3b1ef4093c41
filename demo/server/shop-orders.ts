import type { CreatePayment, Payment } from '../../src/api/payment.ts';
import { type PricedOrder, priceOf, shopCurrency, type Wish } from '../catalogue.ts';
import { pictureUrl } from './product-pictures.ts';

/** The integrations that the shop demonstrates. */
export const ways = ['script-tag', 'proxy', 'redirect'] as const;
export type Way = (typeof ways)[number];

export interface Order extends PricedOrder {
  readonly number: string;
  readonly visitor: string;
  readonly way: Way;
  /** The order's payment, once it exists. */
  paymentId: string | null;
  /** How the shop first learned that the payment is completed. */
  paidBecause: 'webhook' | 'event' | 'read' | null;
}

/** Orders in memory. A restart forgets them. */
export interface OrderBook {
  /** Null when no line of the basket is valid. */
  open(visitor: string, way: Way, wishes: readonly Wish[]): Order | null;
  /** The visitor's order. Null for an unknown order and for an order of another visitor. */
  find(visitor: string, number: string): Order | null;
  /** The order that a payment's metadata names. */
  ofPayment(payment: Pick<Payment, 'metadata'>): Order | null;
  /** The order that this payment was created for. */
  ofPaymentId(paymentId: string): Order | null;
}

const keptOrders = 2_000;
/** Crockford's base 32, without I, L, O and U, which look like digits or form words. */
const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

function newNumber(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(7));
  return `N-${[...bytes].map(byte => letters[byte % 32]).join('')}`;
}

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
 * Whether the payment is completed, names this order and matches its amount and currency. The amount must be checked,
 * because with a publishable key the browser chooses the amount.
 */
export function paysFor(payment: Payment, order: Order): boolean {
  return (
    payment.metadata?.['order'] === order.number &&
    payment.status === 'completed' &&
    payment.currency === shopCurrency &&
    BigInt(payment.amount) === order.total
  );
}

/** The payment to create for an order. Only the customer comes from the browser. `shopUrl` has no slash at its end. */
export function paymentFor(order: Order, customer: CreatePayment['customer'], shopUrl: string): CreatePayment {
  const items = order.lines.map(({ product, quantity, amount }) => {
    const image = pictureUrl(product.id, shopUrl);
    const text = { name: product.name, description: product.variant };
    return { ...text, quantity, amount: Number(amount), ...(image !== null && { image }) };
  });
  const shipping = { name: 'Shipping', quantity: 1, amount: Number(order.shipping), type: 'shipping' } as const;
  return {
    amount: Number(order.total),
    currency: shopCurrency,
    settlement_asset: 'USDC',
    settlement_network: 'stellar',
    payment_methods: ['card', 'bank_transfer', 'crypto', 'mobile_money'],
    customer,
    reference: order.number,
    line_items: [...items, shipping],
    metadata: { order: order.number },
    receipts: true,
    redirect_url: returnUrl(order, shopUrl),
  };
}

/** The page that the payer returns to. */
function returnUrl(order: Order, shopUrl: string): string {
  return `${shopUrl}/demo/order?order=${order.number}`;
}
