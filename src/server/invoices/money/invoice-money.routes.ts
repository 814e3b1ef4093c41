import { Type } from 'typebox';
import { CustomerCredit, InvoiceTransaction, PayInvoice, RecordPayment } from '../../../api/invoice/invoice-money.ts';
import { Payment } from '../../../api/payment.ts';
import { ListOf, ListQuery } from '../../../api/schema.ts';
import type { AnswerCreation } from '../../payments/checkout/payment-create.routes.ts';
import { listPayments } from '../../payments/payment.store.ts';
import { viewFor } from '../../payments/payment.view.ts';
import { readPage } from '../../platform/db/page.ts';
import { callerOf, scopeOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { listAnswer, parseListQuery } from '../../platform/http/list.ts';
import { mailSweep } from '../../platform/mail/mail.jobs.ts';
import { readInvoice } from '../invoice.store.ts';
import { invoiceOwner } from '../invoice.ts';
import { type InvoiceDeps, transactionToWire } from '../invoice.view.ts';
import {
  customerIn,
  IdParams,
  listOfInvoice,
  readsInvoices,
  registerInvoiceList,
  registerInvoiceStep,
  writesInvoices,
} from '../invoice-calls.routes.ts';
import { listCredits } from './customer-credit.store.ts';
import { draftInvoicePayment, markUncollectible, prepareVoid, recordPayment } from './invoice-request.service.ts';

export interface InvoiceRouteDeps extends InvoiceDeps {
  readonly answerCreation: AnswerCreation;
}

const tags = ['Invoices'];

/** Payments of invoices, recorded payments, voiding and customer credit. */
export function registerInvoiceMoneyRoutes(app: HttpApp, deps: InvoiceRouteDeps): void {
  registerPayments(app, deps);
  registerSteps(app, deps);
  registerCredits(app, deps);
}

function registerPayments(app: HttpApp, deps: InvoiceRouteDeps): void {
  app.post(
    '/v1/invoices/:id/payments',
    {
      schema: {
        params: IdParams,
        body: Type.Optional(PayInvoice),
        response: { 201: Payment },
        tags,
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
    name: 'payments',
    item: Payment,
    summary: 'List the payments of an invoice',
    read: ({ merchant_id: merchantId, livemode, id }, request) =>
      listPayments(deps.db, { merchantId, livemode }, { owners: [invoiceOwner(id)] }, request),
    toWire: (row, caller) => viewFor(deps, caller, row),
  });
  registerInvoiceList(app, deps, {
    name: 'transactions',
    item: InvoiceTransaction,
    summary: 'List the transactions of an invoice',
    read: (invoice, request) =>
      readPage(deps.db, { table: 'invoice_transactions', ...listOfInvoice(invoice) }, request),
    toWire: transactionToWire,
  });
}

function registerSteps(app: HttpApp, deps: InvoiceDeps): void {
  registerInvoiceStep(app, deps, {
    name: 'record-payment',
    body: RecordPayment,
    summary: 'Record a payment made elsewhere',
    wakes: [mailSweep],
    description: 'Without `amount`: the remaining amount. An excess becomes the customer’s credit.',
    prepare: async (caller, id, body) => tx => recordPayment(tx, deps, caller, id, body ?? {}),
  });
  registerInvoiceStep(app, deps, {
    name: 'void',
    summary: 'Void an invoice',
    hasEffects: true,
    description: 'The number is never used again. Refused while a payment is on its way, and after a partial payment.',
    prepare: (caller, id) => prepareVoid(deps, caller, id),
  });
  registerInvoiceStep(app, deps, {
    name: 'mark-uncollectible',
    summary: 'Mark an invoice as uncollectible',
    prepare: async (caller, id) => tx => markUncollectible(tx, deps, caller, id),
  });
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
        querystring: CreditQuery,
        response: { 200: ListOf(CustomerCredit) },
        tags,
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
        id,
        object: 'customer_credit',
        ...credit,
        amount: Number(amount),
      }));
    },
  );
}
