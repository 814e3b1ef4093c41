import { currencyDecimals } from '../../core/currency.ts';
import type { InvoiceDocumentLine } from '../../core/invoice/invoice-document.ts';
import { divideRounded, formatUnits, parseUnits } from '../../core/money.ts';
import type { TaxGroup } from './factur-x-tax.ts';
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
