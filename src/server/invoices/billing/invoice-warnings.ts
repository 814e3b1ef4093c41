import type { InvoiceWarning } from '../../../api/invoice/invoice-view.ts';
import { type EInvoiceField, missingForEInvoice } from '../../documents/documents.ts';
import type { InvoiceRow } from '../tables.ts';
import { lineDocument } from './invoice-document.service.ts';

const messages: Readonly<Record<EInvoiceField, string>> = {
  'account.name': 'The account has no name.',
  'account.address.country': 'The address of the account has no country of ISO 3166-1.',
  'account.tax_id': 'The account has no tax number.',
  'customer.name': 'The customer has neither a name nor an e-mail address.',
  'customer.address.country': 'The address of the customer has no country of ISO 3166-1.',
  lines: 'The rounded taxes of the lines differ from rate × amount by more than EN 16931 allows.',
  currency: 'EN 16931 takes currencies with at most two decimals.',
};

/** One warning for each field that lacks data for EN 16931. The PDF of the sent invoice then contains no e-invoice. */
export function invoiceWarnings({ seller, customer, lines, currency }: InvoiceRow): InvoiceWarning[] {
  const missing = missingForEInvoice({
    seller: { name: seller?.name ?? '', country: seller?.address?.country ?? null, taxId: seller?.tax_id ?? null },
    buyer: { name: customer.name, email: customer.email, country: customer.address?.country ?? null },
    lines: lines.map(lineDocument),
    currency,
  });
  return missing.map(param => ({ code: 'einvoice_unavailable', param, message: messages[param] }));
}
