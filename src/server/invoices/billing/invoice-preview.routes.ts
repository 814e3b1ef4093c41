import type { FastifyReply } from 'fastify';
import { BrandedInvoice, CreateInvoice, UpdateInvoice } from '../../../api/invoice/invoice.ts';
import { InvoicePreview } from '../../../api/invoice/invoice-view.ts';
import { drawInvoice } from '../../documents/documents.ts';
import { withBranding } from '../../merchants/account.ts';
import { type Caller, callerOf } from '../../platform/http/access/caller.ts';
import { whenClientLeaves } from '../../platform/http/access/visitor.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { type InvoiceDeps, type InvoiceRow, invoiceToWire } from '../invoice.view.ts';
import { IdParams, readsInvoices } from '../invoice-calls.routes.ts';
import { assertPrintable } from '../printable-texts.ts';
import { invoiceDocument, sellerOf } from './invoice-document.service.ts';
import { previewChange, previewDraft } from './invoice-draft.service.ts';
import { invoiceWarnings } from './invoice-warnings.ts';

const tags = ['Invoices'];
const config = { ...readsInvoices, ignoresKey: true } as const;

/** Previews of new and changed drafts: their amounts, and their PDF. Requests are checked as at creation. */
export function registerInvoicePreviews(app: HttpApp, deps: InvoiceDeps): void {
  const created = { body: CreateInvoice, tags };
  const changed = { params: IdParams, body: UpdateInvoice, tags };
  const amounts = { response: { 200: InvoicePreview } };
  app.post(
    '/v1/invoices/preview',
    { schema: { ...created, ...amounts, summary: 'Preview an invoice', description: writesNothing }, config },
    async request => {
      const caller = callerOf(request);
      return previewToWire(deps, caller, previewDraft(deps, caller, request.body));
    },
  );
  app.post(
    '/v1/invoices/preview/pdf',
    {
      schema: {
        body: BrandedInvoice,
        tags,
        summary: 'Preview an invoice as PDF',
        description: 'With `branding`, as it would look with this branding. Writes nothing.',
      },
      config,
    },
    async (request, reply) => {
      const { branding, ...body } = request.body;
      const caller = callerOf(request);
      const merchant = branding === undefined ? caller.merchant : withBranding(caller.merchant, branding);
      return await sendDrawn(deps, { ...caller, merchant }, reply, previewDraft(deps, caller, body));
    },
  );
  app.post(
    '/v1/invoices/:id/preview',
    { schema: { ...changed, ...amounts, summary: 'Preview a changed draft', description: writesNothing }, config },
    async request => {
      const caller = callerOf(request);
      return previewToWire(deps, caller, await previewChange(deps, caller, request.params.id, request.body));
    },
  );
  app.post(
    '/v1/invoices/:id/preview/pdf',
    { schema: { ...changed, summary: 'Preview a changed draft as PDF' }, config },
    async (request, reply) => {
      const caller = callerOf(request);
      return await sendDrawn(deps, caller, reply, await previewChange(deps, caller, request.params.id, request.body));
    },
  );
}

const writesNothing =
  'Answers lines, taxes and totals as the draft would have them, and the `warnings` of sending. Writes nothing.';

function previewToWire(deps: InvoiceDeps, { now, merchant }: Caller, row: InvoiceRow): InvoicePreview {
  const { id: _id, ...invoice } = invoiceToWire(deps, row, now);
  return { ...invoice, object: 'invoice_preview', warnings: invoiceWarnings(row, merchant) };
}

async function sendDrawn(deps: InvoiceDeps, { merchant, now }: Caller, reply: FastifyReply, row: InvoiceRow) {
  assertPrintable(row, sellerOf(merchant));
  const drawn = await drawInvoice(invoiceDocument(deps, row, merchant, now), { signal: whenClientLeaves(reply) });
  return reply.type('application/pdf').send(drawn);
}
