import { largestQuantity, type PricedOrder, priceOf, productOf, type Wish } from '../catalogue.ts';
import type { OrderView } from '../server/order-view.ts';

const key = 'nordlys-basket';
const listeners = new Set<() => void>();
let wishes = load();

function load(): Wish[] {
  try {
    const saved: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    if (!Array.isArray(saved)) return [];
    return saved.filter(({ product, quantity }) => productOf(String(product)) && Number.isInteger(quantity));
  } catch {
    return [];
  }
}

function set(next: Wish[]): void {
  wishes = next;
  try {
    localStorage.setItem(key, JSON.stringify(next));
  } catch {
    // Without storage the basket lasts as long as the page.
  }
  for (const listener of [...listeners]) listener();
}

/** What the visitor wants to buy. It holds no price: the shop's server has its own. */
export const basket = {
  wishes: (): readonly Wish[] => wishes,
  /** What it will cost, to show; the order is priced by the server. */
  priced: (): PricedOrder => priceOf(wishes),
  count: (): number => wishes.reduce((sum, { quantity }) => sum + quantity, 0),
  add(product: string): void {
    const known = wishes.find(wish => wish.product === product)?.quantity ?? 0;
    basket.setQuantity(product, known + 1);
  },
  /** Zero takes it out. */
  setQuantity(product: string, quantity: number): void {
    const fitting = Math.min(Math.max(quantity, 0), largestQuantity);
    const isKnown = wishes.some(wish => wish.product === product);
    const next = isKnown
      ? wishes.map(wish => (wish.product === product ? { product, quantity: fitting } : wish))
      : [...wishes, { product, quantity: fitting }];
    set(next.filter(wish => wish.quantity > 0));
  },
  clear: (): void => set([]),
  onChange(listener: () => void): void {
    listeners.add(listener);
  },
};

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
