import { CreateRecurringInvoice, RecurringInvoice, RecurringOccurrence } from '../../../api/invoice/recurring.ts';
import { ListOf, ListQuery } from '../../../api/schema.ts';
import { readPage } from '../../platform/db/page.ts';
import { callerOf, scopeOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { listAnswer, parseListQuery } from '../../platform/http/list.ts';
import type { InvoiceDeps } from '../invoice.view.ts';
import { IdParams, readsInvoices, writesInvoices } from '../invoice-calls.routes.ts';
import type { RecurringStatus } from './recurrence.ts';
import { prepareRecurring, readRecurring, stepRecurring } from './recurring.service.ts';
import { listOccurrences, type RecurringRow } from './recurring.store.ts';

const tags = ['Recurring invoices'];
const path = '/v1/recurring-invoices';

/** `/v1/recurring-invoices`: invoices created on the days of a rule. */
export function registerRecurringRoutes(app: HttpApp, deps: InvoiceDeps): void {
  registerReads(app, deps);
  app.post(
    path,
    {
      schema: {
        body: CreateRecurringInvoice,
        response: { 201: RecurringInvoice },
        tags,
        summary: 'Create a recurring invoice',
        description:
          'Creates an invoice from `invoice` on each day of the rule, at nine in the morning of the time zone. The ' +
          'invoice is sent unless `auto_send` is false. Each day gets exactly one invoice, even if it is late; days ' +
          'before today are skipped.',
      },
      config: writesInvoices,
    },
    (request, reply) =>
      deps.once(request, reply, async execution => {
        const keep = await prepareRecurring(deps, callerOf(request), request.body);
        return await execution.commit(async tx => {
          const row = await keep(tx);
          return { status: 201, body: recurringToWire(row), location: `${path}/${row.id}`, resourceId: row.id };
        });
      }),
  );
  for (const { name, to, summary, description } of steps) {
    app.post(
      `${path}/:id/${name}`,
      {
        schema: { params: IdParams, response: { 200: RecurringInvoice }, tags, summary, description },
        config: writesInvoices,
      },
      (request, reply) =>
        deps.once(request, reply, execution =>
          execution.commit(async tx => {
            const row = await stepRecurring(tx, callerOf(request), request.params.id, to);
            return { status: 200, body: recurringToWire(row) };
          }),
        ),
    );
  }
}

/** Steps that a merchant may request. */
const steps: readonly {
  readonly name: string;
  readonly to: RecurringStatus;
  readonly summary: string;
  readonly description: string;
}[] = [
  {
    name: 'pause',
    to: 'paused',
    summary: 'Pause a recurring invoice',
    description: 'No invoice is created until it is resumed.',
  },
  {
    name: 'resume',
    to: 'active',
    summary: 'Resume a recurring invoice',
    description: 'Continues from today. Days during the pause are skipped.',
  },
  {
    name: 'end',
    to: 'ended',
    summary: 'End a recurring invoice',
    description: 'Existing invoices stay unchanged.',
  },
];

function registerReads(app: HttpApp, deps: InvoiceDeps): void {
  app.get(
    path,
    {
      schema: {
        querystring: ListQuery,
        response: { 200: ListOf(RecurringInvoice) },
        tags,
        summary: 'List recurring invoices',
      },
      config: readsInvoices,
    },
    async request => {
      const list = { table: 'recurring_invoices' as const, ...scopeOf(callerOf(request)) };
      const page = await readPage(deps.db, list, parseListQuery(request.query));
      return listAnswer(path, page, recurringToWire);
    },
  );
  app.get(
    `${path}/:id`,
    {
      schema: { params: IdParams, response: { 200: RecurringInvoice }, tags, summary: 'Read a recurring invoice' },
      config: readsInvoices,
    },
    async request => recurringToWire(await readRecurring(deps, callerOf(request), request.params.id)),
  );
  app.get(
    `${path}/:id/occurrences`,
    {
      schema: {
        params: IdParams,
        response: { 200: ListOf(RecurringOccurrence) },
        tags,
        summary: 'List the invoices of a recurring invoice',
        description: 'The newest hundred, sorted by their days.',
      },
      config: readsInvoices,
    },
    async request => {
      const { merchant_id: merchantId, id } = await readRecurring(deps, callerOf(request), request.params.id);
      const rows = await listOccurrences(deps.db, { merchantId, recurringId: id });
      return listAnswer(`${path}/${id}/occurrences`, { rows, hasMore: false }, row => ({
        object: 'recurring_occurrence' as const,
        day: row.day,
        invoice: row.invoice_id,
        created_at: row.created_at.toISOString(),
      }));
    },
  );
}

function recurringToWire(row: RecurringRow): RecurringInvoice {
  return {
    id: row.id,
    object: 'recurring_invoice',
    status: row.status,
    rrule: row.rrule,
    starts_on: row.starts_on,
    ends_on: row.ends_on,
    count: row.count,
    timezone: row.timezone,
    auto_send: row.auto_send,
    invoice: row.template,
    occurrences: row.occurrences,
    next_on: row.next_on,
    last_error: row.last_error,
    metadata: row.metadata,
    livemode: row.livemode,
    created_at: row.created_at.toISOString(),
  };
}
