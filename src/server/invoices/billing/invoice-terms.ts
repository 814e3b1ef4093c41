import type { InvoiceDiscount, InvoiceLineInput, InvoiceTax, LineVat } from '../../../api/invoice/invoice.ts';
import type { InvoiceLine, InvoiceTaxTotal } from '../../../api/invoice/invoice-view.ts';
import { PayError } from '../../../core/error.ts';
import {
  formatPercent,
  formatQuantity,
  parseDecimal,
  parsePercent,
  quantityDecimals,
} from '../../../core/invoice/invoice-decimal.ts';
import { keyOfTax, type LineTax, mostLineTaxes, type TaxTotal } from '../../../core/invoice/invoice-tax.ts';
import type { CalculatedLine, Discount, InvoiceLineTerms } from '../../../core/invoice/invoice-totals.ts';
import { sumOf } from '../../../core/money.ts';
import { usualReason } from '../../documents/documents.ts';

/** The error for a wrong field of an invoice. */
export function wrong(param: string, message: string): PayError {
  return new PayError('parameter_invalid', `${param} ${message}`, { param });
}

/** The terms that determine the amounts of a line. Throws a PayError that names the wrong field. */
export function lineTerms(line: InvoiceLineInput, index: number): InvoiceLineTerms {
  const at = `lines[${index}]`;
  const quantity = parseDecimal(line.quantity ?? 1, quantityDecimals);
  if (quantity === null || quantity === 0n) {
    throw wrong(`${at}.quantity`, `takes a number above 0 with up to ${quantityDecimals} decimals.`);
  }
  if (line.tax !== undefined && line.taxes !== undefined) throw wrong(`${at}.taxes`, 'and tax: give one of them.');
  const taxes = line.taxes ?? (line.tax === undefined ? [] : [line.tax]);
  const nameOfTax = line.taxes === undefined ? () => `${at}.tax` : (position: number) => `${at}.taxes[${position}]`;
  const terms = taxTerms(taxes, nameOfTax);
  assertVat(line.vat, terms, at);
  return {
    quantity,
    unitAmount: BigInt(line.unit_amount),
    discount: line.discount === undefined ? null : shareTerms(line.discount, `${at}.discount`),
    taxes: terms,
  };
}

/** Refuses a VAT category that contradicts the taxes of its line, and a reason that its category never has (BR-S-10). */
function assertVat(vat: InvoiceLineInput['vat'], taxes: readonly LineTax[], at: string): void {
  if (vat == null) return;
  if (vat.exemption_reason?.trim() && usualReason(vat.category) === null) {
    throw wrong(`${at}.vat.exemption_reason`, `must not be given with the category ${vat.category}.`);
  }
  const isTaxed = taxes.some(({ percent }) => percent > 0n);
  if (isTaxed === (vat.category === 'standard')) return;
  const rule = isTaxed
    ? 'must be standard, because the line has a tax'
    : 'is standard, but the line has no tax above 0 %';
  throw wrong(`${at}.vat.category`, `${rule}.`);
}

function taxTerms(taxes: readonly InvoiceTax[], at: (position: number) => string): LineTax[] {
  const keys = new Set<string>();
  return taxes.slice(0, mostLineTaxes).map((tax, position) => {
    const percent = parsePercent(tax.percent);
    if (percent === null) throw wrong(`${at(position)}.percent`, 'takes 0 to 100 with up to 4 decimals.');
    const { inclusive = false, compound = false } = tax;
    const terms = { name: tax.name.trim(), percent, inclusive, compound };
    if (keys.has(keyOfTax(terms))) throw wrong(at(position), 'is there twice.');
    keys.add(keyOfTax(terms));
    return terms;
  });
}

/** A percentage or an amount. Throws `parameter_invalid` unless exactly one of them is given. */
export function shareTerms(share: InvoiceDiscount, param: string): Discount {
  if ((share.percent === undefined) === (share.amount === undefined)) {
    throw wrong(param, 'takes either percent or amount.');
  }
  if (share.amount !== undefined) return { amount: BigInt(share.amount) };
  const percent = parsePercent(share.percent ?? '');
  if (percent === null) throw wrong(`${param}.percent`, 'takes 0 to 100 with up to 4 decimals.');
  return { percent };
}

/** The percentage as text, or null for an amount. */
export function percentText(share: Discount | null): string | null {
  return share !== null && 'percent' in share ? formatPercent(share.percent) : null;
}

/** Without a reason of the merchant's, the words of the e-invoice are printed. */
function vatToWire({ category, exemption_reason: reason }: LineVat): InvoiceLine['vat'] {
  return { category, exemption_reason: reason?.trim() || usualReason(category) };
}

/** A line with its amounts, in its wire form. */
export function lineToWire(input: InvoiceLineInput, terms: InvoiceLineTerms, calculated: CalculatedLine): InvoiceLine {
  const discount = { percent: percentText(terms.discount), amount: Number(calculated.ownDiscount) };
  return {
    description: input.description,
    quantity: formatQuantity(terms.quantity),
    unit: input.unit ?? null,
    unit_amount: input.unit_amount,
    discount: terms.discount === null ? null : discount,
    taxes: terms.taxes.map((tax, position) => ({
      name: tax.name,
      percent: formatPercent(tax.percent),
      inclusive: tax.inclusive,
      compound: tax.compound,
      amount: Number(calculated.taxAmounts[position] ?? 0n),
    })),
    vat: input.vat == null ? null : vatToWire(input.vat),
    subtotal: Number(calculated.subtotal),
    discount_total: Number(calculated.ownDiscount + calculated.discountShare),
    tax_total: Number(sumOf(calculated.taxAmounts)),
    total: Number(calculated.total),
  };
}

/** The request fields that created the line. */
export function lineInput(line: InvoiceLine): InvoiceLineInput {
  return {
    description: line.description,
    quantity: line.quantity,
    ...(line.unit === null ? {} : { unit: line.unit }),
    unit_amount: line.unit_amount,
    ...(line.discount === null ? {} : { discount: shareInput(line.discount) }),
    taxes: line.taxes.map(({ amount: _amount, ...tax }) => tax),
    vat: line.vat ?? null,
  };
}

/** The request fields of a discount or deposit. An amount of 0, which comes from a price of 0, becomes 0 percent. */
export function shareInput(share: {
  readonly percent: string | null;
  readonly amount: number | null;
}): InvoiceDiscount {
  if (share.percent !== null) return { percent: share.percent };
  return share.amount === null || share.amount === 0 ? { percent: '0' } : { amount: share.amount };
}

/** A tax rate in its wire form. */
export function taxToWire({ name, percent, inclusive, compound, base, amount }: TaxTotal): InvoiceTaxTotal {
  const sums = { base: Number(base), amount: Number(amount) };
  return { name, percent: formatPercent(percent), inclusive, compound, ...sums };
}
