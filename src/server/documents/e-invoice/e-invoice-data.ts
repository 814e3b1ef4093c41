import { currencyDecimals } from '../../../core/currency.ts';
import type { InvoiceDocument } from '../../../core/invoice/invoice-document.ts';
import { isCountry } from './country.ts';
import { groupByTax, hasSoundTaxes } from './factur-x-line.ts';

/** The form of an e-invoice: EN 16931 as Factur-X embeds it, or the German XRechnung 3.0. */
export type XmlFormat = 'en16931' | 'xrechnung';

/** The details of an invoice that decide whether it can be an e-invoice. */
export type EInvoiceParties = Pick<
  InvoiceDocument,
  'lines' | 'currency' | 'reference' | 'buyerReference' | 'deliveryDate' | 'period'
> & {
  readonly seller: Pick<
    InvoiceDocument['seller'],
    'name' | 'country' | 'taxId' | 'legalRegistration' | 'address' | 'email' | 'contact'
  >;
  readonly buyer: Pick<InvoiceDocument['buyer'], 'name' | 'email' | 'country' | 'address' | 'taxId'>;
  /** The second currency, if the invoice has one. */
  readonly exchangeRate: { readonly currency: string } | null;
};

/** Whether the invoice lacks the data of each field that EN 16931 needs. */
const lacks = {
  'account.name': ({ seller }) => isBlank(seller.name),
  'account.address.country': ({ seller }) => !isKnownCountry(seller.country),
  'account.tax_id': document => !isSellerIdentified(document),
  'customer.name': ({ buyer }) => isBlank(buyer.name) && isBlank(buyer.email),
  'customer.address.country': ({ buyer }) => !isKnownCountry(buyer.country),
  'customer.tax_id': document => !isBuyerIdentified(document),
  delivery_date: ({ lines, deliveryDate, period }) =>
    categoriesOf(lines).has('K') && deliveryDate == null && period == null,
  lines: ({ lines, currency }) => !hasSoundTaxes(lines, currency),
  'lines.vat.category': ({ lines }) => categoriesOf(lines).has('O') && categoriesOf(lines).size > 1,
  currency: ({ currency }) => currencyDecimals(currency) > 2,
  'exchange.currency': ({ exchangeRate }) => exchangeRate != null && currencyDecimals(exchangeRate.currency) > 2,
} as const satisfies Readonly<Record<string, (document: EInvoiceParties) => boolean>>;

/** Whether the invoice lacks the data of each field that XRechnung needs beyond EN 16931. */
const lacksForXRechnung = {
  buyer_reference: document => buyersReference(document) === null,
  'account.address.city': ({ seller }) => isBlank(seller.address?.city ?? null),
  'account.address.postal_code': ({ seller }) => isBlank(seller.address?.postalCode ?? null),
  'account.support_email': ({ seller }) => isBlank(seller.email),
  'account.contact.name': ({ seller }) => isBlank(seller.contact?.name ?? null),
  'account.contact.phone': ({ seller }) => !/\d.*\d.*\d/.test(seller.contact?.phone ?? ''),
  'customer.email': ({ buyer }) => isBlank(buyer.email),
  'customer.address.city': ({ buyer }) => isBlank(buyer.address?.city ?? null),
  'customer.address.postal_code': ({ buyer }) => isBlank(buyer.address?.postalCode ?? null),
} as const satisfies Readonly<Record<string, (document: EInvoiceParties) => boolean>>;

/** A field that an e-invoice needs, by its name in the API. `account.…` is a field of the merchant's account. */
export type EInvoiceField = keyof typeof lacks | keyof typeof lacksForXRechnung;

/**
 * The fields whose data the invoice lacks for EN 16931: names and countries of both sides (BR-06 to BR-11, BR-CL-14),
 * tax numbers that fit the categories (BR-CO-26, BR-S-02, BR-AE-02, BR-IC-02, BR-G-02), a day of delivery to another EU
 * country (BR-IC-11), lines whose taxes follow from their rates (BR-CO-17), and currencies of at most two decimals
 * (BR-DEC). XRechnung needs more (BR-DE-1 to BR-DE-28).
 */
export function missingForEInvoice(document: EInvoiceParties, format: XmlFormat = 'en16931'): EInvoiceField[] {
  const tests = format === 'xrechnung' ? { ...lacks, ...lacksForXRechnung } : lacks;
  return Object.entries(tests).flatMap(([field, isMissing]) => (isMissing(document) ? [field as EInvoiceField] : []));
}

function categoriesOf(lines: EInvoiceParties['lines']) {
  return new Set(groupByTax(lines).groups.map(({ category }) => category));
}

/**
 * For supplies to other EU countries (K) and exports (G), only a VAT number identifies the seller. Outside of VAT (O),
 * a register entry does too.
 */
function isSellerIdentified({ seller, lines }: EInvoiceParties): boolean {
  const categories = categoriesOf(lines);
  if (categories.has('K') || categories.has('G')) return seller.taxId !== null && isVatNumber(seller.taxId);
  const isOutside = categories.has('O') && !isBlank(seller.legalRegistration ?? null);
  return isOutside || !isBlank(seller.taxId);
}

function isBuyerIdentified({ buyer: { taxId }, lines }: EInvoiceParties): boolean {
  const categories = categoriesOf(lines);
  if (categories.has('K')) return taxId !== null && isVatNumber(taxId);
  return !categories.has('AE') || !isBlank(taxId);
}

/** Whether this is a VAT number. It begins with a country code, `EL` (Greece) or `XI` (Northern Ireland; BR-CO-09). */
export function isVatNumber(taxId: string): boolean {
  const plain = plainId(taxId);
  const prefix = plain.slice(0, 2);
  return /^[A-Z]{2}[0-9A-Z]{2,13}$/.test(plain) && (prefix === 'EL' || prefix === 'XI' || isCountry(prefix));
}

/** A tax number without blanks and signs, in capitals. */
export function plainId(taxId: string): string {
  return taxId.replace(/[\s.-]/g, '').toUpperCase();
}

/** BT-10: the buyer's own reference, otherwise the reference of the invoice. A blank text is none. */
export function buyersReference({
  buyerReference = null,
  reference,
}: Pick<InvoiceDocument, 'buyerReference' | 'reference'>): string | null {
  return [buyerReference, reference].find(text => !isBlank(text)) ?? null;
}

/** Whether the text has no visible character. */
export function isBlank(text: string | null): boolean {
  return text === null || !/[^\s\p{Cc}\p{Cf}\p{Cs}]/u.test(text);
}

function isKnownCountry(country: string | null): boolean {
  return country !== null && isCountry(country);
}
