import { Type } from 'typebox';
import { InvoiceMail } from '../../../api/invoice/invoice-mail.ts';
import { ListOf, ListQuery } from '../../../api/schema.ts';
import type { Db } from '../../platform/db/database.ts';
import { callerOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { listAnswer, parseListQuery } from '../../platform/http/list.ts';
import type { MailRow } from '../../platform/mail/mail.store.ts';
import { findInvoice, invoiceMissing } from '../invoice.store.ts';
import { listInvoiceMails } from './invoice-mail.store.ts';

const IdParams = Type.Object({ id: Type.String({ maxLength: 64 }) });

/** `/v1/invoices/:id/mails`: what became of the mails about an invoice. */
export function registerInvoiceMailRoutes(app: HttpApp, { db }: { readonly db: Db }): void {
  app.get(
    '/v1/invoices/:id/mails',
    {
      schema: {
        ...{ params: IdParams, querystring: ListQuery, response: { 200: ListOf(InvoiceMail) }, tags: ['Invoices'] },
        summary: 'List the mails about an invoice',
        description:
          'Those that sent it, reminders, receipts, those that brought credit notes and told that it is void, and whether each left.',
      },
      config: { access: 'secret', scope: 'invoices:read' },
    },
    async request => {
      const { merchant, livemode } = callerOf(request);
      const invoiceId = request.params.id;
      const row = await findInvoice(db, { merchantId: merchant.id, invoiceId });
      if (row?.livemode !== livemode) throw invoiceMissing(invoiceId);
      const page = await listInvoiceMails(db, row, parseListQuery(request.query));
      return listAnswer(`/v1/invoices/${row.id}/mails`, page, mail => invoiceMailToWire(mail, row.id));
    },
  );
}

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
