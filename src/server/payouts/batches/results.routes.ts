import { Readable } from 'node:stream';
import { Type } from 'typebox';
import type { Db } from '../../platform/db/database.ts';
import { callerOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { payoutFilters } from '../payout.routes.ts';
import type { PayoutContext } from '../payout.view.ts';
import { readBatch } from './batch.service.ts';
import { resultColumns, writeResults } from './results.ts';

/** `GET /v1/payout-batches/:id/results.csv`: the outcome of each row of a batch. */
export function registerResultRoutes(app: HttpApp, deps: PayoutContext & { readonly db: Db }): void {
  app.get(
    '/v1/payout-batches/:id/results.csv',
    {
      schema: {
        params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
        querystring: Type.Object({ status: payoutFilters.status }),
        tags: ['Payouts'],
        summary: 'Download the results of a batch as CSV',
        description:
          `One line for each row of the request: ${resultColumns.map(column => `\`${column}\``).join(', ')}. Amounts are ` +
          'integers of the smallest unit; `paid_amount` is decimal text. Rows that `skip_invalid` skipped have the ' +
          'status `rejected`. The failure columns also contain the reason why a payout is on hold. With `status`, only ' +
          'payouts of that status.',
      },
      config: { access: 'secret', scope: 'payouts:read' },
    },
    async (request, reply) => {
      const batch = await readBatch(deps.db, callerOf(request), request.params.id);
      const lines = Readable.from(writeResults(deps.db, deps, batch, request.query.status), { objectMode: false });
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="${batch.id}.csv"`)
        .send(lines);
    },
  );
}
