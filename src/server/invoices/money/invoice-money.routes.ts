import { Type } from 'typebox';
import {
  CreateCreditNote,
  CreditNote,
  CustomerCredit,
  InvoiceTransaction,
  PayInvoice,
  RecordPayment,
} from '../../../api/invoice/invoice-money.ts';
import { Payment } from '../../../api/payment.ts';
import { ListOf, ListQuery } from '../../../api/schema.ts';
import { PayError } from '../../../core/error.ts';
import { drawInvoice } from '../../documents/documents.ts';
import type { AnswerCreation } from '../../payments/checkout/payment-create.routes.ts';
import { listPayments } from '../../payments/payment.store.ts';
import { viewFor } from '../../payments/payment.view.ts';
import { readPage } from '../../platform/db/page.ts';
import { type Caller, callerOf, scopeOf } from '../../platform/http/access/caller.ts';
import { whenClientLeaves } from '../../platform/http/access/visitor.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { listAnswer, parseListQuery } from '../../platform/http/list.ts';
import { mailSweep } from '../../platform/mail/mail.jobs.ts';
import {
  customerIn,
  IdParams,
  listOfInvoice,
  readsInvoices,
  registerInvoiceList,
  registerInvoiceStep,
  writesInvoices,
} from '../billing/invoice.routes.ts';
import { creditNoteDocument, invoiceDocument } from '../billing/invoice-document.service.ts';
import { readInvoice } from '../invoice.store.ts';
import { invoiceOwner } from '../invoice.ts';
import { type CreditNoteRow, creditNoteToWire, type InvoiceDeps, transactionToWire } from '../invoice.view.ts';
import { createCreditNote } from './credit-note.service.ts';
import { earlierAmounts, findCreditNote } from './credit-note.store.ts';
import { listCredits } from './customer-credit.store.ts';
import { draftInvoicePayment, markUncollectible, prepareVoid, recordPayment } from './invoice-request.service.ts';

export interface InvoiceRouteDeps extends InvoiceDeps {
  readonly answerCreation: AnswerCreation;
}

const tags = ['Invoices'];

/** Payments of invoices, recorded payments, voiding, credit notes and customer credit. */
export function registerInvoiceMoneyRoutes(app: HttpApp, deps: InvoiceRouteDeps): void {
  registerPayments(app, deps);
  registerSteps(app, deps);
  registerCreditNotes(app, deps);
  registerCredits(app, deps);
}

function registerPayments(app: HttpApp, deps: InvoiceRouteDeps): void {
  app.post(
    '/v1/invoices/:id/payments',
    {
      schema: {
        ...{ params: IdParams, body: Type.Optional(PayInvoice), response: { 201: Payment }, tags },
        summary: 'Start a payment of an invoice',
        description:
          'Pays all or a part of the remaining amount; without `amount`, the amount due next. The answer is an ordinary ' +
          'payment with `invoice` set. Two payments at once may exceed the remaining amount: the excess becomes the ' +
          'customer’s credit.',
      },
      config: writesInvoices,
    },
    (request, reply) =>
      deps.answerCreation(request, reply, async () => {
        const caller = callerOf(request);
        const invoice = await readInvoice(deps.db, caller, request.params.id);
        return await draftInvoicePayment(deps, caller, invoice, request.body ?? {});
      }),
  );
  registerInvoiceList(app, deps, {
    ...{ name: 'payments', item: Payment, summary: 'List the payments of an invoice' },
    read: ({ merchant_id: merchantId, livemode, id }, request) =>
      listPayments(deps.db, { merchantId, livemode }, { owners: [invoiceOwner(id)] }, request),
    toWire: (row, caller) => viewFor(deps, caller, row),
  });
  registerInvoiceList(app, deps, {
    ...{ name: 'transactions', item: InvoiceTransaction, summary: 'List the transactions of an invoice' },
    read: (invoice, request) =>
      readPage(deps.db, { table: 'invoice_transactions', ...listOfInvoice(invoice) }, request),
    toWire: transactionToWire,
  });
}

function registerSteps(app: HttpApp, deps: InvoiceDeps): void {
  registerInvoiceStep(app, deps, {
    ...{ name: 'record-payment', body: RecordPayment, summary: 'Record a payment made elsewhere', wakes: [mailSweep] },
    description: 'Without `amount`: the remaining amount. An excess becomes the customer’s credit.',
    prepare: async (caller, id, body) => tx => recordPayment(tx, deps, caller, id, body ?? {}),
  });
  registerInvoiceStep(app, deps, {
    ...{ name: 'void', summary: 'Void an invoice', hasEffects: true },
    description: 'The number is never used again. Refused while a payment is on its way, and after a partial payment.',
    prepare: (caller, id) => prepareVoid(deps, caller, id),
  });
  registerInvoiceStep(app, deps, {
    ...{ name: 'mark-uncollectible', summary: 'Mark an invoice as uncollectible' },
    prepare: async (caller, id) => tx => markUncollectible(tx, deps, caller, id),
  });
}

function registerCreditNotes(app: HttpApp, deps: InvoiceDeps): void {
  app.post(
    '/v1/invoices/:id/credit-notes',
    {
      schema: {
        ...{ params: IdParams, body: Type.Optional(CreateCreditNote), response: { 201: CreditNote }, tags },
        summary: 'Credit an invoice',
        description:
          'Lowers the remaining amount first. Credit for a part that was already paid becomes the customer’s credit.',
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
  registerInvoiceList(app, deps, {
    ...{ name: 'credit-notes', item: CreditNote, summary: 'List the credit notes of an invoice' },
    read: (invoice, request) => readPage(deps.db, { table: 'credit_notes', ...listOfInvoice(invoice) }, request),
    toWire: row => creditNoteToWire(deps, row),
  });
  app.get(
    '/v1/credit-notes/:id',
    {
      schema: { params: IdParams, response: { 200: CreditNote }, tags, summary: 'Read a credit note' },
      config: readsInvoices,
    },
    async request => creditNoteToWire(deps, await readNote(deps, callerOf(request), request.params.id)),
  );
  app.get(
    '/v1/credit-notes/:id/pdf',
    { schema: { params: IdParams, tags, summary: 'Read a credit note as PDF' }, config: readsInvoices },
    async (request, reply) => {
      const caller = callerOf(request);
      const note = await readNote(deps, caller, request.params.id);
      const invoice = await readInvoice(deps.db, caller, note.invoice_id);
      const earlier = await earlierAmounts(deps.db, invoice, note.number);
      const whole = invoiceDocument(deps, invoice, caller.merchant, caller.now);
      const document = creditNoteDocument(whole, note, invoice, earlier);
      return reply.type('application/pdf').send(await drawInvoice(document, { signal: whenClientLeaves(reply) }));
    },
  );
}

async function readNote({ db }: InvoiceDeps, { merchant, livemode }: Caller, id: string): Promise<CreditNoteRow> {
  const note = await findCreditNote(db, merchant.id, id);
  if (note?.livemode === livemode) return note;
  throw new PayError('resource_missing', `No credit note ${id.slice(0, 64)} exists.`, { param: 'id' });
}

const CreditQuery = Type.Object({
  ...Type.Pick(ListQuery, ['limit', 'starting_after', 'ending_before']).properties,
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
        summary: 'List the unused credit of customers',
        description: 'Sorted by holder and currency. The holder is a customer, or an invoice without a known customer.',
      },
      config: readsInvoices,
    },
    async request => {
      const caller = callerOf(request);
      const holder = customerIn(deps, caller, request.query.customer);
      const scope = { ...scopeOf(caller), holder };
      const page = await listCredits(deps.db, scope, parseListQuery(request.query));
      return listAnswer('/v1/customer-credits', page, ({ id, amount, ...credit }) => ({
        ...{ id, object: 'customer_credit', ...credit, amount: Number(amount) },
      }));
    },
  );
}
