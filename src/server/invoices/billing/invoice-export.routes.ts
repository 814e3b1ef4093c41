import { Type } from 'typebox';
import { InvoiceStatus } from '../../../api/invoice/invoice-view.ts';
import { Day, rangeParameters } from '../../../api/schema.ts';
import { currencyDecimals } from '../../../core/currency.ts';
import { formatUnits } from '../../../core/money.ts';
import { readPage } from '../../platform/db/page.ts';
import { callerOf, scopeOf } from '../../platform/http/access/caller.ts';
import { sendCsv } from '../../platform/http/csv-export.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { parseListQuery, readDay, readRange } from '../../platform/http/list.ts';
import { remainingOf } from '../invoice.ts';
import type { InvoiceDeps, InvoiceRow } from '../invoice.view.ts';
import { customerIn } from '../invoice-calls.routes.ts';

const ExportQuery = Type.Object({
  ...rangeParameters('created_at', Type.String({ format: 'date-time', maxLength: 40 })),
  ...rangeParameters('due_date', Day),
  status: Type.Optional(InvoiceStatus),
  reference: Type.Optional(Type.String({ maxLength: 200 })),
  customer: Type.Optional(Type.String({ maxLength: 254, description: 'A customer’s id or e-mail address.' })),
});

/** The cells of an invoice by column name. Amounts are decimal text, so that spreadsheets can sum them. */
const columns: Readonly<Record<string, (row: InvoiceRow) => string | null>> = {
  id: row => row.id,
  number: row => row.number,
  status: row => row.status,
  issue_date: row => row.issue_date,
  due_date: row => row.due_date,
  created_at: row => row.created_at.toISOString(),
  sent_at: row => row.sent_at?.toISOString() ?? null,
  paid_at: row => row.paid_at?.toISOString() ?? null,
  voided_at: row => row.voided_at?.toISOString() ?? null,
  customer_id: row => row.customer_id,
  customer_name: row => row.customer.name,
  customer_email: row => row.customer.email,
  customer_tax_id: row => row.customer.tax_id,
  customer_country: row => row.customer.address?.country ?? null,
  currency: row => row.currency,
  subtotal: row => inCurrency(row, row.subtotal),
  discount_total: row => inCurrency(row, row.discount_total),
  tax_total: row => inCurrency(row, row.tax_total),
  total: row => inCurrency(row, row.total),
  amount_paid: row => inCurrency(row, row.amount_paid),
  amount_credited: row => inCurrency(row, row.amount_credited),
  amount_refunded: row => inCurrency(row, row.amount_refunded),
  amount_remaining: row => inCurrency(row, remainingOf(row)),
  reference: row => row.reference,
  memo: row => row.memo,
  metadata: row => (Object.keys(row.metadata).length === 0 ? null : JSON.stringify(row.metadata)),
};

function inCurrency({ currency }: InvoiceRow, amount: bigint): string {
  return formatUnits(amount, currencyDecimals(currency));
}

/** `GET /v1/invoices.csv`: all invoices of a filter. */
export function registerInvoiceExport(app: HttpApp, deps: InvoiceDeps): void {
  app.get(
    '/v1/invoices.csv',
    {
      schema: {
        querystring: ExportQuery,
        tags: ['Invoices'],
        summary: 'Export invoices as CSV',
        description:
          `All invoices of the filters, newest first, in UTF-8 with the columns ${Object.keys(columns).join(', ')}. ` +
          'Amounts are decimal text. A cell that a spreadsheet would run as a formula begins with an apostrophe.',
      },
      config: { access: 'secret', scope: 'invoices:read' },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { status, reference, customer } = request.query;
      const equal = { status, reference, customer_id: customerIn(deps, caller, customer) };
      const ranges = { due_date: readRange(request.query, 'due_date', readDay) };
      const list = { table: 'invoices' as const, ...scopeOf(caller) };
      return sendCsv(
        reply,
        { name: 'invoices', now: caller.now },
        {
          columns: Object.keys(columns),
          created: parseListQuery({ ...request.query }).created,
          read: page => readPage(deps.db, list, page, { equal, ranges }),
          cells: row => Object.values(columns).map(cell => cell(row)),
        },
      );
    },
  );
}
