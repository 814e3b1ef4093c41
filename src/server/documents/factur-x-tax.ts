import type { InvoiceDocumentLine, InvoiceLineTax } from '../../core/invoice/invoice-document.ts';
import { divideRounded, formatUnits, parseUnits } from '../../core/money.ts';

/**
 * How a line is taxed, as EN 16931 knows it: one category (UNCL 5305: S standard, Z zero rate, E exempt, O not subject
 * to VAT) and one rate. A line's several taxes are one rate there: what they take together.
 */
export interface TaxGroup {
  readonly category: 'S' | 'Z' | 'E' | 'O';
  /** Percent as decimal text. */
  readonly rate: string;
  /** BT-116: net amounts of its lines. */
  readonly base: bigint;
  /** BT-117: what the invoice takes on them. */
  readonly amount: bigint;
}

/** Decimals of rates: percentages have four, a tax taken on another is their product; no amount is large enough to tell the rest. */
const rateDecimals = 12;
const wholeRate = 100n * 10n ** BigInt(rateDecimals);

/** The groups of the lines (BG-23), one for each category and rate, and for each line the group it is in. */
export function taxGroups(lines: readonly InvoiceDocumentLine[]): { groups: TaxGroup[]; ofLine: TaxGroup[] } {
  const isTaxed = lines.some(line => line.taxes.length > 0);
  const groups = new Map<string, TaxGroup>();
  const keys = lines.map(line => {
    const { category, rate } = treatmentOf(line, isTaxed);
    const key = `${category} ${rate}`;
    const known = groups.get(key) ?? { category, rate, base: 0n, amount: 0n };
    const amount = known.amount + line.taxes.reduce((sum, tax) => sum + tax.amount, 0n);
    groups.set(key, { ...known, base: known.base + line.net, amount });
    return key;
  });
  return { groups: [...groups.values()], ofLine: keys.flatMap(key => groups.get(key) ?? []) };
}

/** A line without tax among taxed ones is exempt; an invoice without any tax is outside of VAT (BR-O-11 to BR-O-14). */
function treatmentOf({ taxes }: InvoiceDocumentLine, isTaxed: boolean): Pick<TaxGroup, 'category' | 'rate'> {
  if (taxes.length === 0) return { category: isTaxed ? 'E' : 'O', rate: '0' };
  const rate = combinedRate(taxes);
  return { category: rate === 0n ? 'Z' : 'S', rate: plainDecimal(rate) };
}

/** Taxes side by side add up; a compound one is also taken on those before it. */
function combinedRate(taxes: readonly InvoiceLineTax[]): bigint {
  return taxes.reduce((sum, { percent, compound }) => {
    const rate = parseUnits(percent, rateDecimals) ?? 0n;
    return sum + (compound ? divideRounded(rate * (wholeRate + sum), wholeRate) : rate);
  }, 0n);
}

function plainDecimal(rate: bigint): string {
  return formatUnits(rate, rateDecimals).replace(/\.?0+$/, '');
}
