import { Type } from 'typebox';
import { InvoiceReminder, RemindInvoice } from '../../../api/invoice/reminder.ts';
import { ListOf, ListQuery } from '../../../api/schema.ts';
import { readPage } from '../../platform/db/page.ts';
import { callerOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { listAnswer } from '../../platform/http/list.ts';
import { mailSweep } from '../../platform/mail/mail.jobs.ts';
import type { InvoiceDeps } from '../invoice.view.ts';
import {
  IdParams,
  listOfInvoice,
  registerInvoiceList,
  registerInvoiceStep,
  writesInvoices,
} from '../invoice-calls.routes.ts';
import { type ReminderStep, remindNow, stepPlan } from './reminder.service.ts';
import { allReminders } from './reminder.store.ts';
import { reminderToWire } from './reminder.ts';

/** `/v1/invoices/:id/remind` and `/v1/invoices/:id/reminders`. */
export function registerReminderRoutes(app: HttpApp, deps: InvoiceDeps): void {
  registerInvoiceList(app, deps, {
    name: 'reminders',
    item: InvoiceReminder,
    summary: 'List the reminders of an invoice',
    description: 'Sent and planned reminders, the latest first.',
    query: Type.Pick(ListQuery, ['limit', 'starting_after', 'ending_before']),
    read: (invoice, request) =>
      readPage(deps.db, { table: 'invoice_reminders', moment: 'remind_at', ...listOfInvoice(invoice) }, request),
    toWire: (row, _caller, invoice) => reminderToWire(row, invoice),
  });
  registerInvoiceStep(app, deps, {
    name: 'remind',
    body: RemindInvoice,
    summary: 'Send a reminder of an invoice now',
    wakes: [mailSweep],
    description:
      'The mail states the remaining amount of all due parts; if none is due, of the next part. Planned reminders stay ' +
      'planned. Within five minutes after another reminder of the invoice to the same address, nothing is sent: 429 ' +
      '`reminded_already`.',
    prepare: async (caller, id, body) => tx => remindNow(tx, deps, caller, id, body?.email),
  });
  for (const step of planSteps) registerPlanStep(app, deps, step);
}

interface PlanStep {
  readonly name: ReminderStep;
  readonly summary: string;
  readonly description: string;
}

const planSteps: readonly PlanStep[] = [
  {
    name: 'pause',
    summary: 'Pause reminders',
    description:
      'Planned reminders of the invoice are not sent until they are resumed. Those that become due are skipped.',
  },
  {
    name: 'resume',
    summary: 'Resume reminders',
    description: 'Continues the paused reminders. Reminders that became due during the pause are skipped.',
  },
  {
    name: 'skip',
    summary: 'Skip the next reminder',
    description: 'Skips the next planned reminder; later ones stay planned.',
  },
];

/** A step of an invoice's planned reminders. The response lists all reminders of the invoice. */
function registerPlanStep(app: HttpApp, deps: InvoiceDeps, { name, ...words }: PlanStep): void {
  const response = { 200: ListOf(InvoiceReminder) };
  app.post(
    `/v1/invoices/:id/reminders/${name}`,
    { schema: { params: IdParams, response, tags: ['Invoices'], ...words }, config: writesInvoices },
    (request, reply) =>
      deps.once(request, reply, execution =>
        execution.commit(async tx => {
          const caller = callerOf(request);
          const { id } = request.params;
          const invoice = await stepPlan(tx, caller, id, name);
          const rows = await allReminders(tx, { merchant_id: caller.merchant.id, id });
          const url = `/v1/invoices/${id}/reminders`;
          return { status: 200, body: listAnswer(url, { rows, hasMore: false }, row => reminderToWire(row, invoice)) };
        }),
      ),
  );
}
