import { currencyDecimals } from '../../../core/currency.ts';
import type { InvoiceDocumentLine, InvoiceLineTax } from '../../../core/invoice/invoice-document.ts';
import { divideRounded, formatUnits, parseUnits } from '../../../core/money.ts';
import { element, withAttributes, type XmlElement } from './xml-writer.ts';

/** UN/ECE Recommendation 20 codes of what is commonly counted; everything else is counted by the piece. */
const unitCodes: Readonly<Record<string, string>> = {
  min: 'MIN',
  h: 'HUR',
  hour: 'HUR',
  hours: 'HUR',
  d: 'DAY',
  day: 'DAY',
  days: 'DAY',
  week: 'WEE',
  month: 'MON',
  year: 'ANN',
  g: 'GRM',
  kg: 'KGM',
  t: 'TNE',
  m: 'MTR',
  km: 'KMT',
  'm²': 'MTK',
  m2: 'MTK',
  'm³': 'MTQ',
  m3: 'MTQ',
  l: 'LTR',
  kwh: 'KWH',
};
const piece = 'C62';
/** Quantities have at most six decimals; a net price may need more than the currency has. */
const quantityDecimals = 6;
const priceDecimals = 6;

/** A line of the invoice (BG-25). */
export function lineItem(line: InvoiceDocumentLine, index: number, currency: string, tax: TaxGroup): XmlElement {
  const decimals = currencyDecimals(currency);
  const { quantity, price, allowances } = termsOf(line, decimals);
  const unitCode = unitCodes[line.unit?.toLowerCase() ?? ''] ?? piece;
  const [name = '', ...rest] = line.description.split('\n');
  return element(
    'ram:IncludedSupplyChainTradeLineItem',
    element('ram:AssociatedDocumentLineDocument', element('ram:LineID', String(index + 1))),
    element(
      'ram:SpecifiedTradeProduct',
      element('ram:Name', name.trim() || '-'),
      rest.length > 0 ? element('ram:Description', line.description) : null,
    ),
    element(
      'ram:SpecifiedLineTradeAgreement',
      element('ram:NetPriceProductTradePrice', element('ram:ChargeAmount', price)),
    ),
    element('ram:SpecifiedLineTradeDelivery', withAttributes(element('ram:BilledQuantity', quantity), { unitCode })),
    element(
      'ram:SpecifiedLineTradeSettlement',
      element('ram:ApplicableTradeTax', element('ram:TypeCode', 'VAT'), ...categoryOf(tax)),
      ...allowances,
      element(
        'ram:SpecifiedTradeSettlementLineMonetarySummation',
        element('ram:LineTotalAmount', formatUnits(line.net, decimals)),
      ),
    ),
  );
}

/** Category and rate; what is not subject to VAT has no rate (BR-O-05). */
export function categoryOf({ category, rate }: TaxGroup): (XmlElement | null)[] {
  return [element('ram:CategoryCode', category), category === 'O' ? null : element('ram:RateApplicablePercent', rate)];
}

/**
 * Quantity, net price and what is taken off. Where the price contains its tax, the net price is what the net amount
 * says, discounts and all. A price is never negative (BR-27): where the taxes, each rounded, are more than the price they
 * are contained in, the quantity is.
 */
function termsOf(line: InvoiceDocumentLine, decimals: number) {
  const { quantity, net, unitAmount } = line;
  if (!line.taxes.some(tax => tax.inclusive)) {
    return { quantity, price: formatUnits(unitAmount, decimals), allowances: allowancesOf(line, decimals) };
  }
  const isNegative = net < 0n;
  const millionths = parseUnits(quantity, quantityDecimals) ?? 1n;
  const scale = 10n ** BigInt(quantityDecimals + priceDecimals);
  const price = divideRounded((isNegative ? -net : net) * scale, millionths);
  return {
    quantity: isNegative ? `-${quantity}` : quantity,
    price: formatUnits(price, decimals + priceDecimals),
    allowances: [],
  };
}

function allowancesOf({ discount, discountShare, subtotal }: InvoiceDocumentLine, decimals: number): XmlElement[] {
  const own = discount === null || discount.amount === 0n ? [] : [allowance('Discount', discount, subtotal, decimals)];
  if (discountShare === 0n) return own;
  return [
    ...own,
    allowance('Share of the discount on the invoice', { percent: null, amount: discountShare }, 0n, decimals),
  ];
}

function allowance(
  reason: string,
  { percent, amount }: { readonly percent: string | null; readonly amount: bigint },
  basis: bigint,
  decimals: number,
): XmlElement {
  return element(
    'ram:SpecifiedTradeAllowanceCharge',
    element('ram:ChargeIndicator', element('udt:Indicator', 'false')),
    percent === null ? null : element('ram:CalculationPercent', percent),
    percent === null ? null : element('ram:BasisAmount', formatUnits(basis, decimals)),
    element('ram:ActualAmount', formatUnits(amount, decimals)),
    // UNCL 5189: discount.
    element('ram:ReasonCode', '95'),
    element('ram:Reason', reason),
  );
}

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
