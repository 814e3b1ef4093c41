import { Type } from 'typebox';
import { rangeParameters } from '../../api/schema.ts';
import { unitText } from '../../core/unit.ts';
import { callerOf, scopeOf } from '../platform/http/access/caller.ts';
import { sendCsv } from '../platform/http/csv-export.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import { parseListQuery } from '../platform/http/list.ts';
import type { BalanceDeps } from './balance.routes.ts';
import { bookingText } from './booking-text.ts';
import { type LineRow, listLines } from './ledger.store.ts';

const ExportQuery = Type.Object({
  ...rangeParameters('created_at', Type.String({ format: 'date-time', maxLength: 40 })),
  account: Type.Optional(Type.String({ maxLength: 60, description: 'Only lines of this account.' })),
  payment: Type.Optional(Type.String({ maxLength: 60, description: 'Only transactions of this payment.' })),
  source: Type.Optional(
    Type.String({ maxLength: 60, description: 'Only transactions of this invoice, payout, top-up or withdrawal.' }),
  ),
});

/** The columns of the export: each name with the function that reads its cell from a line. */
const columns: Readonly<Record<string, (row: LineRow) => string | null>> = {
  id: row => row.id,
  transaction: row => row.transaction_id,
  created_at: row => row.created_at.toISOString(),
  kind: row => row.kind,
  account: row => row.account,
  debit: row => (row.amount < 0n ? amountOf(row, -row.amount) : null),
  credit: row => (row.amount > 0n ? amountOf(row, row.amount) : null),
  currency: row => row.currency,
  payment: row => row.payment_id,
  refund: row => row.refund_id,
  source: row => row.resource_id,
  text: row => bookingText(row.kind),
};

function amountOf({ currency }: LineRow, amount: bigint): string {
  return unitText(amount, currency);
}

/** `GET /v1/ledger.csv`: the double-entry ledger of the merchant. */
export function registerLedgerExport(app: HttpApp, deps: BalanceDeps): void {
  app.get(
    '/v1/ledger.csv',
    {
      schema: {
        querystring: ExportQuery,
        tags: ['Balance'],
        summary: 'Export the ledger as CSV',
        description:
          `All lines of your transactions, newest first, in UTF-8 with the columns ${Object.keys(columns).join(', ')}. ` +
          'The debits and credits of a transaction are equal in each currency. `merchant.*` is your balance, `invoices.*` ' +
          'your invoices; the other accounts are the service’s. Amounts are decimal text. A cell that a spreadsheet would ' +
          'run as a formula begins with an apostrophe. The scope `balance:read` covers the whole ledger, with the amounts of ' +
          'invoices, payments and payouts.',
      },
      config: { access: 'secret', scope: 'balance:read' },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { account, payment: payment_id, source: resource_id } = request.query;
      return sendCsv(
        reply,
        { name: 'ledger', now: caller.now },
        {
          columns: Object.keys(columns),
          created: parseListQuery({ ...request.query }).created,
          read: page => listLines(deps.db, scopeOf(caller), page, { account, payment_id, resource_id }),
          cells: row => Object.values(columns).map(cell => cell(row)),
        },
      );
    },
  );
}
