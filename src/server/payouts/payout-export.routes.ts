import { Type } from 'typebox';
import { rangeParameters } from '../../api/schema.ts';
import type { Db } from '../platform/db/database.ts';
import { readPage } from '../platform/db/page.ts';
import { callerOf, scopeOf } from '../platform/http/access/caller.ts';
import { sendCsv } from '../platform/http/csv-export.ts';
import type { HttpApp } from '../platform/http/http-app.ts';
import { parseListQuery } from '../platform/http/list.ts';
import { payoutLine, resultColumns } from './batches/results.ts';
import { equalOf, payoutFilters } from './payout.routes.ts';
import type { PayoutContext } from './payout.view.ts';

const columns = resultColumns.filter(column => column !== 'index');

/** `GET /v1/payouts.csv`: all payouts of a filter. */
export function registerPayoutExportRoute(app: HttpApp, deps: PayoutContext & { readonly db: Db }): void {
  const range = rangeParameters('created_at', Type.String({ format: 'date-time', maxLength: 40 }));
  app.get(
    '/v1/payouts.csv',
    {
      schema: {
        querystring: Type.Object({ ...range, ...payoutFilters }),
        tags: ['Payouts'],
        summary: 'Export payouts as CSV',
        description:
          `All payouts of the filters, newest first, in UTF-8 with the columns ${columns.join(', ')}. Amounts are ` +
          'integers of the smallest unit; `paid_amount` is decimal text. A cell that a spreadsheet would run as a ' +
          'formula begins with an apostrophe.',
      },
      config: { access: 'secret', scope: 'payouts:read' },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const list = { table: 'payouts' as const, ...scopeOf(caller) };
      const equal = equalOf(request.query);
      return sendCsv(
        reply,
        { name: 'payouts', now: caller.now },
        {
          columns,
          created: parseListQuery({ ...request.query }).created,
          read: page => readPage(deps.db, list, page, { equal }),
          cells: row => {
            const line = payoutLine(deps, row);
            return columns.map(column => line[column]);
          },
        },
      );
    },
  );
}
