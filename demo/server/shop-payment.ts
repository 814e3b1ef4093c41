import type { CreatePayment } from '../../src/api/payment.ts';
import { shopCurrency } from '../catalogue.ts';
import type { Order } from './shop-orders.ts';

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
export function returnUrl(order: Order, shopUrl: string): string {
  return `${shopUrl}/demo/order?order=${order.number}`;
}
