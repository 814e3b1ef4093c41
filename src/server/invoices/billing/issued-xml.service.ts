import { Type } from 'typebox';
import { OneOf } from '../../../api/schema.ts';
import { PayError } from '../../../core/error.ts';
import type { InvoiceDocument } from '../../../core/invoice/invoice-document.ts';
import { eInvoiceXml, missingForEInvoice, type XmlFormat } from '../../documents/documents.ts';
import type { Merchant } from '../../platform/merchant.ts';
import type { InvoiceDeps, InvoiceRow, InvoiceViewContext } from '../invoice.view.ts';
import { invoiceDocument } from './invoice-document.service.ts';
import { eInvoiceMessages } from './invoice-warnings.ts';
import { findIssuedXml, keepIssuedXml, prepaidOf } from './issued-xml.store.ts';

/** The query parameters of a call for an issued XML. */
export const XmlQuery = Type.Object({
  format: Type.Optional(
    OneOf(['en16931', 'xrechnung'], {
      description: '`en16931` (default): as the PDF embeds it. `xrechnung`: XRechnung 3.0 in the syntax UN/CEFACT CII.',
    }),
  ),
});

/** The description of the calls that return an issued XML. */
export const issuedXmlText =
  'It never changes, whatever is paid, credited or voided later. 409 `einvoice_unavailable` names the missing fields.';

type Deps = Pick<InvoiceDeps, 'db'>;

/** An invoice or credit note as it was issued, its invoice's row, and the merchant's clock. */
export interface Issued {
  readonly row: InvoiceRow;
  readonly document: InvoiceDocument;
  readonly now: Date;
}

/**
 * The invoice as it was issued: payments, credits and due dates that follow do not change it. Credit that paid a part
 * at sending counts as paid (BT-113). Only a void invoice differs: it is marked as void. A draft is as it is now.
 */
export async function issuedInvoice(
  context: InvoiceViewContext & Deps,
  row: InvoiceRow,
  merchant: Merchant,
  now: Date,
): Promise<Issued> {
  const issued = row.sent_at === null ? row : await rowAsIssued(context.db, row);
  return { row, document: invoiceDocument(context, issued, merchant, row.sent_at ?? now), now };
}

async function rowAsIssued(db: Deps['db'], row: InvoiceRow): Promise<InvoiceRow> {
  const prepaid = await prepaidOf(db, row);
  const status = row.status === 'void' ? 'void' : prepaid === row.total ? 'paid' : 'sent';
  return { ...row, status, amount_paid: prepaid, amount_credited: 0n };
}

/**
 * The XML of an issued invoice or credit note. It is written when it is first read and kept, so that later releases of
 * this service do not change it. Null without the data that it needs, and for a draft.
 */
export async function issuedXml(
  { db }: Deps,
  { row, document, now }: Issued,
  format: XmlFormat = 'en16931',
): Promise<string | null> {
  if (document.number === null || document.issueDate === null) return null;
  const key = { merchantId: row.merchant_id, documentId: document.id, format };
  const kept = await findIssuedXml(db, key);
  if (kept !== null) return kept;
  if (missingForEInvoice(document, format).length > 0) return null;
  return await keepIssuedXml(db, key, eInvoiceXml(document, format), now);
}

/** The document, with the XML that its PDF contains. A void invoice contains none, so that no program books it. */
export async function withIssuedXml(deps: Deps, issued: Issued): Promise<InvoiceDocument> {
  const { document } = issued;
  return { ...document, xml: document.status === 'void' ? null : await issuedXml(deps, issued) };
}

/** Returns the XML. Throws `einvoice_unavailable` with the missing fields, or `illegal_state` for a draft. */
export async function requireIssuedXml(deps: Deps, issued: Issued, format: XmlFormat): Promise<string> {
  const { document } = issued;
  if (document.number === null) throw new PayError('illegal_state', 'A draft has no XML. Send the invoice first.');
  const xml = await issuedXml(deps, issued, format);
  if (xml !== null) return xml;
  const errors = missingForEInvoice(document, format).map(param => ({
    param,
    message: eInvoiceMessages[param],
    code: 'einvoice_unavailable' as const,
  }));
  const fields = errors.map(({ param }) => param);
  const message = `The document was issued without the data that its XML needs: ${fields.join(', ')}.`;
  throw new PayError('einvoice_unavailable', message, { errors, ...(fields[0] !== undefined && { param: fields[0] }) });
}
