import { currencyDecimals } from '../../src/core/currency.ts';
import { formatUnits } from '../../src/core/money.ts';
import { shopCurrency } from '../catalogue.ts';
import { type Child, h } from './dom.ts';
import { picture } from './pictures.ts';

/** A line to display. Amounts are cents. */
export interface ShownLine {
  readonly product: string;
  readonly name: string;
  readonly variant: string;
  readonly quantity: number;
  readonly amount: bigint | number;
}

/** The lines of a basket or an order. `below` adds a child under a line's name. */
export function lineList(lines: readonly ShownLine[], below?: (line: ShownLine) => Child): HTMLElement {
  return h(
    'ul.lines',
    ...lines.map(line =>
      h(
        'li.line',
        picture(line.product),
        h(
          'div.line-text',
          h('strong', line.quantity > 1 && !below ? `${line.name} × ${line.quantity}` : line.name),
          h('span.second', line.variant),
          below?.(line) ?? null,
        ),
        h('span.figure', priceText(line.amount)),
      ),
    ),
  );
}

/** Subtotal, shipping and total. */
export function totals(order: {
  subtotal: bigint | number;
  shipping: bigint | number;
  total: bigint | number;
}): HTMLElement {
  const row = (name: string, amount: bigint | number, kind = '') =>
    h('div', { class: `total-row ${kind}` }, h('dt', name), h('dd.figure', priceText(amount)));
  return h(
    'dl.totals',
    row('Subtotal', order.subtotal),
    row('Shipping', order.shipping),
    row('Total', order.total, 'grand'),
  );
}

/** Formats minor units: `priceText(12840n)` is "€128.40". */
export function priceText(amount: bigint | number, currency = shopCurrency): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return format.format(formatUnits(BigInt(amount), currencyDecimals(currency)) as Intl.StringNumericLiteral);
}
