import * as requestSchemas from '../../api/invoice/invoice.ts';
import * as mailSchemas from '../../api/invoice/invoice-mail.ts';
import * as moneySchemas from '../../api/invoice/invoice-money.ts';
import * as viewSchemas from '../../api/invoice/invoice-view.ts';
import * as recurringSchemas from '../../api/invoice/recurring.ts';
import * as reminderSchemas from '../../api/invoice/reminder.ts';
import * as taxSchemas from '../../api/invoice/tax-report.ts';
import type { PaymentPurpose } from '../payments/payment-purpose.ts';
import { attentionIn } from '../platform/db/attention.ts';
import { accountants, everybody } from '../platform/http/access/roles.ts';
import type { OutcomeDeps } from '../platform/mail/mail-outcome.ts';
import { defineModule, schemasIn } from '../platform/module.ts';
import { registerInvoiceRoutes } from './billing/invoice.routes.ts';
import { registerInvoiceExport } from './billing/invoice-export.routes.ts';
import { registerInvoicePreviews } from './billing/invoice-preview.routes.ts';
import { registerCreditNotes } from './credit-notes/credit-note.routes.ts';
import { reportFailedMail } from './failed-mail.service.ts';
import { fieldNotes, requestExamples } from './field-notes.ts';
import { invoiceSweeps } from './invoice.jobs.ts';
import { invoiceEvents } from './invoice.view.ts';
import { invoiceErasure } from './invoice-erasure.store.ts';
import { createInvoicePurpose } from './invoice-purpose.ts';
import { invoiceSearch } from './invoice-search.ts';
import { type InvoiceRouteDeps, registerInvoiceMoneyRoutes } from './money/invoice-money.routes.ts';
import { createReceiptRates } from './money/receipt-exchange-rate.service.ts';
import { registerTaxReport } from './money/tax-report.routes.ts';
import { createCreditStarter } from './pages/hosted-invoice.service.ts';
import { registerInvoicePage } from './pages/page-invoice.routes.ts';
import { recurringSweeps } from './recurring/recurring.jobs.ts';
import { registerRecurringRoutes } from './recurring/recurring.routes.ts';
import { findOverdueRecurring } from './recurring/recurring.store.ts';
import { registerReminderRoutes } from './reminders/reminder.routes.ts';
import { createReminderSweep } from './reminders/reminder.service.ts';
import { findOverdueReminders } from './reminders/reminder.store.ts';

/** Invoices with credit notes, instalments, reminders and recurrence. Includes pages, PDFs and mails. */
export const invoices = defineModule<
  InvoiceRouteDeps,
  { purposes: PaymentPurpose; services: { onGivenUp: OutcomeDeps['onGivenUp'] } }
>({
  name: 'invoices',
  provides: { onGivenUp: deps => (tx, mail) => reportFailedMail(tx, deps, mail) },
  pageIds: { i: (token, secrets) => secrets.openObjectToken('invoice', token)?.id ?? null },
  tables: [
    ...['invoices', 'invoice_counters', 'invoice_transactions', 'credit_notes', 'customer_credits', 'invoice_views'],
    ...['invoice_reminders', 'recurring_invoices', 'recurring_occurrences', 'transfer_rates', 'issued_xml'],
  ],
  schemas: schemasIn(
    requestSchemas,
    mailSchemas,
    moneySchemas,
    viewSchemas,
    recurringSchemas,
    reminderSchemas,
    taxSchemas,
  ),
  events: invoiceEvents,
  fieldNotes,
  requestExamples,
  scopes: { invoices: { read: everybody, write: accountants } },
  search: invoiceSearch,
  attention: {
    invoices_overdue: attentionIn('invoices', { status: ['overdue'] }, '/v1/invoices?status=overdue'),
  },
  erasures: () => [invoiceErasure],
  purposes: deps => [createInvoicePurpose(deps, createReceiptRates(deps), createCreditStarter(deps))],
  routes: (app, deps) => {
    registerInvoiceRoutes(app, deps);
    registerInvoiceExport(app, deps);
    registerTaxReport(app, deps);
    registerInvoicePreviews(app, deps);
    registerInvoiceMoneyRoutes(app, deps);
    registerCreditNotes(app, deps);
    registerReminderRoutes(app, deps);
    registerRecurringRoutes(app, deps);
  },
  pages: registerInvoicePage,
  sweeps: deps => [...invoiceSweeps(deps), createReminderSweep(deps), ...recurringSweeps(deps)],
  overdue: { reminder: findOverdueReminders, recurring: findOverdueRecurring },
});
