import type { LineItem } from '../../../api/line-item.ts';
import type { CreatePayment } from '../../../api/payment.ts';
import { type ErrorCode, PayError } from '../../../core/error.ts';
import { sumOf } from '../../../core/money.ts';
import { parseWebAddress } from '../../../core/web-address.ts';
import { isLoopbackOrigin } from '../../platform/http/access/cors.ts';

/**
 * Checks the order of a payment. Discounts are at most zero, and other lines at least zero. The lines sum to the
 * amount. Pictures are https addresses; in test mode, they may also come from this machine. Throws a PayError that
 * names the wrong field.
 */
export function assertLineItems(
  { line_items: items, amount }: Pick<CreatePayment, 'line_items' | 'amount'>,
  livemode: boolean,
): void {
  if (items === undefined) return;
  for (const [index, item] of items.entries()) assertLineItem(item, `line_items[${index}]`, livemode);
  const sum = sumOf(items.map(item => BigInt(item.amount)));
  if (sum === BigInt(amount)) return;
  const message = `The line items sum to ${sum}, the amount is ${amount}. They must be equal.`;
  throw wrong('line_items_mismatch', 'line_items', message);
}

function assertLineItem({ type, amount, image }: LineItem, path: string, livemode: boolean): void {
  const isDiscount = type === 'discount';
  if (isDiscount ? amount > 0 : amount < 0) {
    const message = isDiscount ? 'The amount of a discount must not be above 0.' : 'Only a discount may be below 0.';
    throw wrong('invalid_amount', `${path}.amount`, `${path}.amount: ${message}`);
  }
  if (image === undefined || isPicture(image, livemode)) return;
  throw wrong('parameter_invalid', `${path}.image`, `${path}.image must be a plain https address.`);
}

function isPicture(image: string, livemode: boolean): boolean {
  const url = parseWebAddress(image);
  return url !== null && (url.protocol === 'https:' || (!livemode && isLoopbackOrigin(url.origin)));
}

function wrong(code: ErrorCode, param: string, message: string): PayError {
  return new PayError(code, message, { param });
}
