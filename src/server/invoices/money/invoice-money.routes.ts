import { Type } from 'typebox';
import { InvoiceTransaction, PayInvoice, RecordPayment } from '../../../api/invoice/invoice-money.ts';
import { Invoice } from '../../../api/invoice/invoice-view.ts';
import { Payment } from '../../../api/payment.ts';
import { ListOf, ListQuery } from '../../../api/schema.ts';
import { listPayments } from '../../payments/payment.store.ts';
import { viewFor } from '../../payments/payment.view.ts';
import { callerOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { listAnswer, parseListQuery } from '../../platform/http/list.ts';
import { mailSweep } from '../../platform/mail/mail.jobs.ts';
import { answerWith, InvoiceParams, invoiceTags, readsInvoices, writesInvoices } from '../billing/invoice.routes.ts';
import { listTransactions } from '../billing/invoice-list.store.ts';
import { readInvoice } from '../billing/invoice-read.service.ts';
import { invoiceOwner } from '../invoice.ts';
import { transactionToWire } from '../invoice.view.ts';
import type { InvoiceDeps, InvoiceRouteDeps } from '../invoice-deps.ts';
import { draftInvoicePayment } from '../pages/invoice-pay.service.ts';
import { markUncollectible, prepareVoid, recordPayment } from './invoice-end.service.ts';

/** What becomes of an invoice once it was sent: payments, money recorded, and its ends without money. */
export function registerInvoiceMoneyRoutes(app: HttpApp, deps: InvoiceRouteDeps): void {
  registerPayments(app, deps);
  registerRecording(app, deps);
  registerEnds(app, deps);
}

const tags = invoiceTags;

function registerPayments(app: HttpApp, deps: InvoiceRouteDeps): void {
  app.post(
    '/v1/invoices/:id/payments',
    {
      schema: {
        ...{ params: InvoiceParams, body: Type.Optional(PayInvoice), response: { 201: Payment }, tags },
        summary: 'Start a payment of an invoice',
        description:
          'For all or a part of what is left; without `amount` for what is due next. It is a payment like any other, with ' +
          '`invoice` set. Payments at the same time may bring more than is left: the excess is the customer’s credit.',
      },
      config: writesInvoices,
    },
    (request, reply) =>
      deps.answerCreation(request, reply, async () => {
        const caller = callerOf(request);
        const invoice = await readInvoice(deps, caller, request.params.id);
        return await draftInvoicePayment(deps, caller, invoice, request.body ?? {});
      }),
  );
  app.get(
    '/v1/invoices/:id/payments',
    {
      schema: {
        ...{ params: InvoiceParams, querystring: ListQuery, response: { 200: ListOf(Payment) }, tags },
        summary: 'List the payments of an invoice',
      },
      config: readsInvoices,
    },
    async request => {
      const caller = callerOf(request);
      const invoice = await readInvoice(deps, caller, request.params.id);
      const scope = { merchantId: invoice.merchant_id, livemode: invoice.livemode };
      const owner = invoiceOwner(invoice.id);
      const page = await listPayments(deps.db, scope, { owner }, parseListQuery(request.query));
      return listAnswer(`/v1/invoices/${invoice.id}/payments`, page, row => viewFor(deps, caller, row));
    },
  );
}

function registerRecording(app: HttpApp, deps: InvoiceDeps): void {
  app.post(
    '/v1/invoices/:id/record-payment',
    {
      schema: {
        ...{ params: InvoiceParams, body: Type.Optional(RecordPayment), response: { 200: Invoice }, tags },
        summary: 'Record a payment made elsewhere',
        description: 'Without `amount`: all that is left. What is more than that becomes the customer’s credit.',
      },
      config: writesInvoices,
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { id } = request.params;
      const sent = await deps.once(request, reply, execution =>
        execution.commit(async tx =>
          answerWith(deps, caller, await recordPayment(tx, deps, caller, id, request.body ?? {})),
        ),
      );
      deps.wake(mailSweep);
      return sent;
    },
  );
  app.get(
    '/v1/invoices/:id/transactions',
    {
      schema: {
        ...{ params: InvoiceParams, querystring: ListQuery, response: { 200: ListOf(InvoiceTransaction) }, tags },
        summary: 'List what changed what is owed',
      },
      config: readsInvoices,
    },
    async request => {
      const caller = callerOf(request);
      const { id } = await readInvoice(deps, caller, request.params.id);
      const scope = { merchantId: caller.merchant.id, livemode: caller.livemode, invoiceId: id };
      const page = await listTransactions(deps.db, scope, parseListQuery(request.query));
      return listAnswer(`/v1/invoices/${id}/transactions`, page, transactionToWire);
    },
  );
}

function registerEnds(app: HttpApp, deps: InvoiceDeps): void {
  app.post(
    '/v1/invoices/:id/void',
    {
      schema: {
        ...{ params: InvoiceParams, response: { 200: Invoice }, tags },
        summary: 'Void an invoice',
        description: 'Its number stays taken. Refused while money for it is on its way, or once a part was paid.',
      },
      config: writesInvoices,
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const caller = callerOf(request);
        const end = await prepareVoid(deps, caller, request.params.id);
        return await execution.commit(async tx => answerWith(deps, caller, await end(tx)));
      }),
  );
  app.post(
    '/v1/invoices/:id/mark-uncollectible',
    {
      schema: { params: InvoiceParams, response: { 200: Invoice }, tags, summary: 'Give an invoice up' },
      config: writesInvoices,
    },
    (request, reply) =>
      deps.once(request, reply, execution => {
        const caller = callerOf(request);
        const { id } = request.params;
        return execution.commit(async tx => answerWith(deps, caller, await markUncollectible(tx, deps, caller, id)));
      }),
  );
}
