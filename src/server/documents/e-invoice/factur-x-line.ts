import { currencyDecimals } from '../../../core/currency.ts';
import type { InvoiceDocumentLine, InvoiceLineTax, VatCategory } from '../../../core/invoice/invoice-document.ts';
import { divideRounded, formatUnits, parseUnits } from '../../../core/money.ts';
import type { XmlElements } from './xml-writer.ts';

/** UN/ECE Recommendation 20 codes of common units. All other units get the code for pieces. */
const unitCodes: Readonly<Record<string, readonly string[]>> = {
  MIN: ['min'],
  HUR: ['h', 'hour', 'hours'],
  DAY: ['d', 'day', 'days'],
  WEE: ['week'],
  MON: ['month'],
  ANN: ['year'],
  GRM: ['g'],
  KGM: ['kg'],
  TNE: ['t'],
  MTR: ['m'],
  KMT: ['km'],
  MTK: ['m²', 'm2'],
  MTQ: ['m³', 'm3'],
  LTR: ['l'],
  KWH: ['kwh'],
};
const piece = 'C62';
/** Quantities have at most six decimals. A net price may have six decimals more than its currency. */
const quantityDecimals = 6;
const priceDecimals = 6;

/** A line of the invoice (BG-25). */
export function lineItem(line: InvoiceDocumentLine, index: number, currency: string, tax: TaxTreatment): XmlElements {
  const decimals = currencyDecimals(currency);
  const { quantity, price, allowances } = termsOf(line, decimals);
  const unit = line.unit?.toLowerCase() ?? '';
  const unitCode = Object.keys(unitCodes).find(code => unitCodes[code]?.includes(unit)) ?? piece;
  const [name = '', ...rest] = line.description.split('\n');
  return {
    'ram:AssociatedDocumentLineDocument': { 'ram:LineID': String(index + 1) },
    'ram:SpecifiedTradeProduct': {
      'ram:Name': name.trim() || '-',
      'ram:Description': rest.length > 0 ? line.description : null,
    },
    'ram:SpecifiedLineTradeAgreement': { 'ram:NetPriceProductTradePrice': { 'ram:ChargeAmount': price } },
    'ram:SpecifiedLineTradeDelivery': { 'ram:BilledQuantity': { '@unitCode': unitCode, '#': quantity } },
    'ram:SpecifiedLineTradeSettlement': {
      'ram:ApplicableTradeTax': { 'ram:TypeCode': 'VAT', ...categoryOf(tax) },
      'ram:SpecifiedTradeAllowanceCharge': allowances,
      'ram:SpecifiedTradeSettlementLineMonetarySummation': { 'ram:LineTotalAmount': formatUnits(line.net, decimals) },
    },
  };
}

/** Category and rate. Lines that are not subject to VAT have no rate (BR-O-05). */
export function categoryOf({ category, rate }: TaxTreatment): XmlElements {
  return { 'ram:CategoryCode': category, 'ram:RateApplicablePercent': category === 'O' ? null : rate };
}

/**
 * Quantity, net price and allowances. For prices that include tax, the net price is computed from the net amount after
 * all discounts. A price is never negative (BR-27). If rounded taxes exceed the price that includes them, the quantity
 * is negative instead.
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

function allowancesOf({ discount, discountShare, subtotal }: InvoiceDocumentLine, decimals: number): XmlElements[] {
  const allowance = (reason: string, amount: bigint, percent: string | null = null): XmlElements => ({
    'ram:ChargeIndicator': { 'udt:Indicator': 'false' },
    'ram:CalculationPercent': percent,
    'ram:BasisAmount': percent === null ? null : formatUnits(subtotal, decimals),
    'ram:ActualAmount': formatUnits(amount, decimals),
    // The UNCL 5189 code for a discount.
    'ram:ReasonCode': '95',
    'ram:Reason': reason,
  });
  const allowances: XmlElements[] = [];
  if (discount !== null && discount.amount !== 0n) {
    // The rules compute amounts to hundredths. With other decimals, a percentage would seem wrong (PEPPOL R040).
    const percent = decimals === 2 ? discount.percent : null;
    allowances.push(allowance('Discount', discount.amount, percent));
  }
  if (discountShare !== 0n) allowances.push(allowance('Share of the discount on the invoice', discountShare));
  return allowances;
}

/** Categories (UNCL 5305) and the reasons (VATEX) why a category has no tax. */
const categories = {
  standard: { category: 'S', reasonCode: null, reason: null },
  zero: { category: 'Z', reasonCode: null, reason: null },
  exempt: { category: 'E', reasonCode: null, reason: 'Exempt from VAT' },
  reverse_charge: { category: 'AE', reasonCode: 'VATEX-EU-AE', reason: 'Reverse charge' },
  intra_eu: { category: 'K', reasonCode: 'VATEX-EU-IC', reason: 'Intra-Community supply' },
  export: { category: 'G', reasonCode: 'VATEX-EU-G', reason: 'Export outside the EU' },
  outside_scope: { category: 'O', reasonCode: 'VATEX-EU-O', reason: 'Not subject to VAT' },
} as const satisfies Readonly<Record<VatCategory, object>>;

/** Why lines of the category have no tax, in the words of tax law. Null: the category has no such reason (BR-Z-10). */
export function usualReason(category: VatCategory): string | null {
  return categories[category].reason;
}

/** How a line is taxed in EN 16931: one category and one rate. Several taxes of a line become one combined rate. */
interface TaxTreatment {
  readonly category: (typeof categories)[VatCategory]['category'];
  /** Percent as decimal text. */
  readonly rate: string;
  readonly reasonCode: string | null;
}

/** All lines with one category and rate (BG-23). */
export interface TaxGroup extends TaxTreatment {
  /** BT-116: sum of the lines' net amounts. */
  readonly base: bigint;
  /** BT-117: sum of the lines' taxes, as the invoice shows them. */
  readonly amount: bigint;
  /** BT-120: why there is no tax. Null for taxed lines. */
  readonly reason: string | null;
}

/** A percentage has four decimals, but a compound tax multiplies rates. Twelve decimals are enough for every amount. */
const rateDecimals = 12;
const wholeRate = 100n * 10n ** BigInt(rateDecimals);

/** The lines with their tax treatment, and the lines grouped by treatment. */
export function groupByTax(lines: readonly InvoiceDocumentLine[]) {
  const named = vatCategories(lines);
  const treated = lines.map((line, index) => ({ line, tax: treatmentOf(line, named[index] ?? 'standard') }));
  const groups = new Map<string, TaxGroup>();
  for (const { line, tax } of treated) {
    const key = `${tax.category} ${tax.rate}`;
    const { base, amount, reason } = groups.get(key) ?? { base: 0n, amount: 0n, reason: null };
    const added = line.taxes.reduce((sum, each) => sum + each.amount, 0n);
    const reasons = new Set([...(reason?.split('; ') ?? []), ...(tax.reason === null ? [] : [tax.reason])]);
    groups.set(key, {
      category: tax.category,
      rate: tax.rate,
      reasonCode: tax.reasonCode,
      base: base + line.net,
      amount: amount + added,
      reason: [...reasons].join('; ') || null,
    });
  }
  return { treated, groups: [...groups.values()] };
}

/** A line, with what decides its VAT category. */
interface CategorizedLine {
  readonly taxes: readonly { readonly percent: string }[];
  readonly vat?: { readonly category: VatCategory } | null;
}

/**
 * The VAT category of each line: the one that the line names. Otherwise its taxes decide: an untaxed line among taxed
 * lines is exempt, and an invoice without any tax is outside of VAT (BR-O-11 to BR-O-14).
 */
export function vatCategories(lines: readonly CategorizedLine[]): VatCategory[] {
  const isTaxed = lines.some(({ taxes, vat }) => taxes.length > 0 || (vat != null && vat.category !== 'outside_scope'));
  const untaxed = isTaxed ? 'exempt' : 'outside_scope';
  return lines.map(({ taxes, vat }) => {
    const taxed = taxes.every(({ percent }) => isZero(percent)) ? 'zero' : 'standard';
    return vat?.category ?? (taxes.length === 0 ? untaxed : taxed);
  });
}

function isZero(percent: string): boolean {
  return (parseUnits(percent, rateDecimals) ?? 0n) === 0n;
}

function treatmentOf(
  { taxes, vat }: InvoiceDocumentLine,
  category: VatCategory,
): TaxTreatment & Pick<TaxGroup, 'reason'> {
  const rate = combinedRate(taxes);
  const treatment = categories[category];
  const reason = treatment.reason && (vat?.reason ?? treatment.reason);
  return { ...treatment, reason, rate: rate === 0n ? '0' : formatUnits(rate, rateDecimals).replace(/\.?0+$/, '') };
}

/** The sum of the rates. A compound tax also applies to the taxes before it. */
function combinedRate(taxes: readonly InvoiceLineTax[]): bigint {
  return taxes.reduce((sum, { percent, compound }) => {
    const rate = parseUnits(percent, rateDecimals) ?? 0n;
    return sum + (compound ? divideRounded(rate * (wholeRate + sum), wholeRate) : rate);
  }, 0n);
}

/**
 * Whether each group's tax is rate × base within one unit of the currency, as EN 16931 asks (BR-CO-17, BR-S-09).
 * Several rounded taxes of a line can miss this. At a rate below half a percent, the tax must be below half a unit.
 */
export function hasSoundTaxes(lines: readonly InvoiceDocumentLine[], currency: string): boolean {
  const unit = 10n ** BigInt(currencyDecimals(currency));
  return groupByTax(lines).groups.every(({ rate: text, base, amount }) => {
    const rate = parseUnits(text, rateDecimals) ?? 0n;
    if (rate > 0n && rate * 200n < wholeRate) return 2n * absolute(amount) < unit;
    const difference = absolute(amount * wholeRate - base * rate);
    // The rules first round rate × base to hundredths.
    return difference * 100n <= unit * wholeRate * 99n;
  });
}

const absolute = (amount: bigint): bigint => (amount < 0n ? -amount : amount);
