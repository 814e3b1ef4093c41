import { Type } from 'typebox';
import { CreateInvoice, SendInvoice, UpdateInvoice } from '../../../api/invoice/invoice.ts';
import { Invoice, InvoiceStatus } from '../../../api/invoice/invoice-view.ts';
import { Deleted, ListOf, ListQuery } from '../../../api/schema.ts';
import { dispatchSweep } from '../../platform/events/outbox.ts';
import { type Caller, callerOf } from '../../platform/http/access/caller.ts';
import { whenClientLeaves } from '../../platform/http/access/visitor.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { listAnswer, parseListQuery } from '../../platform/http/list.ts';
import { mailSweep } from '../../platform/mail/mail.jobs.ts';
import { type InvoiceRow, invoiceToWire } from '../invoice.view.ts';
import type { InvoiceDeps } from '../invoice-deps.ts';
import { invoicePdf } from './invoice-download.ts';
import { listInvoices } from './invoice-list.store.ts';
import { changeDraft, createDraft, duplicateInvoice, readInvoice, removeDraft } from './invoice-read.service.ts';
import { prepareSend } from './invoice-send.service.ts';

/** The parameter of the routes of one invoice. */
export const InvoiceParams = Type.Object({ id: Type.String({ maxLength: 64 }) });

export const invoiceTags = ['Invoices'];
export const readsInvoices = { access: 'secret', scope: 'invoices:read' } as const;
export const writesInvoices = { access: 'secret', scope: 'invoices:write' } as const;

const ListInvoicesQuery = Type.Object({
  ...ListQuery.properties,
  status: Type.Optional(InvoiceStatus),
  reference: Type.Optional(Type.String({ maxLength: 200 })),
  number: Type.Optional(Type.String({ maxLength: 60 })),
  customer: Type.Optional(Type.String({ maxLength: 254, description: 'A customer’s id or e-mail address.' })),
});

/** `/v1/invoices`: drafts, lists, the PDF, and sending. What follows on sending is in the other routes of this folder. */
export function registerInvoiceRoutes(app: HttpApp, deps: InvoiceDeps): void {
  registerReads(app, deps);
  registerDrafts(app, deps);
  registerSending(app, deps);
}

/** The answer with an invoice. */
export function answerWith(deps: InvoiceDeps, { now }: Pick<Caller, 'now'>, row: InvoiceRow) {
  return { status: 200, body: invoiceToWire(deps, row, now) };
}

function registerReads(app: HttpApp, deps: InvoiceDeps): void {
  const tags = invoiceTags;
  app.get(
    '/v1/invoices',
    {
      schema: { querystring: ListInvoicesQuery, response: { 200: ListOf(Invoice) }, tags, summary: 'List invoices' },
      config: readsInvoices,
    },
    async request => {
      const caller = callerOf(request);
      const { customer, status, reference, number } = request.query;
      const scope = { merchantId: caller.merchant.id, livemode: caller.livemode };
      const customerId = customer?.includes('@')
        ? deps.secrets.customerId(scope.merchantId, scope.livemode, customer)
        : customer;
      const filters = {
        ...(status !== undefined && { status }),
        ...(reference !== undefined && { reference }),
        ...(number !== undefined && { number }),
        ...(customerId !== undefined && { customerId }),
      };
      const page = await listInvoices(deps.db, scope, filters, parseListQuery(request.query));
      return listAnswer('/v1/invoices', page, row => invoiceToWire(deps, row, caller.now));
    },
  );
  app.get(
    '/v1/invoices/:id',
    {
      schema: { params: InvoiceParams, response: { 200: Invoice }, tags, summary: 'Read an invoice' },
      config: readsInvoices,
    },
    async request => {
      const caller = callerOf(request);
      return invoiceToWire(deps, await readInvoice(deps, caller, request.params.id), caller.now);
    },
  );
  app.get(
    '/v1/invoices/:id/pdf',
    {
      schema: { params: InvoiceParams, tags, summary: 'Read an invoice as PDF' },
      config: readsInvoices,
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const row = await readInvoice(deps, caller, request.params.id);
      return reply.type('application/pdf').send(await invoicePdf(deps, row, caller, whenClientLeaves(reply)));
    },
  );
}

function registerDrafts(app: HttpApp, deps: InvoiceDeps): void {
  const tags = invoiceTags;
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
        ...{ params: InvoiceParams, body: UpdateInvoice, response: { 200: Invoice }, tags },
        summary: 'Change a draft',
        description: 'Only what is given changes; lists and objects are replaced whole. What was sent stays as it is.',
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
      schema: { params: InvoiceParams, response: { 200: Deleted }, tags, summary: 'Delete a draft' },
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

function registerSending(app: HttpApp, deps: InvoiceDeps): void {
  const tags = invoiceTags;
  app.post(
    '/v1/invoices/:id/send',
    {
      schema: {
        ...{ params: InvoiceParams, body: Type.Optional(SendInvoice), response: { 200: Invoice }, tags },
        summary: 'Send an invoice',
        description:
          'Numbers the draft (the next of its prefix, without gap), fixes what it says for good, and mails it to its customer, ' +
          'if there is an address. One that was sent already is mailed again.',
      },
      config: writesInvoices,
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const sent = await deps.once(request, reply, async execution => {
        const send = await prepareSend(deps, caller, request.params.id, request.body?.email);
        return await execution.commit(async tx => answerWith(deps, caller, await send(tx)));
      });
      for (const sweep of [mailSweep, dispatchSweep]) deps.wake(sweep);
      return sent;
    },
  );
  app.post(
    '/v1/invoices/:id/duplicate',
    {
      schema: {
        ...{ params: InvoiceParams, response: { 201: Invoice }, tags },
        summary: 'Draft an invoice like this one',
        description: 'Its days are as far from today as those of the other were from the day it was issued.',
      },
      config: writesInvoices,
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const caller = callerOf(request);
        const row = await readInvoice(deps, caller, request.params.id);
        return await execution.commit(async tx => made(deps, caller, await duplicateInvoice(tx, deps, caller, row)));
      }),
  );
}
