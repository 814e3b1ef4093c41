import { Type } from 'typebox';
import { CreateInvoice, SendInvoice, UpdateInvoice } from '../../../api/invoice/invoice.ts';
import { InvoiceMail } from '../../../api/invoice/invoice-mail.ts';
import { Invoice, InvoiceStatus, SentInvoice } from '../../../api/invoice/invoice-view.ts';
import { Currency, Day, Deleted, ListOf, ListQuery, rangeParameters, Sum } from '../../../api/schema.ts';
import { drawInvoice } from '../../documents/documents.ts';
import { readPage } from '../../platform/db/page.ts';
import { dispatchSweep } from '../../platform/events/outbox.ts';
import { type Caller, callerOf, scopeOf } from '../../platform/http/access/caller.ts';
import { whenClientLeaves } from '../../platform/http/access/visitor.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import type { Answer, Execution } from '../../platform/http/idempotency/idempotent-execution.ts';
import { listAnswer, parseListQuery, readAmount, readDay, readRange } from '../../platform/http/list.ts';
import { metadataFilters, metadataIn } from '../../platform/http/metadata-filter.ts';
import { mailSweep } from '../../platform/mail/mail.jobs.ts';
import { listMailsAbout } from '../../platform/mail/mail.store.ts';
import { assertEmail } from '../../platform/mail/mail.ts';
import { readInvoice } from '../invoice.store.ts';
import { type InvoiceDeps, type InvoiceRow, invoiceMailToWire, invoiceToWire } from '../invoice.view.ts';
import { customerIn, IdParams, readsInvoices, registerInvoiceList, writesInvoices } from '../invoice-calls.routes.ts';
import { mailSubject } from '../notifications/invoice-notifications.ts';
import { assertPrintable } from '../printable-texts.ts';
import { sellerOf } from './invoice-document.service.ts';
import { changeDraft, createDraft, duplicateInvoice, removeDraft } from './invoice-draft.service.ts';
import { rateToSend, type Sending, sendInvoice } from './invoice-send.service.ts';
import { invoiceWarnings } from './invoice-warnings.ts';
import { issuedInvoice, issuedXmlText, requireIssuedXml, withIssuedXml, XmlQuery } from './issued-xml.service.ts';

const tags = ['Invoices'];

const ListInvoicesQuery = Type.Object(
  {
    ...ListQuery.properties,
    status: Type.Optional(InvoiceStatus),
    reference: Type.Optional(Type.String({ maxLength: 200 })),
    number: Type.Optional(Type.String({ maxLength: 60 })),
    currency: Type.Optional(Currency),
    ...rangeParameters('total', Sum),
    ...rangeParameters('due_date', Day),
    customer: Type.Optional(Type.String({ maxLength: 254, description: 'A customer’s id or e-mail address.' })),
  },
  metadataFilters,
);

/** `/v1/invoices`: drafts, lists, the PDF, sending and mails. */
export function registerInvoiceRoutes(app: HttpApp, deps: InvoiceDeps): void {
  registerReads(app, deps);
  registerDocuments(app, deps);
  registerDrafts(app, deps);
  registerSending(app, deps);
}

function registerReads(app: HttpApp, deps: InvoiceDeps): void {
  app.get(
    '/v1/invoices',
    {
      schema: { querystring: ListInvoicesQuery, response: { 200: ListOf(Invoice) }, tags, summary: 'List invoices' },
      config: readsInvoices,
    },
    async request => {
      const caller = callerOf(request);
      const { query } = request;
      const { customer, status, reference, number, currency } = query;
      const list = { table: 'invoices' as const, ...scopeOf(caller) };
      const customer_id = customerIn(deps, caller, customer);
      const page = await readPage(deps.db, list, parseListQuery(query), {
        equal: { status, reference, number, customer_id, currency: currency?.toUpperCase() },
        ranges: { due_date: readRange(query, 'due_date', readDay), total: readRange(query, 'total', readAmount) },
        metadata: metadataIn(query),
      });
      return listAnswer('/v1/invoices', page, row => invoiceToWire(deps, row, caller.now));
    },
  );
  app.get(
    '/v1/invoices/:id',
    {
      schema: { params: IdParams, response: { 200: SentInvoice }, tags, summary: 'Read an invoice' },
      config: readsInvoices,
    },
    async request => {
      const caller = callerOf(request);
      const row = await readInvoice(deps.db, caller, request.params.id);
      return { ...invoiceToWire(deps, row, caller.now), warnings: invoiceWarnings(row, caller.merchant) };
    },
  );
  registerInvoiceList(app, deps, {
    name: 'mails',
    item: InvoiceMail,
    summary: 'List the mails about an invoice',
    description: 'Mails about the invoice (sending, reminder, receipt, credit note, void), each with its status.',
    read: (invoice, request) => listMailsAbout(deps.db, mailSubject(invoice), request),
    toWire: (mail, _caller, invoice) => invoiceMailToWire(mail, invoice.id),
  });
}

function registerDocuments(app: HttpApp, deps: InvoiceDeps): void {
  app.get(
    '/v1/invoices/:id/pdf',
    {
      schema: {
        params: IdParams,
        tags,
        summary: 'Read an invoice as PDF',
        description:
          'The invoice as it was issued: payments, credits and due dates do not change it. Receipts, reminders and credit ' +
          'notes are documents of their own. A void invoice is marked as cancelled and contains no e-invoice. A draft with ' +
          'a character that no font has is refused, as `send` would.',
      },
      config: readsInvoices,
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const row = await readInvoice(deps.db, caller, request.params.id);
      const { merchant, now } = caller;
      if (row.status === 'draft') assertPrintable(row, sellerOf(merchant));
      const document = await withIssuedXml(deps, await issuedInvoice(deps, row, merchant, now));
      return reply.type('application/pdf').send(await drawInvoice(document, { signal: whenClientLeaves(reply) }));
    },
  );
  app.get(
    '/v1/invoices/:id/xml',
    {
      schema: {
        params: IdParams,
        querystring: XmlQuery,
        tags,
        summary: 'Read an invoice as XML',
        description: `The e-invoice as it was issued. ${issuedXmlText}`,
      },
      config: readsInvoices,
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { merchant, now } = caller;
      const row = await readInvoice(deps.db, caller, request.params.id);
      const issued = await issuedInvoice(deps, row, merchant, now);
      return reply
        .type('application/xml')
        .send(await requireIssuedXml(deps, issued, request.query.format ?? 'en16931'));
    },
  );
}

function registerDrafts(app: HttpApp, deps: InvoiceDeps): void {
  app.post(
    '/v1/invoices',
    {
      schema: { body: CreateInvoice, response: { 201: Invoice }, tags, summary: 'Draft an invoice' },
      config: writesInvoices,
    },
    (request, reply) =>
      deps.once(request, reply, execution => {
        const caller = callerOf(request);
        return execution.commit(async tx => made(deps, caller, await createDraft(tx, deps, caller, request.body)));
      }),
  );
  app.patch(
    '/v1/invoices/:id',
    {
      schema: {
        params: IdParams,
        body: UpdateInvoice,
        response: { 200: Invoice },
        tags,
        summary: 'Change a draft',
        description:
          'Changes only the given fields; lists and objects are replaced as a whole. Sent invoices cannot be changed.',
      },
      config: writesInvoices,
    },
    async request => {
      const caller = callerOf(request);
      const change = deps.db.transaction();
      const row = await change.execute(tx => changeDraft(tx, deps, caller, request.params.id, request.body));
      return invoiceToWire(deps, row, caller.now);
    },
  );
  app.delete(
    '/v1/invoices/:id',
    {
      schema: { params: IdParams, response: { 200: Deleted }, tags, summary: 'Delete a draft' },
      config: writesInvoices,
    },
    async request => {
      const { id } = request.params;
      await deps.db.transaction().execute(tx => removeDraft(tx, callerOf(request), id));
      return { id, object: 'invoice', deleted: true };
    },
  );
}

function made(deps: InvoiceDeps, caller: Caller, row: InvoiceRow) {
  const location = `/v1/invoices/${row.id}`;
  return { status: 201, body: invoiceToWire(deps, row, caller.now), location, resourceId: row.id };
}

async function sendForCall(deps: InvoiceDeps, execution: Execution, sending: Omit<Sending, 'rate'>): Promise<Answer> {
  const { sender, invoiceId, email } = sending;
  if (email !== null) assertEmail(email, 'email');
  const rate = await rateToSend(deps, await readInvoice(deps.db, sender, invoiceId));
  return await execution.commit(async tx => {
    const row = await sendInvoice(tx, deps, { ...sending, rate });
    const warnings = invoiceWarnings(row, sender.merchant);
    return { status: 200, body: { ...invoiceToWire(deps, row, sender.now), warnings } satisfies SentInvoice };
  });
}

function registerSending(app: HttpApp, deps: InvoiceDeps): void {
  app.post(
    '/v1/invoices/:id/send',
    {
      schema: {
        params: IdParams,
        body: Type.Optional(SendInvoice),
        response: { 200: SentInvoice },
        tags,
        summary: 'Send an invoice',
        description:
          'Gives the draft the next number of its prefix, without gaps, and makes its content final. The customer gets a ' +
          'mail if the invoice has an e-mail address. An invoice that was already sent is mailed again. `warnings` names ' +
          'the fields without which the PDF carries no e-invoice.',
      },
      config: writesInvoices,
    },
    async (request, reply) => {
      const sending = { sender: callerOf(request), invoiceId: request.params.id, email: request.body?.email ?? null };
      const sent = await deps.once(request, reply, execution => sendForCall(deps, execution, sending), 'with_write');
      for (const sweep of [mailSweep, dispatchSweep]) deps.wake(sweep);
      return sent;
    },
  );
  app.post(
    '/v1/invoices/:id/duplicate',
    {
      schema: {
        params: IdParams,
        response: { 201: Invoice },
        tags,
        summary: 'Copy an invoice into a new draft',
        description: 'Dates move: they keep their distance from the issue date, with today in its place.',
      },
      config: writesInvoices,
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const caller = callerOf(request);
        const row = await readInvoice(deps.db, caller, request.params.id);
        return await execution.commit(async tx => made(deps, caller, await duplicateInvoice(tx, deps, caller, row)));
      }),
  );
}
