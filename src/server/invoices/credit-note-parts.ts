import type { InvoiceLine, InvoiceTaxTotal } from '../../api/invoice/invoice-view.ts';
import { type CreditPart, creditParts } from '../../core/invoice/invoice-credit.ts';
import { sumOf } from '../../core/money.ts';
import type { InvoiceRow } from './invoice.view.ts';

type Tax = Omit<InvoiceLine['taxes'][number], 'amount'>;

/** What a credit note takes off lines that bear the same taxes. */
export interface CreditedLines extends CreditPart {
  readonly rates: readonly Tax[];
  readonly lines: readonly InvoiceLine[];
}

/** What a credit note takes off each kind of line, after those before it (their amounts, in their order). */
export function creditedLines(
  { lines }: Pick<InvoiceRow, 'lines'>,
  earlier: readonly bigint[],
  amount: bigint,
): CreditedLines[] {
  const kinds = [...Map.groupBy(lines, line => JSON.stringify(line.taxes.map(keyOf))).values()];
  const wholes = kinds.map(alike => ({
    net: sumOf(alike.map(line => BigInt(line.total - line.tax_total))),
    taxes: (alike[0]?.taxes ?? []).map((_, position) =>
      sumOf(alike.map(line => BigInt(line.taxes[position]?.amount ?? 0))),
    ),
  }));
  const parts = creditParts(wholes, earlier, amount);
  return kinds.flatMap((alike, index) => {
    const part = parts[index];
    const rates = (alike[0]?.taxes ?? []).map(({ amount: _amount, ...rate }) => rate);
    return part === undefined ? [] : [{ ...part, rates, lines: alike }];
  });
}

/** The rates of tax of the invoice, with what a credit note takes back of each. */
export function creditedTaxes(
  { taxes }: Pick<InvoiceRow, 'taxes'>,
  credited: readonly CreditedLines[],
): InvoiceTaxTotal[] {
  return taxes.map(rate => {
    let [base, amount] = [0n, 0n];
    for (const { net, taxes: parts, rates } of credited) {
      const position = rates.findIndex(each => keyOf(each) === keyOf(rate));
      if (position < 0) continue;
      amount += parts[position] ?? 0n;
      base += rate.compound ? net + sumOf(parts.slice(0, position)) : net;
    }
    return { ...rate, base: Number(base), amount: Number(amount) };
  });
}

function keyOf({ name, percent, inclusive, compound }: Tax): string {
  return JSON.stringify([name, percent, inclusive, compound]);
}
