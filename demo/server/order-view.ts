import { PayApiError, type PayClient } from '../../src/api/client.ts';
import type { Payment } from '../../src/api/payment.ts';
import { shopCurrency } from '../catalogue.ts';
import { type Order, paysFor } from './shop-orders.ts';

/** An order as the shop's pages show it. Amounts are cents. */
export interface OrderView {
  readonly number: string;
  readonly way: string;
  readonly currency: string;
  readonly lines: readonly { product: string; name: string; variant: string; quantity: number; amount: number }[];
  readonly subtotal: number;
  readonly shipping: number;
  readonly total: number;
  readonly paid: boolean;
  /** How the shop first learned that the order is paid. */
  readonly paidBecause: Order['paidBecause'];
  readonly payment: Pick<
    Payment,
    'id' | 'status' | 'phase' | 'amount' | 'amount_received' | 'currency' | 'method'
  > | null;
  /** True when the payment in the visitor's address is unknown or is for another order. */
  readonly stranger: boolean;
}

/** The order as the shop's pages show it. Without `payment`, the state of its payment is missing. */
export function orderView(order: Order, payment: Payment | null = null, stranger = false): OrderView {
  return {
    number: order.number,
    way: order.way,
    currency: shopCurrency,
    lines: order.lines.map(({ product, quantity, amount }) => ({
      product: product.id,
      name: product.name,
      variant: product.variant,
      quantity,
      amount: Number(amount),
    })),
    subtotal: Number(order.subtotal),
    shipping: Number(order.shipping),
    total: Number(order.total),
    paid: order.paidBecause !== null,
    paidBecause: order.paidBecause,
    payment: payment && {
      id: payment.id,
      status: payment.status,
      phase: payment.phase,
      amount: payment.amount,
      amount_received: payment.amount_received,
      currency: payment.currency,
      method: payment.method,
    },
    stranger,
  };
}

/**
 * The order with the state of its payment, as the service reports it. `claimedId` is the `payment_id` in the visitor's
 * address. It counts only if the service confirms that the payment is for this order. Anyone can edit an address.
 */
export async function checkedOrder(client: PayClient, order: Order, claimedId: string | null): Promise<OrderView> {
  const id = claimedId ?? order.paymentId;
  const payment = id === null ? null : await find(client, id);
  const isOurs = payment?.metadata?.['order'] === order.number;
  if (!payment || !isOurs) return orderView(order, null, claimedId !== null);
  order.paymentId = payment.id;
  if (paysFor(payment, order)) order.paidBecause ??= 'read';
  return orderView(order, payment);
}

async function find(client: PayClient, id: string): Promise<Payment | null> {
  if (!/^pay_[0-9A-Za-z]{1,64}$/.test(id)) return null;
  try {
    return await client.payments.retrieve(id);
  } catch (error) {
    if (error instanceof PayApiError && error.status === 404) return null;
    throw error;
  }
}
