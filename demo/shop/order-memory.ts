import type { OrderView } from '../server/order-view.ts';
import { basket } from './basket.ts';

const keyOf = (way: string) => `nordlys-order-${way}`;

/** Keeps the order that this tab has made of the basket as it is. */
export function rememberOrder({ way, number }: OrderView): void {
  sessionStorage.setItem(keyOf(way), `${number} ${JSON.stringify(basket.wishes())}`);
}

/**
 * Empties the basket of an order that is paid. The order is remembered as long as nothing new is in there: who goes back
 * to the checkout meets it again.
 */
export function settleOrder({ way, number }: OrderView): void {
  basket.clear();
  sessionStorage.setItem(keyOf(way), `${number} `);
}

/**
 * The number of the order that a visit to the checkout means: the one made of the same basket, so that a reload goes on
 * with the same payment, or the last one, when nothing has been put into the basket since. Null: a new order.
 */
export function meantOrder(way: string): string | null {
  const [number = '', ordered = ''] = (sessionStorage.getItem(keyOf(way)) ?? '').split(' ');
  const isMeant = basket.count() === 0 || ordered === JSON.stringify(basket.wishes());
  return number !== '' && isMeant ? number : null;
}
