import type { InvoiceLine, InvoiceTaxTotal } from '../../../api/invoice/invoice-view.ts';
import {
  type CreditableLine,
  type CreditPart,
  divideCredit,
  remainingLines,
} from '../../../core/invoice/invoice-credit.ts';
import { sumOf } from '../../../core/money.ts';
import type { CreditNoteRow, InvoiceRow } from '../invoice.view.ts';
import type { KeptCreditLine } from '../tables.ts';

/** What a credit note credits. `lines`: the invoice lines that the note names; null for a note over an amount. */
export type CreditContent = Pick<CreditNoteRow, 'amount' | 'lines'>;
type Lines = Pick<InvoiceRow, 'lines'>;
type Tax = Omit<InvoiceLine['taxes'][number], 'amount'>;

/** The part of each line that earlier notes left uncredited. `earlier` is in the order of the notes' numbers. */
export function uncreditedLines({ lines }: Lines, earlier: readonly CreditContent[]): readonly CreditableLine[] {
  const groups = lines.map(line => JSON.stringify(line.taxes.map(keyOfRate)));
  return remainingLines(
    wholeParts(lines).map((part, index) => ({ ...part, group: groups[index] ?? '' })),
    earlier.map(({ amount, lines: named }) => ({ amount, parts: named && partsByLine(named) })),
  );
}

/** Each line as a part: its whole net and its taxes. */
export function wholeParts(lines: readonly InvoiceLine[]): CreditPart[] {
  return lines.map(line => ({
    net: BigInt(line.total) - BigInt(line.tax_total),
    taxes: line.taxes.map(({ amount }) => BigInt(amount)),
  }));
}

/** The part of each line that the note credits. */
export function creditedParts(
  invoice: Lines,
  earlier: readonly CreditContent[],
  { amount, lines: named }: CreditContent,
): readonly CreditPart[] {
  if (named === null) return divideCredit(uncreditedLines(invoice, earlier), amount);
  const parts = partsByLine(named);
  return invoice.lines.map(({ taxes }, index) => parts.get(index) ?? { net: 0n, taxes: taxes.map(() => 0n) });
}

function partsByLine(named: readonly KeptCreditLine[]): ReadonlyMap<number, CreditPart> {
  return new Map(named.map(({ line, net, taxes }) => [line, { net: BigInt(net), taxes: taxes.map(BigInt) }]));
}

/** Credited parts in the form that a note stores. Omits lines without a part. */
export function keptLines(
  parts: readonly CreditPart[],
  quantities: ReadonlyMap<number, string> = new Map(),
): KeptCreditLine[] {
  return parts.flatMap((part, line) =>
    [part.net, ...part.taxes].every(amount => amount === 0n)
      ? []
      : { line, quantity: quantities.get(line) ?? null, net: Number(part.net), taxes: part.taxes.map(Number) },
  );
}

/** The invoice's tax rates, each with the base and tax of the credited parts. */
export function creditedTaxes(
  { lines, taxes }: Pick<InvoiceRow, 'lines' | 'taxes'>,
  parts: readonly CreditPart[],
): InvoiceTaxTotal[] {
  return taxes.map(rate => {
    let [base, tax] = [0n, 0n];
    for (const [index, { net, taxes: shares }] of parts.entries()) {
      const position = lines[index]?.taxes.findIndex(each => keyOfRate(each) === keyOfRate(rate)) ?? -1;
      if (position < 0) continue;
      tax += shares[position] ?? 0n;
      base += rate.compound ? net + sumOf(shares.slice(0, position)) : net;
    }
    return { ...rate, base: Number(base), amount: Number(tax) };
  });
}

/** Taxes with the same key are one rate. */
export function keyOfRate({ name, percent, inclusive, compound }: Tax): string {
  return JSON.stringify([name, percent, inclusive, compound]);
}
