/** A product. The shop's page and its server use the same prices. */
export interface Product {
  readonly id: string;
  readonly name: string;
  readonly variant: string;
  readonly about: string;
  /** Cents. */
  readonly price: bigint;
}

export const shopCurrency = 'EUR';

export const products: readonly Product[] = [
  {
    id: 'merino',
    name: 'Merino base layer',
    variant: 'Moss, M',
    about: 'Seventeen microns, knitted in one piece. Warm when wet, and it dries on you.',
    price: 8900n,
  },
  {
    id: 'mug',
    name: 'Enamel mug',
    variant: 'Cream',
    about: 'Two coats on steel. Goes from the fire to the desk, and chips with grace.',
    price: 1720n,
  },
  {
    id: 'blanket',
    name: 'Wool blanket',
    variant: 'Fjord stripe',
    about: 'Woven from the wool of eleven farms. Heavy enough to stay where you put it.',
    price: 14900n,
  },
  {
    id: 'beanie',
    name: 'Rib-knit beanie',
    variant: 'Rust',
    about: 'Double layer over the ears, and no label that scratches.',
    price: 3400n,
  },
  {
    id: 'lantern',
    name: 'Storm lantern',
    variant: 'Brass',
    about: 'Twenty hours on one filling. The glass lifts out to be cleaned.',
    price: 6200n,
  },
  {
    id: 'rucksack',
    name: 'Canvas rucksack',
    variant: 'Night, 22 l',
    about: 'Waxed cotton and one buckle. Mended here for as long as you own it.',
    price: 11800n,
  },
];

/** Cents per order. */
export const shippingPrice = 500n;

/** Largest quantity of one product in an order. */
export const largestQuantity = 20;

/** A line of the basket. It holds no price, because the browser may not set prices. */
export interface Wish {
  readonly product: string;
  readonly quantity: number;
}

export interface OrderLine {
  readonly product: Product;
  readonly quantity: number;
  /** Cents for the whole quantity. */
  readonly amount: bigint;
}

/** An order priced by the shop. Amounts are cents. */
export interface PricedOrder {
  readonly lines: readonly OrderLine[];
  readonly subtotal: bigint;
  readonly shipping: bigint;
  readonly total: bigint;
}

export function productOf(id: string): Product | null {
  return products.find(product => product.id === id) ?? null;
}

/** Prices a basket. Leaves out unknown products and quantities that are not whole numbers from 1 to 20. */
export function priceOf(wishes: readonly Wish[]): PricedOrder {
  const lines = wishes.flatMap(({ product: id, quantity }) => {
    const product = productOf(id);
    const isFine = Number.isInteger(quantity) && quantity >= 1 && quantity <= largestQuantity;
    return product && isFine ? [{ product, quantity, amount: product.price * BigInt(quantity) }] : [];
  });
  const subtotal = lines.reduce((sum, line) => sum + line.amount, 0n);
  const shipping = lines.length === 0 ? 0n : shippingPrice;
  return { lines, subtotal, shipping, total: subtotal + shipping };
}
