import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Invoice } from '../../../api/invoice/invoice-view.ts';
import { InvoiceReminder, RemindInvoice } from '../../../api/invoice/reminder.ts';
import { ListOf, ListQuery } from '../../../api/schema.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Page } from '../../platform/db/page.ts';
import { callerOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import type { Once } from '../../platform/http/idempotency/idempotent-execution.ts';
import { listAnswer, parseListQuery } from '../../platform/http/list.ts';
import { mailSweep } from '../../platform/mail/mail.jobs.ts';
import { findInvoice, invoiceMissing } from '../invoice.store.ts';
import { invoiceToWire } from '../invoice.view.ts';
import type { ReminderDeps } from './reminder.service.ts';
import { allReminders, listReminders, type ReminderRow } from './reminder.store.ts';
import { reminderToWire } from './reminder.ts';
import {
  pauseReminders,
  type ReminderRequest,
  remindNow,
  resumeReminders,
  skipReminder,
} from './reminder-request.service.ts';

/** What the reminder routes are given. */
export interface ReminderRouteDeps extends ReminderDeps {
  readonly once: Once;
}

const IdParams = Type.Object({ id: Type.String({ maxLength: 64 }) });
const tags = ['Invoices'];
const write = { access: 'secret', scope: 'invoices:write' } as const;
const Reminders = ListOf(InvoiceReminder);
const RemindersQuery = Type.Pick(ListQuery, ['limit', 'starting_after', 'ending_before']);

/** `/v1/invoices/:id/remind` and `/v1/invoices/:id/reminders`: what is planned, and the merchant's say in it. */
export function registerReminderRoutes(app: HttpApp, deps: ReminderRouteDeps): void {
  app.get(
    '/v1/invoices/:id/reminders',
    {
      schema: {
        ...{ params: IdParams, querystring: RemindersQuery, response: { 200: Reminders }, tags },
        summary: 'List the reminders of an invoice',
        description: 'Those that were sent and those that will be, the latest hour first.',
      },
      config: { access: 'secret', scope: 'invoices:read' },
    },
    async request => await answerList(deps, request),
  );
  app.post(
    '/v1/invoices/:id/remind',
    {
      schema: {
        ...{ params: IdParams, body: Type.Optional(RemindInvoice), response: { 200: Invoice }, tags },
        summary: 'Remind of an invoice now',
        description:
          'Mails what is left of all that is due, or of what is due next. Planned reminders stay planned. Within five minutes of ' +
          'another reminder of the invoice to the same address nothing is sent: 429 `reminded_already`.',
      },
      config: write,
    },
    async (request, reply) => {
      const asked = requestOf(request);
      const sent = await deps.once(request, reply, execution =>
        execution.commit(async tx => {
          const row = await remindNow(tx, deps, asked, request.body?.email);
          return { status: 200, body: invoiceToWire(deps, row, asked.now) };
        }),
      );
      deps.wake(mailSweep);
      return sent;
    },
  );
  registerSteps(app, deps);
}

/** What a merchant may do with what is planned; answered by all reminders of the invoice. */
const steps: readonly {
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly take: (tx: Tx, request: ReminderRequest) => Promise<unknown>;
}[] = [
  {
    path: 'pause',
    summary: 'Pause reminders',
    description:
      'No planned reminder of the invoice is sent until they are resumed; those whose hour comes are skipped.',
    take: pauseReminders,
  },
  {
    path: 'resume',
    summary: 'Resume reminders',
    description: 'Goes on with what was paused. Reminders whose hour passed meanwhile are skipped.',
    take: resumeReminders,
  },
  {
    path: 'skip',
    summary: 'Skip the next reminder',
    description: 'Leaves out the next planned reminder; those after it stay.',
    take: skipReminder,
  },
];

function registerSteps(app: HttpApp, deps: ReminderRouteDeps): void {
  for (const { path, summary, description, take } of steps) {
    app.post(
      `/v1/invoices/:id/reminders/${path}`,
      { schema: { params: IdParams, response: { 200: Reminders }, tags, summary, description }, config: write },
      (request, reply) =>
        deps.once(request, reply, execution =>
          execution.commit(async tx => {
            const asked = requestOf(request);
            await take(tx, asked);
            const rows = await allReminders(tx, { merchantId: asked.merchant.id, invoiceId: asked.invoiceId });
            return { status: 200, body: listOf(asked.invoiceId, { rows, hasMore: false }) };
          }),
        ),
    );
  }
}

function requestOf(request: FastifyRequest<{ Params: { id: string } }>): ReminderRequest {
  const { merchant, livemode, now } = callerOf(request);
  return { merchant, livemode, now, invoiceId: request.params.id };
}

async function answerList({ db }: ReminderRouteDeps, request: FastifyRequest<{ Params: { id: string } }>) {
  const { merchant, invoiceId, livemode } = requestOf(request);
  const key = { merchantId: merchant.id, invoiceId };
  const invoice = await findInvoice(db, key);
  if (invoice?.livemode !== livemode) throw invoiceMissing(invoiceId);
  return listOf(invoiceId, await listReminders(db, { ...key, livemode }, parseListQuery(request.query)));
}

function listOf(invoiceId: string, page: Page<ReminderRow>) {
  return listAnswer(`/v1/invoices/${invoiceId}/reminders`, page, reminderToWire);
}
