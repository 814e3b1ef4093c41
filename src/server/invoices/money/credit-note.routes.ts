import { Type } from 'typebox';
import { CreateCreditNote, CreditNote, CustomerCredit } from '../../../api/invoice/invoice-money.ts';
import { ListOf, ListQuery } from '../../../api/schema.ts';
import { PayError } from '../../../core/error.ts';
import { type Caller, callerOf } from '../../platform/http/access/caller.ts';
import { whenClientLeaves } from '../../platform/http/access/visitor.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { listAnswer, parseListQuery } from '../../platform/http/list.ts';
import { InvoiceParams, readsInvoices, writesInvoices } from '../billing/invoice.routes.ts';
import { creditNotePdf } from '../billing/invoice-download.ts';
import { listCreditNotes } from '../billing/invoice-list.store.ts';
import { readInvoice } from '../billing/invoice-read.service.ts';
import { type CreditNoteRow, creditNoteToWire } from '../invoice.view.ts';
import type { InvoiceDeps } from '../invoice-deps.ts';
import { createCreditNote } from './credit-note.service.ts';
import { findCreditNote } from './credit-note.store.ts';
import { listCredits } from './customer-credit.store.ts';

const tags = ['Invoices'];

/** Credit notes upon invoices, and what is open in customers' favour. */
export function registerCreditNoteRoutes(app: HttpApp, deps: InvoiceDeps): void {
  registerCreditNotes(app, deps);
  registerNoteReads(app, deps);
  registerCredits(app, deps);
}

function registerCreditNotes(app: HttpApp, deps: InvoiceDeps): void {
  app.post(
    '/v1/invoices/:id/credit-notes',
    {
      schema: {
        ...{ params: InvoiceParams, body: Type.Optional(CreateCreditNote), response: { 201: CreditNote }, tags },
        summary: 'Credit an invoice',
        description: 'Lowers what is owed; what had been paid already becomes the customer’s credit.',
      },
      config: writesInvoices,
    },
    (request, reply) =>
      deps.once(request, reply, execution => {
        const caller = callerOf(request);
        return execution.commit(async tx => {
          const note = await createCreditNote(tx, deps, caller, request.params.id, request.body ?? {});
          const location = `/v1/credit-notes/${note.id}`;
          return { status: 201, body: creditNoteToWire(deps, note), location, resourceId: note.id };
        });
      }),
  );
  app.get(
    '/v1/invoices/:id/credit-notes',
    {
      schema: {
        ...{ params: InvoiceParams, querystring: ListQuery, response: { 200: ListOf(CreditNote) }, tags },
        summary: 'List the credit notes upon an invoice',
      },
      config: readsInvoices,
    },
    async request => {
      const caller = callerOf(request);
      const { id } = await readInvoice(deps, caller, request.params.id);
      const scope = { merchantId: caller.merchant.id, livemode: caller.livemode, invoiceId: id };
      const page = await listCreditNotes(deps.db, scope, parseListQuery(request.query));
      return listAnswer(`/v1/invoices/${id}/credit-notes`, page, row => creditNoteToWire(deps, row));
    },
  );
}

function registerNoteReads(app: HttpApp, deps: InvoiceDeps): void {
  app.get(
    '/v1/credit-notes/:id',
    {
      schema: { params: InvoiceParams, response: { 200: CreditNote }, tags, summary: 'Read a credit note' },
      config: readsInvoices,
    },
    async request => creditNoteToWire(deps, await readNote(deps, callerOf(request), request.params.id)),
  );
  app.get(
    '/v1/credit-notes/:id/pdf',
    {
      schema: { params: InvoiceParams, tags, summary: 'Read a credit note as PDF' },
      config: readsInvoices,
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const note = await readNote(deps, caller, request.params.id);
      const invoice = await readInvoice(deps, caller, note.invoice_id);
      const bytes = await creditNotePdf(deps, note, invoice, caller, whenClientLeaves(reply));
      return reply.type('application/pdf').send(bytes);
    },
  );
}

async function readNote({ db }: InvoiceDeps, { merchant, livemode }: Caller, id: string): Promise<CreditNoteRow> {
  const note = await findCreditNote(db, merchant.id, id);
  if (note?.livemode === livemode) return note;
  throw new PayError('resource_missing', `No credit note ${id.slice(0, 64)} exists.`, { param: 'id' });
}

const CreditQuery = Type.Object({
  ...Type.Omit(ListQuery, ['created_at[gte]', 'created_at[lt]']).properties,
  customer: Type.Optional(
    Type.String({ maxLength: 254, description: 'A customer’s id or e-mail address, or an invoice’s id.' }),
  ),
});

function registerCredits(app: HttpApp, deps: InvoiceDeps): void {
  app.get(
    '/v1/customer-credits',
    {
      schema: {
        ...{ querystring: CreditQuery, response: { 200: ListOf(CustomerCredit) }, tags },
        summary: 'List what is open in customers’ favour',
        description: 'By customer, those of invoices without a known customer after them, and by currency.',
      },
      config: readsInvoices,
    },
    async request => {
      const { merchant, livemode } = callerOf(request);
      const { customer } = request.query;
      const isAddress = customer?.includes('@') === true;
      const holder = isAddress ? deps.secrets.customerId(merchant.id, livemode, customer) : customer;
      const scope = { merchantId: merchant.id, livemode, ...(holder !== undefined && { holder }) };
      const page = await listCredits(deps.db, scope, parseListQuery(request.query));
      return listAnswer('/v1/customer-credits', page, ({ id, amount, ...credit }) => ({
        ...{ id, object: 'customer_credit', ...credit, amount: Number(amount) },
      }));
    },
  );
}
