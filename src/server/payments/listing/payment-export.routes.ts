import { Type } from 'typebox';
import { rangeParameters } from '../../../api/schema.ts';
import { unitText } from '../../../core/unit.ts';
import { callerOf, scopeOf } from '../../platform/http/access/caller.ts';
import { sendCsv } from '../../platform/http/csv-export.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { parseListQuery } from '../../platform/http/list.ts';
import { metadataFilters } from '../../platform/http/metadata-filter.ts';
import { listPayments } from '../payment.store.ts';
import { paymentToWire } from '../payment.view.ts';
import type { PaymentRouteDeps } from '../payment-deps.ts';
import type { PaymentRow } from '../tables.ts';
import { filtersOf, paymentFilters } from './payment-filters.ts';

const ExportQuery = Type.Object(
  { ...rangeParameters('created_at', Type.String({ format: 'date-time', maxLength: 40 })), ...paymentFilters },
  metadataFilters,
);

/** The cells of a payment by column name. Amounts are decimal text, so that spreadsheets can sum them. */
const columns: Readonly<Record<string, (row: PaymentRow, links: Links) => string | null>> = {
  id: row => row.id,
  created_at: row => row.created_at.toISOString(),
  completed_at: row => row.completed_at?.toISOString() ?? null,
  status: row => row.status,
  phase: row => row.phase,
  exception: row => row.exception,
  currency: row => row.currency,
  amount: row => inCurrency(row, row.amount),
  amount_received: row => inCurrency(row, row.amount_received),
  amount_refunded: row => inCurrency(row, row.amount_refunded),
  amount_disputed: row => inCurrency(row, row.amount_disputed),
  method: row => row.method,
  card_brand: row => row.card?.brand ?? null,
  card_last4: row => row.card?.last4 ?? null,
  reference: row => row.reference,
  description: row => row.description,
  customer_id: row => row.customer_id,
  customer_email: row => row.customer_email,
  customer_name: row => row.customer_name,
  payment_link: (_row, links) => links.payment_link,
  invoice: (_row, links) => links.invoice,
  settlement_status: row => row.settlement_status,
  settlement_asset: row => row.settlement_asset,
  settlement_amount: row => unitText(row.settlement_amount, row.settlement_asset),
  settlement_tx_hash: row => row.settlement_tx_hash,
  mobile_money_provider: row => row.mobile_money?.provider ?? null,
  mobile_money_number: row => row.mobile_money?.number ?? null,
  metadata: row => (Object.keys(row.metadata).length === 0 ? null : JSON.stringify(row.metadata)),
};

interface Links {
  readonly payment_link: string | null;
  readonly invoice: string | null;
}

function inCurrency({ currency }: PaymentRow, amount: bigint): string {
  return unitText(amount, currency);
}

/** `GET /v1/payments.csv`: all payments of a filter. */
export function registerPaymentExportRoute(app: HttpApp, deps: PaymentRouteDeps): void {
  app.get(
    '/v1/payments.csv',
    {
      schema: {
        querystring: ExportQuery,
        tags: ['Payments'],
        summary: 'Export payments as CSV',
        description:
          `All payments of the filters, newest first, in UTF-8 with the columns ${Object.keys(columns).join(', ')}. ` +
          'Amounts are decimal text. A cell that a spreadsheet would run as a formula begins with an apostrophe. ' +
          'Payments that change during the export may appear as before or as after.',
      },
      config: { access: 'secret', scope: 'payments:read' },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const scope = scopeOf(caller);
      const filters = filtersOf(deps, scope, request.query);
      return sendCsv(
        reply,
        { name: 'payments', now: caller.now },
        {
          columns: Object.keys(columns),
          created: parseListQuery({ ...request.query }).created,
          read: page => listPayments(deps.db, scope, filters, page),
          cells: row => cellsOf(deps, row),
        },
      );
    },
  );
}

function cellsOf(deps: PaymentRouteDeps, row: PaymentRow): (string | null)[] {
  // The empty URL saves the derivation of a token for each row. No column shows this URL.
  const links = paymentToWire(deps, row, '');
  return Object.values(columns).map(cell => cell(row, links));
}
