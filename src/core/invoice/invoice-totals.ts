import { allocate, divideRounded, sumOf } from '../money.ts';
import { quantityDecimals, wholePercent } from './invoice-decimal.ts';
import { type LineTax, type TaxedLine, type TaxTotal, taxLines } from './invoice-tax.ts';

/** A discount: a percentage (in ten-thousandths of a percent), or an amount. */
export type Discount = { readonly percent: bigint } | { readonly amount: bigint };

/** A line to calculate. `quantity` is in millionths, and `unitAmount` in smallest units of the currency. */
export interface InvoiceLineTerms {
  readonly quantity: bigint;
  readonly unitAmount: bigint;
  readonly discount: Discount | null;
  readonly taxes: readonly LineTax[];
}

/** The amounts of a line. */
export interface CalculatedLine {
  /** Quantity × unit amount. */
  readonly subtotal: bigint;
  readonly ownDiscount: bigint;
  /** The line's share of the discount on the invoice. */
  readonly discountShare: bigint;
  /** The line's share of each tax, in the order of its taxes. */
  readonly taxAmounts: readonly bigint[];
  /** With all taxes, after all discounts. */
  readonly total: bigint;
}

/** The amounts of an invoice. `subtotal − discountTotal + taxTotal − taxIncluded = total`. */
export interface InvoiceTotals {
  readonly lines: readonly CalculatedLine[];
  readonly subtotal: bigint;
  /** The discount on the whole invoice. */
  readonly discount: bigint;
  readonly discountTotal: bigint;
  readonly taxes: readonly TaxTotal[];
  readonly taxTotal: bigint;
  readonly taxIncluded: bigint;
  readonly total: bigint;
}

/**
 * Calculates an invoice. Each line is rounded to the smallest unit, half away from zero. The invoice's discount is
 * spread over the lines by largest remainder, so it lowers the base of every tax rate. A tax is calculated once, on the
 * sum of its lines. A discount never exceeds the amount before the discount.
 */
export function calculateInvoice(terms: readonly InvoiceLineTerms[], discount: Discount | null): InvoiceTotals {
  const subtotals = terms.map(line => divideRounded(line.quantity * line.unitAmount, 10n ** BigInt(quantityDecimals)));
  const ownDiscounts = terms.map((line, index) => discountOf(subtotals[index] ?? 0n, line.discount));
  const amounts = subtotals.map((subtotal, index) => subtotal - (ownDiscounts[index] ?? 0n));
  const invoiceDiscount = discountOf(sumOf(amounts), discount);
  const shares = allocate(invoiceDiscount, amounts);
  const taxed = taxLines(
    terms.map((line, index) => ({ taxes: line.taxes, amount: (amounts[index] ?? 0n) - (shares[index] ?? 0n) })),
  );
  const lines = taxed.lines.map((line, index) => ({
    subtotal: subtotals[index] ?? 0n,
    ownDiscount: ownDiscounts[index] ?? 0n,
    discountShare: shares[index] ?? 0n,
    taxAmounts: line.taxAmounts,
    total: totalOf(line),
  }));
  return {
    lines,
    subtotal: sumOf(subtotals),
    discount: invoiceDiscount,
    discountTotal: sumOf(ownDiscounts) + invoiceDiscount,
    taxes: taxed.totals,
    taxTotal: sumOf(taxed.totals.map(({ amount }) => amount)),
    taxIncluded: sumOf(taxed.totals.filter(tax => tax.inclusive).map(({ amount }) => amount)),
    total: sumOf(lines.map(({ total }) => total)),
  };
}

/** The value of a discount on `amount`. At most `amount`. */
export function discountOf(amount: bigint, discount: Discount | null): bigint {
  if (discount === null) return 0n;
  if ('percent' in discount) return divideRounded(amount * discount.percent, wholePercent);
  return discount.amount < amount ? discount.amount : amount;
}

function totalOf({ amount, taxes, taxAmounts }: TaxedLine): bigint {
  return amount + sumOf(taxAmounts.filter((_, index) => taxes[index]?.inclusive === false));
}
