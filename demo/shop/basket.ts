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
    // Without storage the basket is lost with the page.
  }
  for (const listener of [...listeners]) listener();
}

/** The visitor's basket. The shop's server sets the prices. */
export const basket = {
  wishes: (): readonly Wish[] => wishes,
  /** Prices to display. */
  priced: (): PricedOrder => priceOf(wishes),
  count: (): number => wishes.reduce((sum, { quantity }) => sum + quantity, 0),
  add(product: string): void {
    const known = wishes.find(wish => wish.product === product)?.quantity ?? 0;
    basket.setQuantity(product, known + 1);
  },
  /** Zero removes the product. */
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

/** Stores the order that this tab created from the basket. */
export function rememberOrder({ way, number }: OrderView): void {
  sessionStorage.setItem(keyOf(way), `${number} ${JSON.stringify(basket.wishes())}`);
}

/** The order that this tab created last, and its basket as text. The text is empty once the order is settled. */
function rememberedOrder(way: string): { readonly number: string; readonly ordered: string } {
  const [number = '', ordered = ''] = (sessionStorage.getItem(keyOf(way)) ?? '').split(' ');
  return { number, ordered };
}

/**
 * Empties the basket of a paid order. Does nothing when called again, because later products belong to the next order.
 * The checkout shows the paid order until a product is in the basket.
 */
export function settleOrder({ way, number }: OrderView): void {
  const known = rememberedOrder(way);
  if (known.number !== number || known.ordered === '') return;
  basket.clear();
  sessionStorage.setItem(keyOf(way), `${number} `);
}

/**
 * The number of the order to continue: the order of the same basket, or the last order while the basket is empty. Null
 * when a new order is needed.
 */
export function meantOrder(way: string): string | null {
  const { number, ordered } = rememberedOrder(way);
  const isMeant = basket.count() === 0 || ordered === JSON.stringify(basket.wishes());
  return number !== '' && isMeant ? number : null;
}
