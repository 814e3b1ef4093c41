import type { InvoiceMail } from '../../../api/invoice/invoice-mail.ts';
import type { MailRow } from '../../platform/mail/mail.store.ts';

/** The mail about the invoice in its wire form. */
export function invoiceMailToWire(row: MailRow, invoiceId: string): InvoiceMail {
  return {
    id: row.id,
    object: 'invoice_mail',
    invoice: invoiceId,
    kind: row.attachments[0]?.kind ?? 'invoice',
    to: row.to_email,
    subject: row.subject,
    status: row.status,
    error: row.status === 'sent' ? null : row.last_error,
    sent_at: row.status === 'sent' ? (row.ended_at?.toISOString() ?? null) : null,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
  };
}
