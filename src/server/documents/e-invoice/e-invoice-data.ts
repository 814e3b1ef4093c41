import { currencyDecimals } from '../../../core/currency.ts';
import type { InvoiceDocument } from '../../../core/invoice/invoice-document.ts';
import { isCountry } from './country.ts';
import { hasSoundTaxes } from './factur-x-line.ts';

/** A field that an e-invoice needs, by its name in the API. `account.…` is a field of the merchant's account. */
export type EInvoiceField =
  | 'account.name'
  | 'account.address.country'
  | 'account.tax_id'
  | 'customer.name'
  | 'customer.address.country'
  | 'lines'
  | 'currency';

/** The details that decide whether an invoice can be an e-invoice. */
export interface EInvoiceParties {
  readonly seller: Pick<InvoiceDocument['seller'], 'name' | 'country' | 'taxId'>;
  readonly buyer: Pick<InvoiceDocument['buyer'], 'name' | 'email' | 'country'>;
  readonly lines: InvoiceDocument['lines'];
  readonly currency: string;
}

/**
 * The fields without the data that EN 16931 requires. Names and countries of both sides (BR-06 to BR-11, BR-CL-14). A
 * tax number of the seller (BR-CO-26, BR-S-02, BR-E-02, BR-Z-02). Lines whose taxes follow from their rates (BR-CO-17).
 * A currency of at most two decimals (BR-DEC).
 */
export function missingForEInvoice({ seller, buyer, lines, currency }: EInvoiceParties): EInvoiceField[] {
  const isMissing: Readonly<Record<EInvoiceField, boolean>> = {
    'account.name': isBlank(seller.name),
    'account.address.country': !isKnownCountry(seller.country),
    'account.tax_id': isBlank(seller.taxId),
    'customer.name': isBlank(buyer.name) && isBlank(buyer.email),
    'customer.address.country': !isKnownCountry(buyer.country),
    lines: !hasSoundTaxes(lines, currency),
    currency: currencyDecimals(currency) > 2,
  };
  return (Object.keys(isMissing) as EInvoiceField[]).filter(field => isMissing[field]);
}

/** Whether the number is a VAT number, which begins with a country code or `EL` for Greece (BR-CO-09). */
export function isVatNumber(taxId: string): boolean {
  const plain = plainId(taxId);
  const prefix = plain.slice(0, 2);
  return /^[A-Z]{2}[0-9A-Z]{2,13}$/.test(plain) && (prefix === 'EL' || prefix === 'XI' || isCountry(prefix));
}

/** A tax number without blanks and signs, in capitals. */
export function plainId(taxId: string): string {
  return taxId.replace(/[\s.-]/g, '').toUpperCase();
}

/** Whether the text has no visible character. */
export function isBlank(text: string | null): boolean {
  return text === null || !/[^\s\p{Cc}\p{Cf}\p{Cs}]/u.test(text);
}

function isKnownCountry(country: string | null): boolean {
  return country !== null && isCountry(country);
}
