import type { InvoiceWarning } from '../../../api/invoice/invoice-view.ts';
import { type EInvoiceField, missingForEInvoice, type XmlFormat } from '../../documents/documents.ts';
import { documentAddress } from '../../merchants/document-party.ts';
import type { Merchant } from '../../platform/merchant.ts';
import type { InvoiceRow } from '../tables.ts';
import { detailsDocument, lineDocument, sellerOf } from './invoice-document.service.ts';

/** What is wrong with each field that keeps an e-invoice from being issued. */
export const eInvoiceMessages: Readonly<Record<EInvoiceField, string>> = {
  'account.name': 'The account has no name.',
  'account.address.country': 'The address of the account has no country of ISO 3166-1.',
  'account.address.city': 'The address of the account has no city.',
  'account.address.postal_code': 'The address of the account has no postal code.',
  'account.tax_id': 'The account has no tax number. Exports and supplies inside the EU need a VAT number.',
  'account.support_email': 'The account has no e-mail address.',
  'account.contact.name': 'The account has no contact person.',
  'account.contact.phone': 'The contact person of the account has no phone number.',
  'customer.name': 'The customer has neither a name nor an e-mail address.',
  'customer.email': 'The customer has no e-mail address.',
  'customer.address.country': 'The address of the customer has no country of ISO 3166-1.',
  'customer.address.city': 'The address of the customer has no city.',
  'customer.address.postal_code': 'The address of the customer has no postal code.',
  'customer.tax_id': 'The customer has no tax number. Supplies inside the EU need a VAT number.',
  buyer_reference: 'The invoice has no reference of the buyer, such as a Leitweg-ID.',
  delivery_date: 'A supply inside the EU needs a delivery date or a period.',
  lines: 'The rounded taxes of the lines differ from rate × amount by more than EN 16931 allows.',
  'lines.vat.category': 'Lines outside of the scope of VAT need an invoice of their own.',
  currency: 'EN 16931 takes currencies with at most two decimals.',
  'exchange.currency': 'EN 16931 takes a second currency with at most two decimals.',
};

/** The fields without which there is no e-invoice of this format. */
function missingFields(
  row: InvoiceRow,
  merchant: Merchant,
  format: XmlFormat,
): { param: EInvoiceField; message: string }[] {
  const { customer, lines, currency, reference, locale } = row;
  const seller = row.seller ?? sellerOf(merchant);
  const missing = missingForEInvoice(
    {
      seller: {
        name: seller.name,
        email: seller.email,
        taxId: seller.tax_id,
        ...documentAddress(seller.address, locale),
        legalRegistration: seller.legal_registration ?? null,
        contact: seller.contact ?? null,
      },
      buyer: {
        name: customer.name,
        email: customer.email,
        taxId: customer.tax_id,
        ...documentAddress(customer.address, locale),
      },
      lines: lines.map(lineDocument),
      currency,
      reference,
      exchangeRate: row.exchange,
      ...detailsDocument(row),
    },
    format,
  );
  return missing.map(param => ({ param, message: eInvoiceMessages[param] }));
}

/**
 * The fields that keep the e-invoice out of the PDF. A draft has the merchant's current details. An invoice with a
 * reference of the buyer is meant for an XRechnung too.
 */
export function invoiceWarnings(row: InvoiceRow, merchant: Merchant): InvoiceWarning[] {
  const missing = missingFields(row, merchant, 'en16931');
  const named = new Set(missing.map(({ param }) => param));
  const forXRechnung = row.details.buyer_reference === undefined ? [] : missingFields(row, merchant, 'xrechnung');
  return [
    ...missing.map(field => ({ code: 'einvoice_unavailable' as const, ...field })),
    ...forXRechnung
      .filter(({ param }) => !named.has(param))
      .map(field => ({ code: 'xrechnung_unavailable' as const, ...field })),
  ];
}
