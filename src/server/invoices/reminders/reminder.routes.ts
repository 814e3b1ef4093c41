import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Invoice } from '../../../api/invoice-view.ts';
import { InvoiceReminder, RemindInvoice } from '../../../api/reminder.ts';
import { ListOf } from '../../../api/schema.ts';
import type { Tx } from '../../db/database.ts';
import { callerOf } from '../../http/caller.ts';
import type { Once } from '../../http/once.ts';
import { mailSweep } from '../../mail/mail.jobs.ts';
import { findInvoice, invoiceMissing } from '../invoice.store.ts';
import { invoiceToWire } from '../invoice.view.ts';
import type { ReminderDeps } from './reminder.service.ts';
import { listReminders } from './reminder.store.ts';
import { reminderToWire } from './reminder.view.ts';
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
interface ById {
  Params: { id: string };
}
const tags = ['Invoices'];
const write = { access: 'secret', scope: 'invoices:write' } as const;
const Reminders = ListOf(InvoiceReminder);

/** `/v1/invoices/:id/remind` and `/v1/invoices/:id/reminders`: what is planned, and the merchant's say in it. */
export function registerReminderRoutes(app: FastifyInstance, deps: ReminderRouteDeps): void {
  app.get<ById>(
    '/v1/invoices/:id/reminders',
    {
      schema: { params: IdParams, response: { 200: Reminders }, tags, summary: 'List the reminders of an invoice' },
      config: { access: 'secret', scope: 'invoices:read' },
    },
    async request => await answerList(deps, request),
  );
  app.post<ById & { Body: RemindInvoice | null }>(
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

/** What a merchant may do with what is planned. */
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

function registerSteps(app: FastifyInstance, deps: ReminderRouteDeps): void {
  for (const { path, summary, description, take } of steps) {
    app.post<ById>(
      `/v1/invoices/:id/reminders/${path}`,
      { schema: { params: IdParams, response: { 200: Reminders }, tags, summary, description }, config: write },
      (request: FastifyRequest<ById>, reply: FastifyReply) =>
        deps.once(request, reply, execution =>
          execution.commit(async tx => {
            const asked = requestOf(request);
            await take(tx, asked);
            const rows = await listReminders(tx, { merchantId: asked.merchant.id, invoiceId: asked.invoiceId });
            return { status: 200, body: listOf(asked.invoiceId, rows.map(reminderToWire)) };
          }),
        ),
    );
  }
}

function requestOf(request: FastifyRequest<ById>): ReminderRequest {
  const { merchant, livemode, now } = callerOf(request);
  return { merchant, livemode, now, invoiceId: request.params.id };
}

async function answerList({ db }: ReminderRouteDeps, request: FastifyRequest<ById>) {
  const { merchant, invoiceId, livemode } = requestOf(request);
  const key = { merchantId: merchant.id, invoiceId };
  const invoice = await findInvoice(db, key);
  if (invoice?.livemode !== livemode) throw invoiceMissing(invoiceId);
  return listOf(invoiceId, (await listReminders(db, key)).map(reminderToWire));
}

/** There are few enough of an invoice to be told at once. */
function listOf(invoiceId: string, data: InvoiceReminder[]) {
  return { object: 'list' as const, url: `/v1/invoices/${invoiceId}/reminders`, has_more: false, data };
}
