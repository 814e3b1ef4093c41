import type { Static } from 'typebox';
import type { CreateInvoice, SendInvoice, UpdateInvoice } from '../invoice/invoice.ts';
import type { InvoiceMail } from '../invoice/invoice-mail.ts';
import type {
  CreateCreditNote,
  CreditNote,
  CreditNotePreview,
  InvoiceTransaction,
  PayInvoice,
  RecordPayment,
} from '../invoice/invoice-money.ts';
import type { Invoice, InvoicePreview, SentInvoice } from '../invoice/invoice-view.ts';
import type { CreateRecurringInvoice, RecurringInvoice, RecurringOccurrence } from '../invoice/recurring.ts';
import type { InvoiceReminder, RemindInvoice } from '../invoice/reminder.ts';
import { type ListParams, listOf, withParams } from '../pages.ts';
import type { Payment } from '../payment.ts';
import type { Deleted } from '../schema.ts';
import { type Options, pathId, verbs } from './calls.ts';
import type { CallOptions, Transport } from './transport.ts';

/** `client.invoices`: drafts, sending, payments and documents. Customers read the PDF at `pdf_url`. */
export function invoices(transport: Transport) {
  const { get, post, patch, remove } = verbs(transport);
  const all = '/v1/invoices';
  const at = (id: string) => `${all}/${pathId(id)}`;
  return {
    /** Creates a draft. It has no number, and no mail is sent. */
    create: (body: CreateInvoice, options?: CallOptions) => post<Invoice>(all, body, options),
    retrieve: (id: string, options?: CallOptions) => get<SentInvoice>(at(id), options),
    list: (params?: ListParams, options?: CallOptions) => listOf<Invoice>(transport, all, params, options),
    /** Changes a draft. A list in the request replaces the old list. */
    update: (id: string, body: UpdateInvoice, options?: CallOptions) => patch<Invoice>(at(id), body, options),
    /** The amounts that a draft would have. Writes nothing. */
    preview: (body: CreateInvoice, options?: Options) => post<InvoicePreview>(`${all}/preview`, body, options),
    /** The amounts that a changed draft would have. Writes nothing. */
    previewUpdate: (id: string, body: UpdateInvoice, options?: Options) =>
      post<InvoicePreview>(`${at(id)}/preview`, body, options),
    /** Deletes a draft. */
    delete: (id: string, options?: CallOptions) => remove<Static<typeof Deleted>>(at(id), options),
    /** Numbers and mails the invoice. After that, it cannot change. */
    send: (id: string, body: SendInvoice = {}, options?: CallOptions) =>
      post<SentInvoice>(`${at(id)}/send`, body, options),
    /** Creates a draft with the same lines. */
    duplicate: (id: string, options?: CallOptions) => post<Invoice>(`${at(id)}/duplicate`, undefined, options),
    /** Starts a payment. Default of `amount`: the next due amount. */
    pay: (id: string, body: PayInvoice = {}, options?: CallOptions) =>
      post<Payment>(`${at(id)}/payments`, body, options),
    payments: (id: string, params?: ListParams, options?: CallOptions) =>
      listOf<Payment>(transport, `${at(id)}/payments`, params, options),
    /** Records money received elsewhere. Default of `amount`: the remaining amount. */
    recordPayment: (id: string, body: RecordPayment = {}, options?: CallOptions) =>
      post<Invoice>(`${at(id)}/record-payment`, body, options),
    transactions: (id: string, params?: ListParams, options?: CallOptions) =>
      listOf<InvoiceTransaction>(transport, `${at(id)}/transactions`, params, options),
    void: (id: string, options?: CallOptions) => post<Invoice>(`${at(id)}/void`, undefined, options),
    markUncollectible: (id: string, options?: CallOptions) =>
      post<Invoice>(`${at(id)}/mark-uncollectible`, undefined, options),
    /** Sends the customer a reminder now. */
    remind: (id: string, body: RemindInvoice = {}, options?: CallOptions) =>
      post<InvoiceReminder>(`${at(id)}/remind`, body, options),
    /** Lists sent and scheduled reminders. */
    reminders: (id: string, params?: ListParams, options?: CallOptions) =>
      listOf<InvoiceReminder>(transport, `${at(id)}/reminders`, params, options),
    /** Lists the invoice's mails and their delivery status. */
    mails: (id: string, params?: ListParams, options?: CallOptions) =>
      listOf<InvoiceMail>(transport, `${at(id)}/mails`, params, options),
    /** Creates a credit note over an amount, lines or tax rates. Default: the uncredited rest of the invoice. */
    createCreditNote: (id: string, body: CreateCreditNote = {}, options?: CallOptions) =>
      post<CreditNote>(`${at(id)}/credit-notes`, body, options),
    /** The effects that a credit note would have. Writes nothing. */
    previewCreditNote: (id: string, body: CreateCreditNote = {}, options?: Options) =>
      post<CreditNotePreview>(`${at(id)}/credit-notes/preview`, body, options),
    creditNotes: (id: string, params?: ListParams, options?: CallOptions) =>
      listOf<CreditNote>(transport, `${at(id)}/credit-notes`, params, options),
    ...documentsOf(transport, at),
  };
}

function documentsOf(transport: Transport, at: (id: string) => string) {
  const file = (path: string, options?: CallOptions) =>
    transport.call<ArrayBuffer>({ method: 'GET', path, isFile: true }, options);
  return {
    /** The PDF, as the invoice was issued. */
    pdf: (id: string, options?: CallOptions) => file(`${at(id)}/pdf`, options),
    /** The XML of the e-invoice, as it was issued. Default of `format`: `en16931`. */
    xml: (id: string, params: { readonly format?: 'en16931' | 'xrechnung' } = {}, options?: CallOptions) =>
      file(withParams(`${at(id)}/xml`, params), options),
  };
}

/** `client.recurringInvoices`: rules that create invoices repeatedly. */
export function recurringInvoices(transport: Transport) {
  const { get, post } = verbs(transport);
  const all = '/v1/recurring-invoices';
  const at = (id: string) => `${all}/${pathId(id)}`;
  const step = (id: string, name: 'pause' | 'resume' | 'end', options?: CallOptions) =>
    post<RecurringInvoice>(`${at(id)}/${name}`, undefined, options);
  return {
    create: (body: CreateRecurringInvoice, options?: CallOptions) => post<RecurringInvoice>(all, body, options),
    retrieve: (id: string, options?: CallOptions) => get<RecurringInvoice>(at(id), options),
    list: (params?: ListParams, options?: CallOptions) => listOf<RecurringInvoice>(transport, all, params, options),
    /** The newest hundred invoices created by the rule, with their days. */
    occurrences: (id: string, options?: Options) =>
      get<{ readonly data: readonly RecurringOccurrence[] }>(`${at(id)}/occurrences`, options),
    pause: (id: string, options?: CallOptions) => step(id, 'pause', options),
    /** Resumes the rule. Days during the pause are skipped. */
    resume: (id: string, options?: CallOptions) => step(id, 'resume', options),
    end: (id: string, options?: CallOptions) => step(id, 'end', options),
  };
}
