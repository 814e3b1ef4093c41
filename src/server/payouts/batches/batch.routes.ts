import { Type } from 'typebox';
import { Payout, PayoutBatch, PayoutBatchStatus, UpdatePayoutBatch } from '../../../api/payout.ts';
import { ListOf, ListQuery } from '../../../api/schema.ts';
import { readPage } from '../../platform/db/page.ts';
import { callerOf, scopeOf } from '../../platform/http/access/caller.ts';
import type { HttpApp } from '../../platform/http/http-app.ts';
import { listAnswer, parseListQuery } from '../../platform/http/list.ts';
import type { IntakeDeps } from '../intake/bulk.service.ts';
import { equalOf, type PayoutRouteDeps, payoutFilters } from '../payout.routes.ts';
import { countStatuses } from '../payout.store.ts';
import { batchSummaryToWire, batchToWire, payoutToWire } from '../payout.view.ts';
import { payoutSweep } from '../sending/payout-queue.service.ts';
import { type BatchAction, prepareBatchAction, readBatch } from './batch.service.ts';
import { prepareEdit } from './batch-edit.service.ts';

const path = '/v1/payout-batches';
const tags = ['Payouts'];
const reading = { access: 'secret', scope: 'payouts:read' } as const;
const writing = { access: 'secret', scope: 'payouts:write', keepsAnswersDays: 30 } as const;
const params = Type.Object({ id: Type.String({ maxLength: 64 }) });

/** Routes that read, change and approve batches, and act on all payouts of a batch. */
export function registerBatchRoutes(app: HttpApp, deps: PayoutRouteDeps & IntakeDeps): void {
  registerReading(app, deps);
  registerEditing(app, deps);
  for (const action of ['approve', 'cancel', 'hold', 'resume', 'retry'] as const) registerAction(app, deps, action);
}

function registerReading(app: HttpApp, deps: PayoutRouteDeps): void {
  const status = Type.Optional(PayoutBatchStatus);
  const recurring = Type.Optional(
    Type.String({ maxLength: 64, description: 'Only batches that this recurring batch created.' }),
  );
  const querystring = Type.Object({ ...ListQuery.properties, status, recurring_batch: recurring });
  app.get(
    path,
    { schema: { querystring, response: { 200: ListOf(PayoutBatch) }, tags, summary: 'List batches' }, config: reading },
    async request => {
      const caller = callerOf(request);
      const list = { table: 'payout_batches' as const, ...scopeOf(caller), without: ['template'] as const };
      const { status: batchStatus, recurring_batch } = request.query;
      const equal = { status: batchStatus, recurring_batch };
      const page = await readPage(deps.db, list, parseListQuery(request.query), { equal });
      const counts = await countStatuses(
        deps.db,
        caller.merchant.id,
        page.rows.map(({ id }) => id),
      );
      return listAnswer(path, page, row => batchSummaryToWire(deps, { ...row, statuses: counts.get(row.id) ?? {} }));
    },
  );
  app.get(
    `${path}/:id`,
    { schema: { params, response: { 200: PayoutBatch }, tags, summary: 'Read a batch' }, config: reading },
    async request => {
      const batch = await readBatch(deps.db, callerOf(request), request.params.id);
      const counts = await countStatuses(deps.db, batch.merchant_id, [batch.id]);
      return batchToWire(deps, { ...batch, statuses: counts.get(batch.id) ?? {} });
    },
  );
  registerPayouts(app, deps);
}

function registerPayouts(app: HttpApp, deps: PayoutRouteDeps): void {
  const payoutsQuery = Type.Object({ ...ListQuery.properties, ...payoutFilters });
  app.get(
    `${path}/:id/payouts`,
    {
      schema: {
        params,
        querystring: payoutsQuery,
        response: { 200: ListOf(Payout) },
        tags,
        summary: 'List the payouts of a batch',
        description: 'The payouts have the order of the rows in the request.',
      },
      config: reading,
    },
    async request => {
      const caller = callerOf(request);
      const batch = await readBatch(deps.db, caller, request.params.id);
      const equal = equalOf(request.query);
      const rows = { only: { batch_id: batch.id }, position: 'position' };
      const list = { table: 'payouts' as const, ...scopeOf(caller), ...rows };
      const page = await readPage(deps.db, list, parseListQuery(request.query), { equal });
      return listAnswer(`${path}/${batch.id}/payouts`, page, row => payoutToWire(deps, row));
    },
  );
}

/** Maximum body of a change, as for `POST /v1/payouts/bulk`. */
const mostBytes = 16 * 1_048_576;

function registerEditing(app: HttpApp, deps: PayoutRouteDeps & IntakeDeps): void {
  app.patch(
    `${path}/:id`,
    {
      schema: {
        params,
        body: UpdatePayoutBatch,
        response: { 200: PayoutBatch },
        tags,
        summary: 'Change a batch that has not started',
        description:
          'Changes the time of a scheduled batch, or the rule or the rows of a recurring batch. An approved recurring batch ' +
          'then needs a new approval, by another person than the one who changed it.',
      },
      config: { ...writing, maxBody: mostBytes },
    },
    async request => {
      const caller = callerOf(request);
      const before = await readBatch(deps.db, caller, request.params.id);
      const write = await prepareEdit(deps, caller, before, request.body);
      const batch = await deps.db.transaction().execute(write);
      deps.wake(payoutSweep);
      const counts = await countStatuses(deps.db, batch.merchant_id, [batch.id]);
      return batchToWire(deps, { ...batch, statuses: counts.get(batch.id) ?? {} });
    },
  );
}

const summaries: Readonly<Record<BatchAction, string>> = {
  approve: 'Approve a batch that another person created',
  cancel: 'Cancel the unsent payouts of a batch',
  hold: 'Hold the unsent payouts of a batch',
  resume: 'Send the payouts of a batch that are on hold',
  retry: 'Send the failed payouts of a batch again',
};

function registerAction(app: HttpApp, deps: PayoutRouteDeps, action: BatchAction): void {
  app.post(
    `${path}/:id/${action}`,
    { schema: { params, response: { 200: PayoutBatch }, tags, summary: summaries[action] }, config: writing },
    async (request, reply) => {
      const answer = await deps.once(request, reply, async execution => {
        const caller = callerOf(request);
        const { id } = await readBatch(deps.db, caller, request.params.id);
        const act = await prepareBatchAction(deps, caller, id, action);
        return await execution.commit(async tx => {
          const batch = await act(tx);
          const counts = await countStatuses(tx, batch.merchant_id, [id]);
          return { status: 200, body: batchToWire(deps, { ...batch, statuses: counts.get(id) ?? {} }) };
        });
      });
      deps.wake(payoutSweep);
      return answer;
    },
  );
}
